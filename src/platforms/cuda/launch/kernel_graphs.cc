#include "platforms/cuda/launch/kernel_graphs.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/counters.h"
#include "base/process/loaded_library.h"
#include "base/threads/lazy.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/device/device_table.h"
#include "platforms/cuda/streams/cuda_stream.h"

namespace cupola::cuda {

namespace {

// To make a graph takes as long as so many launches by it save.
constexpr int kRepeats = 16;
constexpr int kMaxCredit = 64;
// Graphs of all streams of a device.
constexpr int kMaxOnDevice = 128;

std::atomic<int>& graphs_on(int device) {
  static constinit Lazy<DeviceTable<std::atomic<int>>> counts;
  return (*counts)[device];
}

bool takes_another(int device) {
  if (graphs_on(device).fetch_add(1) < kMaxOnDevice) return true;
  graphs_on(device).fetch_sub(1);
  return false;
}

// Nsight Compute's part of the process damages the heap where threads make and launch graphs.
bool is_under_nsight_compute() {
  static constinit Lazy<const bool> is_so;
  return is_so.get([] { return is_library_loaded("libcuda-injection.so"); });
}

std::size_t slot_of(CUfunction kernel, std::size_t slots) {
  const auto address = reinterpret_cast<std::uintptr_t>(kernel);
  return (address >> 4 ^ address >> 12) % slots;
}

CUDA_KERNEL_NODE_PARAMS node_of(CUfunction kernel, const CudaStage& stage, void** parameters) {
  CUDA_KERNEL_NODE_PARAMS node{};
  node.func = kernel;
  node.gridDimX = stage.grid_x;
  node.gridDimY = stage.grid_y;
  node.gridDimZ = stage.joined;
  node.blockDimX = stage.threads;
  node.blockDimY = 1;
  node.blockDimZ = 1;
  node.kernelParams = parameters;
  return node;
}

}  // namespace

std::optional<CUresult> KernelGraphs::launch(CUfunction kernel, const CudaStage& stage,
                                             void** parameters, CUstream stream, int device) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return std::nullopt;
  Slot& slot = slots_[slot_of(kernel, slots_.size())];
  if (slot.kernel != kernel) {
    if (slot.credit-- > 0) return std::nullopt;
    drop(slot, device);
    slot.kernel = kernel;
  }
  slot.credit = std::min(slot.credit + 1, kMaxCredit);
  if (slot.credit < kRepeats && !slot.exec) return std::nullopt;
  const CUDA_KERNEL_NODE_PARAMS node = node_of(kernel, stage, parameters);
  if (!slot.exec) {
    if (!make(slot, node, device)) return std::nullopt;
  } else if (cuda_api().cuGraphExecKernelNodeSetParams(slot.exec, slot.node, &node) !=
             CUDA_SUCCESS) {
    return std::nullopt;  // the launch says why
  }
  return cuda_api().cuGraphLaunch(slot.exec, stream);
}

bool KernelGraphs::make(Slot& slot, const CUDA_KERNEL_NODE_PARAMS& node, int device) noexcept {
  if (is_under_nsight_compute() || !takes_another(device)) {
    slot.credit = 0;
    return false;
  }
  // Where the driver has to take memory for the graph, it waits for all streams of the device.
  const std::optional<LoadTurn> turn = LoadTurn::without_wait(device);
  const CudaApi* const api = cuda_api_in_reach();
  const bool is_made =
      turn && api && api->cuGraphCreate(&slot.graph, 0) == CUDA_SUCCESS &&
      api->cuGraphAddKernelNode(&slot.node, slot.graph, nullptr, 0, &node) == CUDA_SUCCESS &&
      api->cuGraphInstantiate(&slot.exec, slot.graph, 0) == CUDA_SUCCESS;
  if (is_made) {
    count(Counter::kernel_graphs);
    return true;
  }
  graphs_on(device).fetch_sub(1);
  if (slot.graph) api->cuGraphDestroy(slot.graph);
  slot = {};
  return false;
}

void KernelGraphs::drop(Slot& slot, int device) noexcept {
  if (slot.exec) {
    if (const CudaApi* api = cuda_api_in_reach()) {
      api->cuGraphExecDestroy(slot.exec);
      api->cuGraphDestroy(slot.graph);
    }
    graphs_on(device).fetch_sub(1);
  }
  slot = {};
}

void KernelGraphs::release(int device) noexcept {
  const std::lock_guard lock(mutex_);
  for (Slot& slot : slots_) drop(slot, device);
}

}  // namespace cupola::cuda
