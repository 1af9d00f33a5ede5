#include "graph/pending_work.h"

#include <algorithm>

#include "graph/readings.h"

namespace cupola {

namespace {

// Nothing waits longer: making so many steps takes half a millisecond.
constexpr std::int64_t kMaxSteps = kMaxNodesPerKernel;
// Nothing is joined across them, and evaluation is as many calls deep.
constexpr std::int64_t kMaxBorders = 24;
// One kernel for all has each of them once if it is stored on the way, and more than once if not;
// to find out which takes longer the more there are.
constexpr std::int64_t kMaxShared = 40;
// Of the host, to make a step; of host and device, for one more launch. They decide when something
// is computed and never what comes out, so that rough figures serve, and equal programs have equal
// kernels wherever they run.
constexpr double kSecondsOfStep = 1e-6;
constexpr double kSecondsOfLaunch = 8e-6;

bool is_step(NodeKind kind) { return kind != NodeKind::scalar && kind != NodeKind::view; }

}  // namespace

PendingWork find_pending_work(std::span<const Array> pending) {
  PointerMap<long> readings;
  PendingWork work;
  Worklist below;
  Visited counted;
  for (const Array& array : pending) below.add(array);
  while (const NodePointer node = below.next()) {
    if (is_step(node->kind)) ++work.steps;
    for (const Array& input : node->inputs) {
      const bool is_read = is_stored(input);
      if (!is_read) {
        if (++readings[&input.state()] == 2) ++work.shared;
        below.add(input);
      }
      const bool is_border = !is_elementwise(node->kind) && node->kind != NodeKind::view;
      if (!(is_read || is_border) || !counted.insert(&input.state())) continue;
      work.bytes += (is_read ? 1 : 2) * input.nbytes();
      if (!is_read) ++work.borders;
    }
  }
  for (const Array& array : pending) {
    const long* const read = readings.find(&array.state());
    const bool is_live = array.handle().use_count() - 1 > (read ? *read : 0);
    if (is_live && !is_stored(array)) work.live_bytes += array.nbytes();
  }
  work.bytes += work.live_bytes;
  return work;
}

std::vector<Array> find_live(std::span<const Array> pending) {
  Readings readings(pending);
  std::vector<Array> held;
  for (const Array& array : pending) {
    if (!is_stored(array) && readings.is_live(array, 1)) held.push_back(array);
  }
  return held;
}

bool is_worth_a_cut(const PendingWork& work, double rate) {
  if (work.steps >= kMaxSteps || work.borders >= kMaxBorders || work.shared >= kMaxShared) {
    return true;
  }
  const double working = static_cast<double>(work.bytes) / rate;
  const double gained = std::min(static_cast<double>(work.steps) * kSecondsOfStep, working);
  return gained > kSecondsOfLaunch + 2 * static_cast<double>(work.live_bytes) / rate;
}

}  // namespace cupola
