#include <algorithm>

#include "core/array_state.h"
#include "core/placement.h"
#include "cupola/error.h"
#include "cupola/ops/elementwise.h"
#include "cupola/runtime.h"
#include "cupola/striping.h"
#include "cupola/transfer.h"
#include "driver/registry.h"
#include "driver/set/set_driver.h"
#include "exec/evaluation/evaluator.h"
#include "exec/launch/storage_lock.h"
#include "exec/transfers/transfers.h"
#include "memory/buffer.h"
#include "memory/placed.h"

namespace cupola {

namespace {

// How many rows begin below `offset` bytes behind the lowest address.
std::int64_t rows_below(const Array& array, std::int64_t offset, std::int64_t whole) {
  const std::int64_t rows = array.rank() == 0 ? 1 : array.shape()[0];
  const std::int64_t stride =
      array.rank() == 0 ? 0 : strides_of(array)[0] * static_cast<std::int64_t>(array.item_size());
  if (offset >= whole) return rows;
  if (stride <= 0) return offset > 0 ? rows : 0;
  return std::clamp<std::int64_t>((offset + stride - 1) / stride, 0, rows);
}

PlannedPlacement planned(const Placement& placement, std::size_t granularity) {
  return {placement.bytes, placement.wished, placement.deviation, granularity};
}

// Cuts along the first axis as bytes.
PlacementRule in_bytes(const Array& array, PlacementRule rule) {
  const std::int64_t rows = array.rank() == 0 ? 1 : array.shape()[0];
  for (std::size_t& cut : rule.cuts) {
    if (cut > static_cast<std::size_t>(rows)) {
      throw ValueError("cut points lie between 0 and the " + std::to_string(rows) +
                       " rows of the array, got " + std::to_string(cut));
    }
    cut *= static_cast<std::size_t>(array.nbytes() / std::max<std::int64_t>(rows, 1));
  }
  return rule;
}

}  // namespace

std::vector<PlacedPart> placement_of(const Array& array) {
  evaluate(array);
  const Extent extent = touched_extent(array.shape(), array.state().layout);
  const auto item = static_cast<std::int64_t>(array.item_size());
  const std::int64_t rows = array.rank() == 0 ? 1 : array.shape()[0];
  if (array.size() == 0) return {{array.device().member(0), 0, 0, 0, rows}};
  const std::int64_t bytes = (extent.last + 1 - extent.first) * item;
  const char* lowest =
      static_cast<const char*>(array.state().storage->data()) + extent.first * item;
  const StorageLock lock = lock_at_home(*array.state().storage);
  // An array of one device may have memory of several, too.
  const PlatformKind platform = array.device().platform();
  std::vector<PlacedPart> parts;
  std::int64_t first = 0, row = 0;
  for (const Piece& piece : set_driver(platform).pieces(lowest, static_cast<std::size_t>(bytes))) {
    const std::int64_t end = first + static_cast<std::int64_t>(piece.bytes);
    const std::int64_t end_row = rows_below(array, end, bytes);
    parts.push_back({Device(platform, piece.device), first, end, row, end_row});
    first = end;
    row = end_row;
  }
  if (parts.empty()) parts.push_back({array.device().member(0), 0, bytes, 0, rows});
  return parts;
}

Array place(const Array& array, const Device& set, const PlacementRule& rule) {
  check_device(set);
  if (!set.is_set()) {
    const std::size_t given = rule.kind == PlacementRule::Kind::weights ? rule.weights.size()
                              : rule.kind == PlacementRule::Kind::cuts  ? rule.cuts.size() + 1
                                                                        : 1;
    if (given != 1)
      throw ValueError(set.to_string() + " is one device: there is nothing to divide");
    return to_device(array, set);
  }
  if (!set.contains(array.device()) && array.device().platform() != set.platform()) {
    return place(to_device(array, set), set, rule);
  }
  evaluate(array);
  const bool is_f = !is_c_contiguous(array) && is_f_contiguous(array);
  const Array dense = is_f || is_c_contiguous(array) ? array : copy(array, 'C');
  if (dense.size() == 0) return to_device(dense, set);
  const StreamPointer stream = current_stream(set);
  const auto bytes = static_cast<std::size_t>(dense.nbytes());
  const ResourcePointer resource = placed_resource(set, in_bytes(dense, rule), bytes);
  void* const data = resource->allocate(bytes, stream);
  const Array target =
      make_stored(dense.dtype(), dense.shape(), adopt_storage(set, data, bytes, resource, stream),
                  Layout{is_f ? f_strides(dense.shape()) : c_strides(dense.shape()), 0});
  copy_bytes_between_devices(target, dense);
  return target;
}

PlannedPlacement plan_placement(std::size_t bytes, const Device& set, const PlacementRule& rule) {
  check_device(set);
  if (!set.is_set()) {
    Driver& only = driver(set);
    const std::size_t granularity = only.stripe_granularity(set.index());
    const std::vector<std::size_t> free{only.memory_info(set.index()).free};
    const std::vector<std::string> names{set.to_string()};
    return planned(place(PlacementRequest{bytes, granularity, free, rule}, names), granularity);
  }
  SetDriver& sets = set_driver(set.platform());
  return planned(sets.plan(set.index(), bytes, rule), sets.stripe_granularity(set.index()));
}

PlannedPlacement plan_placement(std::size_t bytes, const std::vector<std::size_t>& free,
                                std::size_t granularity, const PlacementRule& rule) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < free.size(); ++i) names.push_back("device " + std::to_string(i));
  return planned(place(PlacementRequest{bytes, granularity, free, rule}, names), granularity);
}

}  // namespace cupola
