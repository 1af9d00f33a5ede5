#include "exec/evaluation/allocation.h"

#include <algorithm>
#include <optional>

#include "cupola/error.h"
#include "exec/evaluation/deferral.h"
#include "graph/result_layout.h"
#include "memory/buffer.h"
#include "memory/placed.h"
#include "runtime/stream.h"

namespace cupola {

namespace {

[[noreturn]] void rethrow_for(DType dtype, const Dims& shape, const OutOfMemoryError& error) {
  throw OutOfMemoryError(std::string(error.what()) + "\nfor an array of shape " + to_string(shape) +
                         " and dtype " + std::string(name_of(dtype)));
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
  } catch (const OutOfMemoryError& error) {
    if (!compute_to_free(device)) rethrow_for(dtype, shape, error);
  }
  try {
    if (!storage) storage = allocate();
  } catch (const OutOfMemoryError& error) {
    rethrow_for(dtype, shape, error);
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

}  // namespace cupola
