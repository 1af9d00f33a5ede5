#pragma once
// What stands behind `cupola.Stream` and `cupola.cuda.Event`.

#include <optional>

#include "cupola/runtime.h"
#include "python/bindings.h"

namespace cupola::python {

struct [[gnu::visibility("hidden")]] PyStream {
  // The null stream and the thread's own one belong to no device: they are those of the current
  // device at each use.
  enum class Kind { one, null, thread };
  Kind kind = Kind::one;
  std::optional<Stream> one;

  // Where work is put: for the null stream, on the thread's own stream.
  Stream target() const { return kind == Kind::one ? *one : Stream::of_thread(current_device()); }
};

// Of another library.
struct [[gnu::visibility("hidden")]] PyExternalStream : PyStream{};

struct [[gnu::visibility("hidden")]] PyEvent {
  Event event;
};

// None: the current stream on `device`. A stream of ours, or an object of others with
// __cuda_stream__, which is kept while it is used. Throws TypeError for other objects, DeviceError
// for a stream of another device.
Stream stream_from(nb::handle object, const Device& device);

}  // namespace cupola::python
