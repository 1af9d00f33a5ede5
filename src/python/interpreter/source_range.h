#pragma once
// What the program says at a place: where its text begins and ends.

#include "python/bindings.h"

namespace cupola::python {

// (first line, first column, last line, column after the last), of the call or operation that runs
// there: lines from 1, columns in bytes of UTF-8 from 0. None for nowhere, and where the
// interpreter does not keep columns.
nb::object source_range_object(const CallPosition& position);

}  // namespace cupola::python
