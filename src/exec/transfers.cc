#include "exec/transfers.h"

#include "exec/use_order.h"

namespace cupola {

void copy_bytes_from_host(const Array& target, const void* source) {
  if (target.nbytes() == 0) return;
  const std::shared_ptr<StreamState>& stream = current_stream(target.device());
  OrderedUse use(stream, {}, {&target, 1});
  stream->driver().copy_from_host(pointer_of(target), source,
                                  static_cast<std::size_t>(target.nbytes()), stream->handle());
  use.record();
}

void copy_bytes_to_host(void* target, const Array& source) {
  if (source.nbytes() == 0) return;
  const std::shared_ptr<StreamState>& stream = current_stream(source.device());
  OrderedUse use(stream, {&source, 1}, {});
  stream->driver().copy_to_host(target, pointer_of(source),
                                static_cast<std::size_t>(source.nbytes()), stream->handle());
  use.record();
}

void copy_bytes_between_devices(const Array& target, const Array& source) {
  if (source.nbytes() == 0) return;
  const std::shared_ptr<StreamState>& stream = current_stream(target.device());
  OrderedUse use(stream, {&source, 1}, {&target, 1});
  stream->driver().copy(pointer_of(target), target.device().index(), pointer_of(source),
                        source.device().index(), static_cast<std::size_t>(source.nbytes()),
                        stream->handle());
  use.record();
}

}  // namespace cupola
