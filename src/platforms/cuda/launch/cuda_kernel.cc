#include "platforms/cuda/launch/cuda_kernel.h"

#include <fmt/format.h>

#include <future>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/counters.h"
#include "base/threads/lazy.h"
#include "core/layout.h"
#include "cupola/error.h"
#include "platforms/cuda/device/cuda_api.h"

namespace cupola::cuda {
namespace {

constexpr std::size_t kUsualBytes = 1024;  // of a kernel's parameter

// The parameter of a launch: on the stack unless it is unusually large.
class ArgumentBuffer {
 public:
  explicit ArgumentBuffer(std::size_t bytes) {
    if (bytes > kUsualBytes) large_ = std::make_unique<Block[]>(bytes / sizeof(Block) + 1);
  }
  std::byte* data() { return large_ ? large_[0].bytes : small_; }

 private:
  struct alignas(16) Block {
    std::byte bytes[16];
  };
  alignas(16) std::byte small_[kUsualBytes];
  std::unique_ptr<Block[]> large_;
};

int attribute(CUfunction function, CUfunction_attribute attribute, int device) {
  int value = 0;
  CUPOLA_CUDA(device, cuFuncGetAttribute, &value, attribute, function);
  return value;
}

// Gives the launch the memory, as its kernels want to find it.
void give_scratch(const Scratch& scratch, CudaLaunch& launch, CudaStream& stream) {
  launch.header.scratch = scratch.data();
  const auto base = device_address(scratch.data());
  const int device = stream.context->index;
  if (launch.zeroed_bytes) {
    CUPOLA_CUDA(device, cuMemsetD8Async, base, 0, launch.zeroed_bytes, stream.handle);
  }
  if (launch.set_bytes) {
    CUPOLA_CUDA(device, cuMemsetD8Async, base + launch.zeroed_bytes, 0xFF, launch.set_bytes,
                stream.handle);
  }
}

}  // namespace

CudaKernel::CudaKernel(CudaCode code)
    : code_(std::move(code)), family_(cuda_family(code_.plan)), layout_(cuda_arguments(*family_)) {
  for (const char* kernel : family_->kernels()) {
    names_.push_back(lasting_name(code_.entry + kernel));
  }
  for (std::size_t i = 0; family_->joins() && i < family_->kernels().size(); ++i) {
    names_.push_back(lasting_name(code_.entry + family_->kernels()[i] + "_joined"));
  }
  functions_ = std::make_unique<Functions[]>(names_.size());
  separate_ = std::make_unique<Counts[]>(names_.size());
}

std::shared_ptr<const MachineCode> CudaKernel::machine_code(int kernel, int architecture) {
  Compilation* compilation = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    compilation = &compilations_[{kernel, architecture}];
  }
  const std::scoped_lock lock(compilation->mutex);
  if (!compilation->code) {
    compilation->code =
        std::make_shared<const MachineCode>(KernelTask(code_.text, architecture, kernel).compile());
  }
  return compilation->code;
}

void CudaKernel::compile_ahead(int architecture) {
  if (family_->kernels().size() == 1) machine_code(0, architecture);
}

void CudaKernel::load_ahead(const DeviceContext& context) {
  if (family_->kernels().size() == 1) function(0, context);
}

CUfunction CudaKernel::load(int kernel, const DeviceContext& context) {
  const auto code = machine_code(kernel, context.architecture);
  const LoadTurn turn(context, name(kernel));
  const ContextGuard guard(context);
  const std::scoped_lock lock(mutex_);
  auto& slot = functions_[static_cast<std::size_t>(kernel)][context.index];
  if (const CUfunction loaded = slot.load(std::memory_order_acquire)) return loaded;
  // Modules stay: work that uses one may be queued when the last owner of the kernel goes.
  CUmodule module = nullptr;
  CUPOLA_CUDA(context.index, cuModuleLoadData, &module, code->bytes.data());
  count(Counter::module_loads);
  CUfunction function = nullptr;
  CUPOLA_CUDA(context.index, cuModuleGetFunction, &function, module, name(kernel));
  const int most = attribute(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, context.index);
  if (most < static_cast<int>(family_->threads())) {
    throw LaunchError(fmt::format(
        "{} cannot run with {} threads per block on cuda:{}: it takes {} registers per thread and "
        "{} bytes of shared memory, so that {} threads fit",
        name(kernel), family_->threads(), context.index,
        attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS, context.index),
        attribute(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, context.index), most));
  }
  slot.store(function, std::memory_order_release);
  return function;
}

void CudaKernel::compile_together(const CudaLaunch& launch, const DeviceContext& context) {
  std::set<int> missing;
  for (int i = 0; i < launch.stage_count; ++i) {
    const int kernel = launch.stages[static_cast<std::size_t>(i)].kernel;
    if (!functions_[static_cast<std::size_t>(kernel)][context.index].load()) missing.insert(kernel);
  }
  if (missing.size() < 2) return;
  std::vector<std::future<std::shared_ptr<const MachineCode>>> others;
  for (auto kernel = std::next(missing.begin()); kernel != missing.end(); ++kernel) {
    others.push_back(std::async(&CudaKernel::machine_code, this, *kernel, context.architecture));
  }
  machine_code(*missing.begin(), context.architecture);
  for (auto& other : others) other.get();
}

CUfunction CudaKernel::function(int kernel, const DeviceContext& context) {
  auto& slot = functions_[static_cast<std::size_t>(kernel)][context.index];
  const CUfunction loaded = slot.load(std::memory_order_acquire);
  return loaded ? loaded : load(kernel, context);
}

void CudaKernel::run(const CudaStage& stage, std::byte* arguments, CudaStream& stream) {
  const CUfunction entry = function(stage.kernel, *stream.context);
  stream.has_computed.store(true, std::memory_order_relaxed);
  void* parameters[] = {arguments};
  std::optional<CUresult> as_graph;
  if (stream.takes_graphs()) {
    as_graph = stream.graphs.launch(entry, stage, parameters, stream.handle, stream.context->index);
  }
  const CUresult result = as_graph ? *as_graph
                                   : cuda_api().cuLaunchKernel(entry, stage.grid_x, stage.grid_y,
                                                               stage.joined, stage.threads, 1, 1, 0,
                                                               stream.handle, parameters, nullptr);
  if (result == CUDA_SUCCESS) [[likely]] {
    stream.context->health->note_launch({name(stage.kernel),
                                         {stage.grid_x, stage.grid_y, stage.joined},
                                         stage.threads,
                                         reinterpret_cast<std::uint64_t>(stream.handle)});
    return;
  }
  throw_if_fault(result, name(stage.kernel), stream.context->index);
  throw LaunchError(fmt::format("{} with a grid of {} x {} blocks of {} threads: {} [plan {}]",
                                name(stage.kernel), stage.grid_x, stage.grid_y, stage.threads,
                                cuda_message(result, "cuLaunchKernel", stream.context->index),
                                code_.key));
}

void CudaKernel::launch(const LaunchArguments& arguments, CudaStream& stream) {
  CudaLaunch launch = cuda_launch(*family_, arguments);
  if (launch.stage_count == 0) return;
  ArgumentBuffer buffer(layout_.bytes);
  const ContextGuard guard(*stream.context);
  if (launch.scratch_bytes == 0) {
    pack_cuda_arguments(layout_, arguments, launch.header, launch.view, buffer.data());
    return run(launch.stages[0], buffer.data(), stream);
  }
  if (launch.stage_count > 1) compile_together(launch, *stream.context);
  const Scratch scratch(stream, launch.scratch_bytes);
  give_scratch(scratch, launch, stream);
  pack_cuda_arguments(layout_, arguments, launch.header, launch.view, buffer.data());
  for (int i = 0; i < launch.stage_count; ++i) {
    run(launch.stages[static_cast<std::size_t>(i)], buffer.data(), stream);
  }
}

LaunchStages CudaKernel::stages_of(const LaunchArguments& arguments) const {
  return cupola::stages_of(cuda_launch(*family_, arguments));
}

void CudaKernel::launch_stage(const LaunchArguments& arguments, int stage, WorkPart part,
                              void* scratch, CudaStream& stream) {
  CudaLaunch launch = cuda_launch(*family_, arguments);
  if (stage >= launch.stage_count) return;
  CudaStage& own = launch.stages[static_cast<std::size_t>(stage)];
  if (!keep_part(own, launch.header, part, element_count(arguments.extents))) return;
  const ContextGuard guard(*stream.context);
  std::optional<Scratch> of_part;
  if (launch.scratch_of_part) {
    of_part.emplace(stream, launch.scratch_bytes);
    give_scratch(*of_part, launch, stream);
  } else {
    launch.header.scratch = scratch;
  }
  ArgumentBuffer buffer(layout_.bytes);
  pack_cuda_arguments(layout_, arguments, launch.header, launch.view, buffer.data());
  run(own, buffer.data(), stream);
}

}  // namespace cupola::cuda
