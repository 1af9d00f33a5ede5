#pragma once
// The steps of a reduction: resolve the types and axes, build the node, deliver the result.

#include <optional>
#include <string_view>

#include "core/ufunc.h"
#include "cupola/ops/elementwise.h"
#include "graph/node.h"

namespace cupola {

// What is combined, and in which types.
struct Reduction {
  UfuncId ufunc;
  DType input;        // elements are cast to it first
  DType accumulator;  // wider than `input` for sums and products of 16-bit floats
  DType result;
};

// A sum of elements of `dtype`; halves are rounded once.
inline Reduction sum_in(DType dtype) {
  return {UfuncId::add, dtype, is_half(dtype) ? DType::float32 : dtype, dtype};
}

// Throws ValueError for a ufunc that has not two inputs and one output.
void check_combines(UfuncId ufunc, std::string_view method);

// NumPy's rule for the methods of a binary ufunc: the loop's first input and its output have one
// type. Sums and products of bool and small integers widen to 64 bits unless `dtype` or `out` is
// given. `method` ("reduce", "accumulate" ...) is for messages. Throws TypeError and ValueError.
Reduction resolve_reduction(UfuncId ufunc, DType input, std::optional<DType> dtype,
                            const Array& out, std::string_view method);

// The dimensions that a reduction combines, normalised and ascending.
class ReducedAxes {
 public:
  // All axes when absent. Axis 0 and -1 of a rank-0 array mean none, as in NumPy.
  ReducedAxes(const Dims& shape, const std::optional<Dims>& axes, bool keepdims = false);

  const Dims& axes() const { return axes_; }
  // With extents of 1 for keepdims.
  const Dims& result_shape() const { return result_shape_; }
  KeepAxes keep() const { return keep_; }
  std::int64_t reduced_count() const { return reduced_count_; }

 private:
  Dims axes_;
  Dims result_shape_;
  KeepAxes keep_;
  std::int64_t reduced_count_ = 1;
};

// What a reduction starts from, of rank 0. ValueError for an array of a higher rank.
Array initial_node(const Operand& initial, DType dtype, const Device& device);

// NumPy starts from the identity, which changes the sign of a single negative element of these.
bool identity_changes_elements(UfuncId ufunc);

// A pending array of axes.result_shape(). `where` and `initial` as in ReduceOptions. Handles
// empty reductions: ValueError for a ufunc without identity when there is no initial value.
Array reduce_node(const Array& input, const ReducedAxes& axes, const Reduction& reduction,
                  const Array& where = {}, const std::optional<Operand>& initial = std::nullopt);

// Neither where, nor initial, nor out.
bool is_plain(const ReduceOptions& options);
// As reduce_node() of few elements, combined at the call. No array: the result is to wait.
Array reduce_now(const Array& input, const ReducedAxes& axes, const Reduction& reduction);

// Throws ValueError for an `out` of another shape than the result's.
void check_reduction_output(const Array& out, const ReducedAxes& axes, std::string_view name,
                            const Device& device);

// std() takes its root as sqrt() does with the variances as its output; a single one is a number.
// Throws CastingError where these are integers.
void check_root(DType variance, const Array& out, const Dims& shape);

// Whether elements become exponents that must not be negative.
bool raises_integers(const Reduction& reduction);
// Throws ValueError where one is negative. Waits for the elements.
void check_exponents(const Array& exponents);

// How many elements each result is made of, int64: a node of shape () or axes.result_shape().
Array reduced_count_node(const Array& input, const ReducedAxes& axes, const Array& where);
DType quotient_dtype(DType sum);
// Quotient in that type, of sum / int64 (at least float64), cast to `result`. It lies as the sum.
Array divide_by_count(const Array& sum, const Array& count, DType result);

// The pending `value` will lie in memory as `like`, in whose memory NumPy computes it, or as a copy
// of it.
void lay_out_as(const Array& value, const Array& like);
void lay_out_as_copy(const Array& value, const Array& of);

}  // namespace cupola
