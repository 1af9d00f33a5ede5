#pragma once
// Results of operations on few elements that are stored, which the calling thread computes at once:
// to keep what waits would cost more than the elements do. See exec/host/host_access.h.

#include "codegen/plan.h"
#include "core/ufunc.h"
#include "cupola/array.h"
#include "cupola/scalar.h"

namespace cupola {

// A function of an array, or of two of one device that broadcast to `shape`, by a loop that takes
// their elements as they are, or once they are cast. No array: the result is to wait.
Array compute_at_call(UfuncId ufunc, const UfuncLoop& loop, const Array& a);
Array compute_at_call(UfuncId ufunc, const UfuncLoop& loop, const Dims& shape, const Array& a,
                      const Array& b);
// The same of an array and a number of the dtype that the loop takes, in either order.
Array compute_at_call(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Scalar& number,
                      bool is_first);
// The same into `out`, of the loop's result dtype. All arrays are row-major and of one shape.
// False, and nothing written: the result is to wait.
bool store_at_call(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Array& out);
bool store_at_call(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Array& b,
                   const Array& out);
bool store_at_call(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Scalar& number,
                   bool is_first, const Array& out);
// Its elements as those of a dtype, row by row.
Array cast_at_call(const Array& a, DType dtype);
// Row-major, for the caller to write its elements at once.
Array array_at_call(DType dtype, const Dims& shape, const Device& device);

// The element at index i along dimension d is that at i - shifts[d], from 0 up to the extent.
Array roll_at_call(const Array& a, const Dims& shifts);
// Reduced along `axes`, in an accumulator of that dtype; `shape` is the result's.
Array reduce_at_call(UfuncId combine, const Array& a, const Dims& axes, DType accumulator,
                     DType dtype, const Dims& shape);
// The place of the first smallest or largest, int64.
Array arg_reduce_at_call(UfuncId combine, const Array& a, const Dims& axes, const Dims& shape);

// Prefixes along the last dimension, combined in that dtype.
Array scan_at_call(UfuncId combine, const Array& a, DType accumulator, DType dtype);

// Rows along the last dimension in order, and the places of their elements in that order, int64.
Array sort_at_call(const Array& a);
Array argsort_at_call(const Array& a);
// The same of the array itself. False, and nothing done: it is for a launch.
bool sort_in_place_at_call(const Array& a);

// The product of two stored matrices, of a small one; the result, of that shape, lies row by row,
// and is where the problem does not say yet.
Array product_at_call(MatmulProblem problem, const Array& a, const Array& b, const Dims& shape);

// An array, or one element in memory.
struct Chosen {
  const Array* array = nullptr;
  const void* number = nullptr;
};
// Elements of the dtype: of `yes` where the condition, of bools, is true, else of `no`. A number is
// of the dtype.
Array select_at_call(const Array& condition, const Chosen& yes, const Chosen& no, DType dtype,
                     const Dims& shape);

}  // namespace cupola
