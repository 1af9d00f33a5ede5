#include "exec/allocation.h"

#include <algorithm>
#include <optional>

#include "cupola/error.h"
#include "exec/deferral.h"
#include "graph/fusion.h"
#include "memory/buffer.h"
#include "memory/placed.h"
#include "runtime/stream.h"

namespace cupola {

namespace {

std::size_t byte_count(DType dtype, const Dims& shape) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(element_count(shape), item_size(dtype), &bytes)) {
    throw ValueError("array is too big: " + to_string(shape) + " of " +
                     std::string(name_of(dtype)));
  }
  return static_cast<std::size_t>(bytes);
}

// Whether `axis` should lie inside `inner`, which is inside it in C order: its strides are the
// smaller ones. Nothing where no operand moves along both. C order wins between operands.
std::optional<bool> belongs_inside(std::span<const Dims> strides, std::size_t axis,
                                   std::size_t inner) {
  std::optional<bool> result;
  for (const Dims& operand : strides) {
    if (operand[axis] == 0 || operand[inner] == 0) continue;
    const bool smaller = std::abs(operand[axis]) < std::abs(operand[inner]);
    result = result.value_or(true) && smaller;
  }
  return result;
}

// Axes from the outermost to the innermost, as NumPy's iterator sorts them: an axis moves past
// those that no operand can compare it with.
std::vector<std::size_t> memory_order(std::span<const Dims> strides, std::size_t rank) {
  std::vector<std::size_t> inner_first;
  for (std::size_t axis = rank; axis-- > 0;) {
    std::size_t position = inner_first.size();
    for (std::size_t i = position; i-- > 0;) {
      const std::optional<bool> inside = belongs_inside(strides, axis, inner_first[i]);
      if (inside == false) break;
      if (inside) position = i;
    }
    inner_first.insert(inner_first.begin() + static_cast<std::ptrdiff_t>(position), axis);
  }
  std::reverse(inner_first.begin(), inner_first.end());
  return inner_first;
}

ResourcePointer resource_for(const Device& device, std::size_t bytes,
                             std::span<const Array> operands) {
  if (!device.is_set()) return nullptr;
  std::vector<const Storage*> storages;
  for (const Array& operand : operands) {
    if (is_stored(operand)) storages.push_back(operand.state().storage.get());
  }
  return resource_likewise(device, bytes, storages);
}

}  // namespace

void check_size(DType dtype, const Dims& shape) { byte_count(dtype, shape); }

Array allocate_placed(DType dtype, const Dims& shape, const Device& device, Layout layout,
                      std::span<const Array> operands) {
  const std::size_t bytes = byte_count(dtype, Dims{touched_extent(shape, layout).last + 1});
  const ResourcePointer likewise = resource_for(device, bytes, operands);
  const auto allocate = [&] {
    const StreamPointer& stream = current_stream(device);
    return likewise ? allocate_storage_from(likewise, device, bytes, stream)
                    : allocate_storage(device, bytes, stream);
  };
  std::shared_ptr<Storage> storage;
  try {
    storage = allocate();
  } catch (const OutOfMemoryError&) {
    if (!compute_to_free(device)) throw;
    storage = allocate();
  }
  return make_stored(dtype, shape, std::move(storage), std::move(layout));
}

Array allocate_strided(DType dtype, const Dims& shape, const Device& device, Dims strides,
                       std::span<const Array> operands) {
  return allocate_placed(dtype, shape, device, {std::move(strides), 0}, operands);
}

Array allocate_beside(DType dtype, const Dims& shape, const Array& operand) {
  const Device& device = operand.device();
  if (!device.is_set()) return allocate_array(dtype, shape, device);
  return allocate_strided(dtype, shape, device, c_strides(shape), {&operand, 1});
}

Array allocate_array(DType dtype, const Dims& shape, const Device& device, char order) {
  if (Array found = find_array(dtype, shape, device, order); found.has_value()) return found;
  return allocate_strided(dtype, shape, device, order == 'F' ? f_strides(shape) : c_strides(shape));
}

Array find_array(DType dtype, const Dims& shape, const Device& device, char order) {
  auto storage = find_storage(device, byte_count(dtype, shape));
  if (!storage) return {};
  return make_stored(dtype, shape, std::move(storage),
                     {order == 'F' ? f_strides(shape) : c_strides(shape), 0});
}

Array allocate_like(DType dtype, const Dims& shape, const Device& device,
                    std::span<const Array> operands) {
  check_size(dtype, shape);
  return allocate_strided(dtype, shape, device, like_strides(shape, operands), operands);
}

Layout layout_for(const Array& pending) {
  if (is_laid_out(pending)) return pending.state().layout;
  check_size(pending.dtype(), pending.shape());
  return {like_strides(pending.shape(), find_leaves(pending).walked), 0};
}

Dims like_strides(const Dims& shape, std::span<const Array> operands) {
  const bool all_c = std::all_of(operands.begin(), operands.end(), [&](const Array& operand) {
    return operand.rank() == 0 || (operand.shape() == shape && is_c_contiguous(operand));
  });
  if (all_c || element_count(shape) == 0) return c_strides(shape);
  std::vector<Dims> operand_strides;
  for (const Array& operand : operands) {
    if (operand.rank() == 0) continue;
    operand_strides.push_back(broadcast_strides(operand.shape(), strides_of(operand), shape));
  }
  const std::vector<std::size_t> order = memory_order(operand_strides, shape.size());
  Dims strides(shape.size(), 0);
  std::int64_t step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= shape[order[i]];
  }
  return strides;
}

}  // namespace cupola
