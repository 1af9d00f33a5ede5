// Launches of kernels, and graphs of one kernel. Nothing runs; tests ask what would.
#include <algorithm>
#include <cstring>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "fake_cuda.h"

using namespace fake_cuda;

namespace {

struct Watch {
  std::mutex mutex;
  bool is_on = false;
  std::size_t argument_bytes = 0;
  std::vector<Launch> launches;
};
Watch& watch() {
  static Watch& instance = *new Watch;
  return instance;
}

// Without the device.
Launch launch_of(CUfunction function, unsigned int grid_x, unsigned int grid_y, void** parameters) {
  const std::lock_guard lock(watch().mutex);
  Launch launch{-1, function, grid_x, grid_y};
  if (watch().is_on) std::memcpy(launch.argument, parameters[0], watch().argument_bytes);
  return launch;
}
Launch launch_of(const CUDA_KERNEL_NODE_PARAMS& node) {
  Launch launch = launch_of(node.func, node.gridDimX, node.gridDimY, node.kernelParams);
  launch.is_graph = 1;
  return launch;
}

CUresult put(const char* name, Launch launch, CUstream stream) {
  const CUresult result = on_stream(name, stream, &launch.device);
  if (result == CUDA_SUCCESS &&
      captured(stream, [name, launch](CUstream on) { put(name, launch, on); })) {
    return result;
  }
  if (result == CUDA_SUCCESS) wait_for_values(stream);
  const std::lock_guard lock(watch().mutex);
  if (result == CUDA_SUCCESS && watch().is_on) watch().launches.push_back(launch);
  return result;
}

// One kernel, or what was captured.
struct Graph {
  Launch launch{};
  std::vector<std::function<void(CUstream)>> work;
  bool is_captured = false;
};
Graph& of_graph(void* handle) { return *static_cast<Graph*>(handle); }

}  // namespace

void fake_cuda_watch_launches(std::size_t argument_bytes) {
  const std::lock_guard lock(watch().mutex);
  watch().is_on = true;
  watch().argument_bytes = std::min(argument_bytes, sizeof(Launch::argument));
}
std::size_t fake_cuda_take_launches(Launch* launches, std::size_t most) {
  const std::lock_guard lock(watch().mutex);
  const std::size_t count = std::min(most, watch().launches.size());
  std::copy_n(watch().launches.begin(), count, launches);
  watch().launches.clear();
  return count;
}

CUgraph fake_cuda::make_graph(std::vector<std::function<void(CUstream)>> work) {
  return reinterpret_cast<CUgraph>(new Graph{{}, std::move(work), true});
}
const std::vector<std::function<void(CUstream)>>& fake_cuda::work_of(CUgraph graph) {
  return of_graph(graph).work;
}
CUresult cuGraphCreate(CUgraph* graph, unsigned int) {
  *graph = reinterpret_cast<CUgraph>(new Graph);
  return enter("cuGraphCreate");
}
CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode*, std::size_t,
                              const CUDA_KERNEL_NODE_PARAMS* parameters) {
  of_graph(graph).launch = launch_of(*parameters);
  *node = reinterpret_cast<CUgraphNode>(graph);
  return enter("cuGraphAddKernelNode");
}
CUresult cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, unsigned long long) {
  *exec = reinterpret_cast<CUgraphExec>(new Graph(of_graph(graph)));
  return enter_context("cuGraphInstantiate");
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode,
                                        const CUDA_KERNEL_NODE_PARAMS* parameters) {
  of_graph(exec).launch = launch_of(*parameters);
  return enter("cuGraphExecKernelNodeSetParams");
}
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  const Graph& graph = of_graph(exec);
  if (!graph.is_captured) return put("cuGraphLaunch", graph.launch, stream);
  const CUresult result = on_stream("cuGraphLaunch", stream);
  if (result != CUDA_SUCCESS) return result;
  if (is_captured(stream)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  for (const auto& work : graph.work) work(stream);
  return result;
}
CUresult cuGraphExecDestroy(CUgraphExec exec) {
  delete &of_graph(exec);
  return enter("cuGraphExecDestroy");
}
CUresult cuGraphDestroy(CUgraph graph) {
  delete &of_graph(graph);
  return enter("cuGraphDestroy");
}
CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int,
                        unsigned int, unsigned int, unsigned int, unsigned int, CUstream stream,
                        void** parameters, void**) {
  return put("cuLaunchKernel", launch_of(function, grid_x, grid_y, parameters), stream);
}
// A grid that does not fit the device at once is refused, which is what tells it from others.
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int, unsigned int, unsigned int,
                                   unsigned int, CUstream stream, void** parameters) {
  constexpr unsigned int kBlocksAtOnce = 264;
  if (std::size_t{grid_x} * grid_y * grid_z > kBlocksAtOnce) {
    return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  }
  return put("cuLaunchCooperativeKernel", launch_of(function, grid_x, grid_y, parameters), stream);
}
