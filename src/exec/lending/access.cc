// How values and addresses leave the library.

#include "exec/lending/access.h"
#include "cupola/runtime.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "exec/launch/storage_lock.h"
#include "exec/transfers/late_checks.h"
#include "memory/pressure/spill.h"
#include "runtime/stream.h"

namespace cupola {

void wait(const Array& array) {
  evaluate(array);
  StorageUse write;
  {
    Storage& storage = *array.state().storage;
    const StorageLock lock(storage);
    write = storage.uses.write;
  }
  if (write.stream && !write.stream->is_known_complete(write.sequence)) write.stream->synchronize();
  throw_late_errors(array);
}

// Who has the address may write there.
void expose(const Array& array) {
  evaluate(array);
  Storage& storage = *array.state().storage;
  storage.is_exposed = true;  // from now on nothing waits that reads it
  compute_readers(array);
  const StorageLock lock = lock_at_home_for_good(storage);
  storage.uses.forget_values();
}

bool is_spilled(const Array& array) {
  Storage& storage = *evaluate(array).state().storage;
  const StorageLock lock(storage);
  return is_away(storage);
}

void* data_pointer(const Array& array) {
  expose(array);
  return pointer_of(array);
}

Dims strides(const Array& array) {
  return is_laid_out(array) ? strides_of(array) : strides_of(evaluate(array));
}

}  // namespace cupola
