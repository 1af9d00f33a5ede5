// How values and addresses leave the library.

#include "cupola/runtime.h"
#include "exec/evaluator.h"
#include "runtime/stream.h"

namespace cupola {

void wait(const Array& array) {
  evaluate(array);
  std::shared_ptr<StreamState> writer;
  {
    Storage& storage = *array.state().storage;
    const std::lock_guard lock(storage.mutex);
    writer = storage.uses.write.stream;
  }
  if (writer) writer->driver().synchronize(writer->handle());
}

void* data_pointer(const Array& array) { return pointer_of(evaluate(array)); }

Dims strides(const Array& array) { return strides_of(evaluate(array)); }

}  // namespace cupola
