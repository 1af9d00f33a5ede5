#include "graph/pending_work.h"

#include <algorithm>

#include "graph/readings.h"

namespace cupola {

namespace {

// A step of a kernel of its own.
constexpr std::int64_t kNodesOfKernel = 8;
// Nothing waits longer: making so many steps takes half a millisecond.
constexpr std::int64_t kMostPending = kMaxNodesPerKernel;
// Of the host, to make a step; of host and device, for one more launch. They decide when something
// is computed and never what comes out, so that rough figures serve, and equal programs have equal
// kernels wherever they run.
constexpr double kSecondsOfNode = 1e-6;
constexpr double kSecondsOfLaunch = 8e-6;
constexpr double kBytesPerSecond = 2e12;
constexpr double kBytesPerSecondOnHost = 1e10;

std::int64_t nodes_of(NodeKind kind) {
  if (kind == NodeKind::scalar || kind == NodeKind::view) return 0;
  return is_elementwise(kind) ? 1 : kNodesOfKernel;
}

}  // namespace

PendingWork find_pending_work(std::span<const Array> pending) {
  Readings readings(pending);
  PendingWork work;
  Worklist below;
  Visited counted;
  for (const Array& array : pending) {
    below.add(array);
    if (!is_stored(array) && readings.is_held(array, 1)) work.held_bytes += array.nbytes();
  }
  while (const NodePointer node = below.next()) {
    work.nodes += nodes_of(node->kind);
    for (const Array& input : node->inputs) {
      const bool is_read = is_stored(input);
      if (!is_read) below.add(input);
      const bool is_between_kernels = !is_elementwise(node->kind) && node->kind != NodeKind::view;
      if (!(is_read || is_between_kernels) || !counted.insert(&input.state())) continue;
      work.bytes += (is_read ? 1 : 2) * input.nbytes();
    }
  }
  work.bytes += work.held_bytes;
  return work;
}

std::vector<Array> find_held(std::span<const Array> pending) {
  Readings readings(pending);
  std::vector<Array> held;
  for (const Array& array : pending) {
    if (!is_stored(array) && readings.is_held(array, 1)) held.push_back(array);
  }
  return held;
}

bool is_worth_a_cut(const PendingWork& work, PlatformKind platform) {
  if (work.nodes >= kMostPending) return true;
  const double rate = platform == PlatformKind::cpu ? kBytesPerSecondOnHost : kBytesPerSecond;
  const double working = static_cast<double>(work.bytes) / rate;
  const double gained = std::min(static_cast<double>(work.nodes) * kSecondsOfNode, working);
  return gained > kSecondsOfLaunch + 2 * static_cast<double>(work.held_bytes) / rate;
}

}  // namespace cupola
