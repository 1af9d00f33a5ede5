#include "exec/host/host_element.h"

#include <array>
#include <cstring>
#include <mutex>

#include "base/threads/recycling.h"
#include "driver/registry.h"
#include "exec/host/host_access.h"
#include "graph/node.h"

namespace cupola {

std::optional<Scalar> read_host_element(const Array& array) {
  HostAccess access;
  if (is_work_watched() || !access.may_read(array)) return std::nullopt;
  return Scalar::from_bytes(array.dtype(), pointer_of(array));
}

bool write_host_element(const Array& array, std::int64_t offset, const Scalar& value) {
  HostAccess access;
  if (is_work_watched() || !access.may_write(array)) return false;
  const auto bytes = static_cast<std::size_t>(array.item_size());
  char* const first = static_cast<char*>(pointer_of(array));
  std::memcpy(first + offset * array.item_size(), value.data(), bytes);
  return true;
}

std::optional<Scalar> known_element(const Array& array) {
  if (is_stored(array)) return read_host_element(array);
  if (is_work_watched()) return std::nullopt;
  const NodePointer node = node_of(array);
  if (!node || node->kind != NodeKind::scalar) return std::nullopt;
  return node->value;
}

bool set_known_element(const Array& array, const Scalar& value) {
  if (is_stored(array)) return write_host_element(array, 0, value);
  if (is_work_watched()) return false;
  ArrayState& state = array.state();
  const std::unique_lock claim(state.mutex, std::try_to_lock);
  const NodePointer node = claim.owns_lock() ? node_of(array) : nullptr;
  if (!node || node->kind != NodeKind::scalar) return false;
  auto next = make_recycled<const Node>(value);
  const std::lock_guard lock(state.computation_mutex);
  if (state.pending_readers > 0) return false;
  state.computation = std::move(next);
  return true;
}

bool update_known_element(const Array& array, UfuncId ufunc, const UfuncLoop& loop,
                          const Scalar& other) {
  if (!is_stored(array)) {
    const std::optional<Scalar> own = known_element(array);
    if (!own) return false;
    const auto result = compute_host_element(array.device(), ufunc, loop, std::array{*own, other});
    return result && set_known_element(array, *result);
  }
  HostAccess access;
  if (is_work_watched() || !access.may_read(array) || !access.may_write(array)) return false;
  const HostLoop run = driver(array.device()).host_loop(ufunc, loop.types.data(), {});
  if (run == nullptr) return false;
  void* const element = pointer_of(array);
  const std::array<const void*, 3> inputs{element, other.data()};
  run(inputs.data(), element, 1);
  return true;
}

std::optional<Scalar> compute_host_element(const Device& device, UfuncId ufunc,
                                           const UfuncLoop& loop, std::span<const Scalar> inputs) {
  std::array<const void*, 3> elements{};
  for (std::size_t i = 0; i < inputs.size(); ++i) elements[i] = inputs[i].data();
  alignas(16) std::array<unsigned char, 16> result{};
  const HostLoop run = driver(device).host_loop(ufunc, loop.types.data(), {});
  if (run == nullptr) return std::nullopt;
  run(elements.data(), result.data(), 1);
  return Scalar::from_bytes(loop.output(0), result.data());
}

}  // namespace cupola
