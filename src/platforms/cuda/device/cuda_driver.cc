// Kernels. Devices are in cuda_device.cc, memory in cuda_memory.cc, copies in cuda_copy.cc, streams
// and events in cuda_streams.cc.
#include "platforms/cuda/device/cuda_driver.h"

#include "base/mutant.h"
#include "codegen/cuda/cuda_text.h"
#include "codegen/cuda/select_text.h"
#include "cupola/error.h"
#include "platforms/cuda/device/context.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/launch/cuda_kernel.h"
#include "platforms/cuda/launch/cuda_select.h"
#include "platforms/cuda/libraries/cublas.h"
#include "platforms/cuda/libraries/cufft.h"
#include "platforms/cuda/libraries/cufft_api.h"
#include "platforms/cuda/libraries/cusolver.h"
#include "platforms/cuda/streams/cuda_stream.h"

namespace cupola::cuda {

int CudaDriver::kernel_architecture(int device) { return device_architecture(device); }

std::shared_ptr<Kernel> CudaDriver::build(const KernelPlan& plan, int device) {
  const auto kernel = std::make_shared<CudaKernel>(cuda_code(plan));
  kernel->compile_ahead(device_architecture(device));
  if (CUPOLA_MUTANT(load_to_compile)) load(kernel, device);
  return kernel;
}

void CudaDriver::load(const std::shared_ptr<Kernel>& kernel, int device) {
  static_cast<CudaKernel&>(*kernel).load_ahead(device_context(device));
}

void CudaDriver::launch(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
                        StreamHandle stream) {
  static_cast<CudaKernel&>(*kernel).launch(arguments, for_work(stream));
}

std::size_t CudaDriver::launch_joined(const std::shared_ptr<Kernel>& kernel,
                                      std::span<const LaunchArguments> all, StreamHandle stream) {
  return static_cast<CudaKernel&>(*kernel).launch_joined(all, for_work(stream));
}

void CudaDriver::load_joined() noexcept { load_joined_kernels(); }

LaunchStages CudaDriver::stages_of(const Kernel& kernel, const LaunchArguments& arguments) {
  return static_cast<const CudaKernel&>(kernel).stages_of(arguments);
}

void CudaDriver::launch_stage(const std::shared_ptr<Kernel>& kernel,
                              const LaunchArguments& arguments, int stage, WorkPart part,
                              void* scratch, StreamHandle stream) {
  static_cast<CudaKernel&>(*kernel).launch_stage(arguments, stage, part, scratch, for_work(stream));
}

void CudaDriver::matmul(const MatmulProblem& problem, StreamHandle stream) {
  cublas_matmul(problem, for_work(stream));
}

void CudaDriver::fft(const FftProblem& problem, StreamHandle stream) {
  cufft_transform(problem, for_work(stream));
}

bool CudaDriver::can_transform_columns(const FftProblem& problem) const {
  return takes_columns(problem);
}

FftPlanCount CudaDriver::fft_plans(int device) { return idle_plans(device); }

void CudaDriver::keep_fft_plans(int device, std::size_t most) {
  if (idle_plans(device).kept == 0) return keep_idle_plans(device, most);  // makes no context
  const ContextGuard guard(device_context(device));
  keep_idle_plans(device, most);
}

void CudaDriver::factor(const FactorProblem& problem, StreamHandle stream) {
  cusolver_factor(problem, for_work(stream));
}

std::int64_t CudaDriver::most_selected(DType dtype, std::int64_t length) const {
  const bool is_sorted = is_complex(dtype) || length < kShortestSelected;
  return is_sorted ? 0 : cupola_device::kSelectRanks;
}

void CudaDriver::select(const SelectProblem& problem, StreamHandle stream) {
  run_select(problem, for_work(stream));
}

}  // namespace cupola::cuda
