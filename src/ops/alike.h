#pragma once
// The short way of a function of two arrays that leave nothing to decide: one dtype, shape and
// device, row-major, and a loop that takes them as they are. It is what most operations of small
// programs are.

#include "core/ufunc.h"
#include "cupola/array.h"

namespace cupola {

// Null: something is to be decided.
const UfuncLoop* loop_for_alike(UfuncId ufunc, const Array& a, const Array& b);
// As call_ufunc() for arrays that have such a loop.
Array call_alike(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Array& b);

}  // namespace cupola
