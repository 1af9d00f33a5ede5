#pragma once
// The short way of a function of operands that leave nothing to decide: arrays of one dtype and
// device, or an array and a Python number that its dtype holds, and a loop that takes their
// elements as they are. It is what most operations of small programs are.

#include "core/ufunc.h"
#include "cupola/array.h"
#include "cupola/ops/elementwise.h"
#include "cupola/scalar.h"

namespace cupola {

// Null: something is to be decided.
const UfuncLoop* loop_for_uniform(UfuncId ufunc, const Array& a, const Array& b);
// As call_ufunc() for arrays that have such a loop, one shape, and lie row-major.
Array call_uniform(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Array& b);

// Of one array.
const UfuncLoop* loop_for_one(UfuncId ufunc, const Array& a);
Array call_one(UfuncId ufunc, const UfuncLoop& loop, const Array& a);

// Of arrays that lie, or are broadcast, in other ways; null as above.
const UfuncLoop* loop_for_one_type(UfuncId ufunc, const Array& a, const Array& b);
Array call_broadcast(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Array& b);

// The same of an array and a number, in either order.
const UfuncLoop* loop_for_number(UfuncId ufunc, const Array& a, const Scalar& number);
Array call_with_number(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Scalar& number,
                       bool is_first);

// A function of few elements of other dtypes than its loop takes, computed at the call. No array:
// something is to be decided, or the result is to wait.
Array call_converted(UfuncId ufunc, const Array& a, const Array& b);
Array call_converted(UfuncId ufunc, const Array& a, const Scalar& number, bool is_first);

// out = ufunc(a, b) of few elements, or ufunc(a) where `b` is null, in out's memory, by the host.
// It waits for nothing. False: there is something to decide, or to wait for.
bool store_uniform(UfuncId ufunc, const Array& a, const Operand* b, const Array& out);
// The same of a = ufunc(a, b), where arrays without dimensions stand for numbers.
bool update_uniform(UfuncId ufunc, const Array& a, const Operand& b);

}  // namespace cupola
