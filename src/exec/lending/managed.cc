#include "exec/lending/managed.h"

#include <fmt/format.h>

#include "core/layout.h"
#include "cupola/error.h"
#include "cupola/runtime.h"
#include "exec/evaluation/evaluator.h"
#include "exec/launch/use_order.h"

namespace cupola {

namespace {

struct Range {
  void* data;
  std::size_t bytes;
};

Range range_of(const Array& array) {
  const Extent extent = touched_extent(array.shape(), array.state().layout);
  const std::int64_t item = array.item_size();
  char* base = static_cast<char*>(array.state().storage->data());
  return {base + extent.first * item,
          static_cast<std::size_t>((extent.last - extent.first + 1) * item)};
}

int location_of(const Array& array, const std::optional<Device>& target) {
  if (!target) return kHostLocation;
  check_device(*target);
  if (target->platform() != array.device().platform()) {
    throw ValueError(fmt::format("the array is on {}, which is of another platform than {}",
                                 array.device().to_string(), target->to_string()));
  }
  return target->index();
}

}  // namespace

void prefetch(const Array& array, const std::optional<Device>& target) {
  evaluate(array);
  const int location = location_of(array, target);
  if (array.size() == 0) return;
  const std::shared_ptr<StreamState>& stream = current_stream(array.device());
  const Range range = range_of(array);
  OrderedUse use(stream, {&array, 1}, {});
  stream->driver().prefetch(range.data, range.bytes, location, stream->handle());
  use.record();
}

void advise(const Array& array, MemoryAdvice advice, const std::optional<Device>& target) {
  evaluate(array);
  const int location = location_of(array, target);
  if (array.size() == 0) return;
  const Range range = range_of(array);
  current_stream(array.device())->driver().advise(range.data, range.bytes, advice, location);
}

}  // namespace cupola
