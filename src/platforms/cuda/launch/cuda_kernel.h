#pragma once
// A plan's kernels: compiled once per architecture, loaded once per device, on first use.

#include <cuda.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/threads/mutex.h"
#include "codegen/cuda/cuda_arguments.h"
#include "codegen/cuda/cuda_launch.h"
#include "codegen/cuda/cuda_text.h"
#include "codegen/cuda/families/family.h"
#include "driver/driver.h"
#include "platforms/cuda/compile/compiler.h"
#include "platforms/cuda/device/context.h"
#include "platforms/cuda/streams/cuda_stream.h"

namespace cupola::cuda {

class CudaKernel : public Kernel, public std::enable_shared_from_this<CudaKernel> {
 public:
  explicit CudaKernel(CudaCode code);
  const KernelPlan& plan() const override { return code_.plan; }

  // Compiles the text's only kernel; texts of several compile each when it is first launched.
  void compile_ahead(int architecture);
  // Likewise loads it.
  void load_ahead(const DeviceContext& context);
  void load_ahead(int kernel, const DeviceContext& context) { function(kernel, context); }
  void launch(const LaunchArguments& arguments, CudaStream& stream);
  // The first launches of them, as one; returns how many, 0 where that cannot be.
  std::size_t launch_joined(std::span<const LaunchArguments> all, CudaStream& stream);
  LaunchStages stages_of(const LaunchArguments& arguments) const;
  void launch_stage(const LaunchArguments& arguments, int stage, WorkPart part, void* scratch,
                    CudaStream& stream);

 private:
  struct Compilation {
    Mutex mutex;  // held while compiling, so that one thread compiles and the others wait
    std::shared_ptr<const MachineCode> code;
  };
  // The device's function for each kernel of the text.
  using Functions = DeviceTable<std::atomic<CUfunction>>;
  using Counts = DeviceTable<std::atomic<int>>;

  std::shared_ptr<const MachineCode> machine_code(int kernel, int architecture);
  // The code of all kernels of a launch, at the same time where they must be compiled.
  void compile_together(const CudaLaunch& launch, const DeviceContext& context);
  CUfunction function(int kernel, const DeviceContext& context);
  CUfunction load(int kernel, const DeviceContext& context);
  const char* name(int kernel) const { return names_[static_cast<std::size_t>(kernel)]; }
  // One launch goes by itself for want of the kernel that joins it with others.
  void note_separate(int joined_kernel, const DeviceContext& context);
  void run(const CudaStage& stage, std::byte* arguments, CudaStream& stream);

  const CudaCode code_;
  const std::unique_ptr<const CudaFamily> family_;
  const CudaArguments layout_;
  std::vector<const char*> names_;  // of each kernel; these live for ever
  std::unique_ptr<Functions[]> functions_;
  std::unique_ptr<Counts[]> separate_;  // launches, for each kernel of joined ones
  Mutex mutex_;                         // of loading and of the map
  std::map<std::pair<int, int>, Compilation> compilations_;
};

// Kernels of joined launches that many launches have shown to be worth it: whether there are any,
// and loads them.
bool joined_kernels_are_wanted();
void load_joined_kernels() noexcept;

}  // namespace cupola::cuda
