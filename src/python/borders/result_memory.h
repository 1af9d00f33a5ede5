#pragma once
// NumPy arrays for what comes from a device.

#include "cupola/dims.h"
#include "python/bindings.h"

namespace cupola::python {

// Uninitialised, with memory of its own; large ones have that of memory/resources/kept_pages.h.
nb::object new_numpy_array(const Dims& shape, nb::handle dtype, bool fortran, std::size_t bytes);

}  // namespace cupola::python
