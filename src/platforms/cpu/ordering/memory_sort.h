#pragma once
// Few values of contiguous memory in order, by the calling thread. See HostLoops.

#include <cstdint>

#include "core/ufunc.h"
#include "cupola/dtype.h"

namespace cupola::cpu {

// For dtypes that sort_functions() has; `result` may be `values`.
void sort_in_memory(UfuncId, DType dtype, const void* values, std::int64_t count, void* result);
// Of real numbers: their places, int64.
void argsort_in_memory(UfuncId, DType dtype, const void* values, std::int64_t count, void* places);

}  // namespace cupola::cpu
