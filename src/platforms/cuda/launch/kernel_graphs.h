#pragma once
// Kernels that a stream launches again and again go there as graphs of one node: the driver takes
// half the time that it takes for a launch. Such a graph keeps some 100 KiB of device memory and
// runs one launch at a time, so each stream has its own, few at a time.

#include <cuda.h>

#include <array>
#include <optional>

#include "base/threads/mutex.h"
#include "codegen/cuda/cuda_launch.h"

namespace cupola::cuda {

class KernelGraphs {
 public:
  // Puts a launch into `stream`, always the same one, of GPU number `device`, whose context is
  // current. Nothing, and nothing done: the kernel is to be launched as kernels are.
  std::optional<CUresult> launch(CUfunction kernel, const CudaStage& stage, void** parameters,
                                 CUstream stream, int device);
  // Gives the graphs back; what is in flight ends as it would.
  void release(int device) noexcept;

 private:
  struct Slot {
    CUfunction kernel = nullptr;
    int credit = 0;  // what others of the same slot must outlast
    CUgraph graph = nullptr;
    CUgraphNode node = nullptr;
    CUgraphExec exec = nullptr;
  };
  void drop(Slot& slot, int device) noexcept;
  bool make(Slot& slot, const CUDA_KERNEL_NODE_PARAMS& node, int device) noexcept;

  Mutex mutex_;
  std::array<Slot, 32> slots_;
};

}  // namespace cupola::cuda
