// How values and addresses leave the library.

#include "cupola/runtime.h"
#include "exec/evaluator.h"
#include "exec/storage_lock.h"
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
}

void* data_pointer(const Array& array) {
  evaluate(array);
  Storage& storage = *array.state().storage;
  const StorageLock lock(storage);
  storage.uses.mirror = nullptr;  // who has the address may write there
  return pointer_of(array);
}

Dims strides(const Array& array) { return strides_of(evaluate(array)); }

}  // namespace cupola
