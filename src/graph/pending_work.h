#pragma once
// What it costs to leave arrays pending, and what it costs to compute them now.

#include <cstdint>
#include <span>
#include <vector>

#include "cupola/device.h"
#include "graph/node.h"

namespace cupola {

// What is pending below some arrays.
struct PendingWork {
  std::int64_t steps = 0;  // of kernels
  // Pending arrays that are stored before what is made of them is computed: sources of rolls, and
  // what is reduced, scanned and the like.
  std::int64_t borders = 0;
  std::int64_t shared = 0;  // pending arrays that several steps read
  // What is read and written if all of it is computed now.
  std::int64_t bytes = 0;
  // The part of it that somebody has, besides the arrays below: what later steps may have to read
  // again.
  std::int64_t live_bytes = 0;
};
// Each of the pending arrays is owned by the span once, as well as by those who have it.
PendingWork find_pending_work(std::span<const Array> pending);
// Those of the pending arrays that somebody has besides the arrays below, and the span.
std::vector<Array> find_live(std::span<const Array> pending);

// Whether to compute it now. Later steps are made on the host meanwhile, so that the device would
// have worked for as long as they took to make, or for as long as the work takes, whichever is
// less; but what is cut off from later steps is written and read once more, at `rate` bytes per
// second, and launched by itself.
bool is_worth_a_cut(const PendingWork& work, double rate);

}  // namespace cupola
