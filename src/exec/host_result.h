#pragma once
// Results of operations on few elements that are stored, which the calling thread computes at once:
// to keep what waits would cost more than the elements do. See exec/host_access.h.

#include "core/ufunc.h"
#include "cupola/array.h"
#include "cupola/scalar.h"

namespace cupola {

// A function of a row-major array, or of two of one shape and dtype, whose loop takes them as they
// are. No array: the result is to wait.
Array compute_at_call(UfuncId ufunc, DType result, const Array& a);
Array compute_at_call(UfuncId ufunc, DType result, const Array& a, const Array& b);
// The same of an array and a number of its dtype, in either order.
Array compute_at_call(UfuncId ufunc, DType result, const Array& a, const Scalar& number,
                      bool is_first);

}  // namespace cupola
