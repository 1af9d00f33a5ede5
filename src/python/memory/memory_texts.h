#pragma once
// The docstrings of arrays' methods about managed memory.

namespace cupola::python {

inline constexpr const char* kPrefetchText =
    R"(Moves the pages of an array in managed memory; the call does not wait for it.

Parameters
----------
device : Device or "host", optional
    Where they go; default: the array's own device.

Raises
------
ValueError
    For memory that is not managed.

Examples
--------
>>> import cupola as cp
>>> with cp.cuda.using_allocator(cp.cuda.malloc_managed):
...     a = cp.ones(1000)
>>> a.prefetch("host"))";

inline constexpr const char* kAdviseText = R"(Says how an array in managed memory is used.

Parameters
----------
advice : str
    "read_mostly", "preferred_location" or "accessed_by", or one of these after "unset_", which
    takes it back.
device : Device or "host", optional
    What it is about; default: the array's own device.

Raises
------
ValueError
    For memory that is not managed, and an advice that there is not.

Examples
--------
>>> import cupola as cp
>>> with cp.cuda.using_allocator(cp.cuda.malloc_managed):
...     a = cp.ones(1000)
>>> a.advise("preferred_location", "host")
>>> a.advise("unset_preferred_location"))";

}  // namespace cupola::python
