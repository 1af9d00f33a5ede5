#include "exec/lending/lending.h"

#include <vector>

#include "base/mutant.h"
#include "exec/evaluation/evaluator.h"
#include "exec/launch/storage_lock.h"
#include "exec/launch/use_order.h"
#include "exec/transfers/late_checks.h"

namespace cupola {

namespace {

std::vector<StorageUse> uses_of(const Array& array) {
  Storage& storage = *evaluate(array).state().storage;
  std::vector<StorageUse> uses;
  const StorageLock lock = lock_at_home_for_good(storage);
  storage.uses.for_each([&](const auto& stream, std::uint64_t sequence) {
    uses.push_back({stream, sequence});
  });
  return uses;
}

}  // namespace

void order_after_uses(const Array& array, StreamState& consumer) {
  if (CUPOLA_MUTANT(lend_at_once)) return;
  for (const StorageUse& use : uses_of(array)) consumer.wait_for(*use.stream, use.sequence);
}

void finish_uses(const Array& array) {
  for (const StorageUse& use : uses_of(array)) {
    if (!use.stream->is_known_complete(use.sequence)) use.stream->synchronize();
  }
  throw_late_errors(array);
}

void note_ready(const Array& array, const std::shared_ptr<StreamState>& stream) {
  if (CUPOLA_MUTANT(forget_producers)) return;
  const std::uint64_t sequence = stream->advance();
  Storage& storage = *array.state().storage;
  const StorageLock lock(storage);
  storage.uses.write = {stream, sequence};
}

void note_lent(const Array& array) {
  Storage& storage = *evaluate(array).state().storage;
  const StorageLock lock = lock_at_home_for_good(storage);
  storage.is_lent = true;
}

void note_return(const Array& array, const std::shared_ptr<StreamState>& consumer) noexcept {
  if (CUPOLA_MUTANT(forget_consumers)) return;
  try {
    if (!consumer->is_native_alive()) return;
    const std::uint64_t sequence = consumer->advance();
    Storage& storage = *array.state().storage;
    const StorageLock lock(storage);
    note_read(storage.uses, consumer, sequence);
  } catch (...) {
    // The device failed: nothing runs there any more.
  }
}

}  // namespace cupola
