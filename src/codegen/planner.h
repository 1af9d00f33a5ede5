#pragma once
// From what shall be computed to a plan and its arguments. Pure: reads addresses, never memory.
// Throws StaleSnapshot where a plan would have other steps than a kernel of its kind.

#include <span>
#include <vector>

#include "codegen/plan.h"
#include "graph/fusion.h"
#include "graph/node.h"

namespace cupola {

// A write into existing memory.
struct Write {
  // Broadcast to the target's shape (or to that of offset or predicate); cast to its dtype. count:
  // bool; expand: stored, one dimension, an element for each one that has the predicate.
  Array value;
  Array target;  // stored
  StoreKind store = StoreKind::plain;
  // scatter, combine, tally: int64, element offsets from target's first element; compress, expand:
  // int64, stored without gaps, the running counts of the predicate's tiles; partition: uint8,
  // bins; sort: keys.
  Array offset{};
  Array predicate{};  // bool; scatter, combine, tally: optional
  UfuncId combine{};
  int bins = 256;  // partition: each is less; tally of float64: 2^bins elements have own places

  // Values, offsets and predicates: what is lowered.
  std::vector<Array> sources() const;
  // The iteration space.
  const Dims& space() const;
};

struct PlannedLaunch {
  KernelPlan plan;
  LaunchArguments arguments;
  std::vector<Array> reads;
  std::vector<Array> writes;
};

// Writes over one iteration space as one kernel. What they
// read and no kernel computes on its way has been materialized.
PlannedLaunch plan_map(std::span<const Write> writes, const Snapshot& snapshot = Snapshot::now());
// A pending reduction or scan, into `target` (stored, of the node's shape). Its elementwise input
// must have been materialized (no row-major numbering: the dimensions are reordered). With a
// `result`, elementwise of the reduction and scalars, that is stored instead.
PlannedLaunch plan_reduction(const Array& pending, const Array& target, const Array& result = {},
                             const Snapshot& snapshot = Snapshot::now());

// Plain writes of what a RowGroup's kernel computes: values of the space, or one for each row. What
// is below must have been materialized.
PlannedLaunch plan_rows(std::span<const Write> writes, const RowSpace& rows,
                        const Snapshot& snapshot = Snapshot::now());

}  // namespace cupola
