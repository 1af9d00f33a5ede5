#include "cupola/sharing.h"

#include <limits>

#include <fmt/format.h>

#include "core/array_state.h"
#include "cupola/error.h"
#include "cupola/runtime.h"
#include "exec/evaluation/evaluator.h"
#include "exec/launch/storage_lock.h"
#include "exec/lending/access.h"
#include "memory/shared.h"
#include "runtime/stream.h"

namespace cupola {

namespace {

void wait_for_all_uses(Storage& storage) {
  UseRecord uses;
  {
    const StorageLock lock(storage);
    uses = storage.uses;
  }
  uses.for_each([](const std::shared_ptr<StreamState>& stream, std::uint64_t sequence) {
    if (!stream->is_known_complete(sequence)) stream->synchronize();
  });
}

void check_place(const SharedPlace& place, DType dtype, const Dims& shape) {
  const auto items = static_cast<std::int64_t>(place.block_bytes / item_size(dtype));
  const bool ranks_agree = place.strides.size() == shape.size();
  if (ranks_agree && element_count(shape) > 0) {
    const Extent extent = touched_extent(shape, {place.strides, place.offset});
    if (extent.first >= 0 && extent.last < items) return;
  }
  throw ValueError(fmt::format(
      "elements of shape {} and strides {} from element {} on do not lie in a block of {} bytes",
      to_string(shape), to_string(place.strides), place.offset, place.block_bytes));
}

}  // namespace

bool is_shared(const Array& array) {
  return array.size() == 0 || shared_block_of(*evaluate(array).state().storage);
}

Array empty_shared(DType dtype, const Dims& shape, const Device& device, char order) {
  check_device(device);
  if (element_count(shape) == 0) return allocate_array(dtype, shape, device, order);
  const auto item = static_cast<std::int64_t>(item_size(dtype));
  const std::int64_t count = element_count(shape);
  if (count < 0 || count > std::numeric_limits<std::int64_t>::max() / item) {
    return allocate_array(dtype, shape, device, order);  // says what is wrong
  }
  SharedSlice slice = allocate_shared(device, static_cast<std::size_t>(count * item));
  Layout layout{order == 'F' ? f_strides(shape) : c_strides(shape),
                static_cast<std::int64_t>(slice.offset) / item};
  return make_stored(dtype, shape, std::move(slice.storage), std::move(layout));
}

Array share(const Array& array) {
  if (is_shared(array)) return array;
  const bool is_f = !is_c_contiguous(array) && is_f_contiguous(array);
  const Array target = empty_shared(array.dtype(), array.shape(), array.device(), is_f ? 'F' : 'C');
  write(array, target);
  return target;
}

SharedPlace shared_place(const Array& array) {
  expose(array);
  const auto block = shared_block_of(*array.state().storage);
  if (!block || array.size() == 0) {
    throw ValueError("the array is not in memory that processes share; share() copies it there");
  }
  wait_for_all_uses(*array.state().storage);
  const Layout& layout = array.state().layout;
  return {block->identity, block->bytes, block->descriptor, layout.offset, layout.strides};
}

Array attach_shared(const SharedPlace& place, DType dtype, const Dims& shape, const Device& device,
                    bool writable) {
  check_device(device);
  check_place(place, dtype, shape);
  auto storage = attach_shared_block(device, {place.block, place.block_bytes, place.descriptor});
  return make_stored(dtype, shape, std::move(storage), {place.strides, place.offset}, writable);
}

}  // namespace cupola
