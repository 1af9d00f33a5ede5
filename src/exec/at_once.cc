// launch_at_once(): what `a + b` takes when nothing stands in its way.

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/call_site.h"
#include "core/ufunc.h"
#include "exec/deferral.h"
#include "exec/evaluator.h"
#include "exec/known_launch.h"
#include "exec/use_order.h"
#include "runtime/host_functions.h"

namespace cupola {

namespace {

constexpr std::size_t kMostInputs = 2;
// A CPU device computes so much on the calling thread.
constexpr std::int64_t kMostOnHost = 4096;  // elements
// Platforms block when more work than this waits in a stream.
constexpr std::uint64_t kMostQueued = 512;

// The operands' arrays, all as the shortest way takes them; none otherwise.
struct Inputs {
  std::array<const Array*, kMostInputs> arrays{};
  std::size_t count = 0;
};

bool is_plain(const Array& array) { return is_stored(array) && is_c_contiguous(array); }

bool have_common_bytes(const Array& a, const Array& b) {
  const auto* first = static_cast<const char*>(pointer_of(a));
  const auto* second = static_cast<const char*>(pointer_of(b));
  return first < second + b.nbytes() && second < first + a.nbytes();
}

std::optional<Inputs> plain_inputs(std::span<const Operand> operands) {
  Inputs inputs;
  for (const Operand& operand : operands) {
    if (!operand.is_array()) continue;
    const Array& array = operand.array();
    if (!is_plain(array)) return std::nullopt;
    if (inputs.count > 0) {
      const Array& first = *inputs.arrays[0];
      if (array.shape() != first.shape() || array.device() != first.device()) return std::nullopt;
      if (have_common_bytes(first, array)) return std::nullopt;
    }
    inputs.arrays[inputs.count++] = &array;
  }
  if (inputs.count == 0) return std::nullopt;
  return inputs;
}

// The loop, if it takes the arrays as they are, and the scalars whatever their values.
const UfuncLoop* fitting_loop(UfuncId ufunc, std::span<const Operand> operands) {
  std::array<OperandType, kMostInputs> types;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand& operand = operands[i];
    types[i] = operand.is_array()
                   ? OperandType{operand.array().dtype(), std::nullopt}
                   : OperandType{operand.scalar().dtype(), operand.scalar().weak_kind()};
  }
  const UfuncLoop& loop = resolve_ufunc(ufunc, std::span(types).first(operands.size()),
                                        std::nullopt, Casting::same_kind);
  if (ufunc == UfuncId::power && is_integer(loop.input(1))) return nullptr;  // looks at values
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const DType wanted = loop.input(static_cast<int>(i));
    if (operands[i].is_array() ? operands[i].array().dtype() != wanted : !is_inexact(wanted)) {
      return nullptr;
    }
  }
  return &loop;
}

// The storages' locks, as far as nobody has them, or had them at a fork (exec/storage_lock.h).
class TriedLocks {
 public:
  TriedLocks() = default;
  TriedLocks(const TriedLocks&) = delete;
  TriedLocks& operator=(const TriedLocks&) = delete;

  // False: somebody has one.
  bool lock(const Inputs& inputs) {
    for (std::size_t i = 0; i < inputs.count; ++i) {
      Storage* storage = inputs.arrays[i]->state().storage.get();
      if (i > 0 && storage == locked_[0]) continue;
      if (storage->mutex.is_abandoned() || !storage->mutex.try_lock()) return false;
      locked_[count_++] = storage;
    }
    return true;
  }
  ~TriedLocks() {
    for (std::size_t i = 0; i < count_; ++i) locked_[i]->mutex.unlock();
  }
  std::span<Storage* const> storages() const { return {locked_.data(), count_}; }

 private:
  std::array<Storage*, kMostInputs> locked_{};
  std::size_t count_ = 0;
};

bool is_ready(const StorageUse& write, StreamState& stream) {
  return !write.stream || stream.is_ordered_after(*write.stream, write.sequence);
}

bool may_launch(const std::shared_ptr<StreamState>& stream) {
  return stream->is_open() && !stream->is_foreign() && !host_functions_are_pending() &&
         !stream->driver().is_loading() && stream->has_room(kMostQueued);
}

}  // namespace

Array launch_at_once(UfuncId ufunc, std::span<const Operand> operands) {
  if (operands.size() > kMostInputs || ufunc_info(ufunc).output_count != 1) return {};
  const auto found = std::find_if(operands.begin(), operands.end(),
                                  [](const Operand& operand) { return operand.is_array(); });
  if (found == operands.end()) return {};
  const Array& first = found->array();
  const bool on_host = first.device().platform() == PlatformKind::cpu;
  if (!on_host && !is_eager()) return {};  // what waits may become part of a larger kernel
  const std::int64_t most = on_host ? kMostOnHost : std::numeric_limits<std::int32_t>::max();
  if (first.size() < 2 || first.size() > most) return {};
  const std::optional<Inputs> inputs = plain_inputs(operands);
  if (!inputs || call_sites_wanted()) return {};
  const UfuncLoop* loop = fitting_loop(ufunc, operands);
  const std::shared_ptr<StreamState>& stream = current_stream(first.device());
  if (!loop || !may_launch(stream)) return {};
  Array result = find_array(loop->output(0), first.shape(), first.device());
  if (!result.has_value()) return {};
  const std::shared_ptr<Kernel> kernel = known_kernel(ufunc, *loop, operands, result);
  TriedLocks locks;
  if (!kernel || !locks.lock(*inputs)) return {};
  for (const Storage* storage : locks.storages()) {
    if (!is_ready(storage->uses.write, *stream)) return {};
  }
  stream->driver().launch(kernel, flat_arguments(*loop, operands, result), stream->handle());
  const std::uint64_t sequence = stream->advance();
  for (Storage* storage : locks.storages()) note_read(storage->uses, stream, sequence);
  result.state().storage->uses.write = {stream, sequence};
  return result;
}

}  // namespace cupola
