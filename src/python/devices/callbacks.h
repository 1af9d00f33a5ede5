#pragma once
// Python functions in the order of a stream.

#include "cupola/runtime.h"
#include "python/bindings.h"

namespace cupola::python {

// Calls callback(*arguments) once all work so far on the stream is done. What it raises goes to
// sys.unraisablehook. At the interpreter's end, what has begun is waited for, and no other begins.
void launch_callback(const Stream& stream, nb::object callback, nb::tuple arguments);

}  // namespace cupola::python
