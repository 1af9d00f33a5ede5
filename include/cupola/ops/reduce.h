#pragma once
// Reductions and running sums with NumPy's dtype rules. nan_* skip NaN.

#include "cupola/ops/elementwise.h"

namespace cupola {

// sum prod min max any all and nan_sum nan_prod nan_min nan_max: one per row of the table. min and
// max throw ValueError for an empty reduction without `initial`.
#define CUPOLA_REDUCTION(NAME, ...) Array NAME(const Array& a, const ReduceOptions& options = {});
#include "cupola/opdefs/reductions.def"
#undef CUPOLA_REDUCTION

Array mean(const Array& a, const ReduceOptions& options = {});
// Divides by count - correction; negative or zero gives inf or nan as NumPy does. `mean`, where it
// is known, broadcasts against the array, and the squares have the shape of both.
Array var(const Array& a, const ReduceOptions& options = {}, double correction = 0,
          const std::optional<Operand>& mean = {});
Array std(const Array& a, const ReduceOptions& options = {}, double correction = 0,
          const std::optional<Operand>& mean = {});
Array count_nonzero(const Array& a, const ReduceOptions& options = {});
// Of the flattened array without an axis. int64. ValueError when empty.
Array argmin(const Array& a, std::optional<std::int64_t> axis = {}, bool keepdims = false,
             const Array& out = {});
Array argmax(const Array& a, std::optional<std::int64_t> axis = {}, bool keepdims = false,
             const Array& out = {});

Array nan_mean(const Array& a, const ReduceOptions& options = {});
// A `mean` that is given must broadcast to the shape of an array that may hold NaN.
Array nan_var(const Array& a, const ReduceOptions& options = {}, double correction = 0,
              const std::optional<Operand>& mean = {});
Array nan_std(const Array& a, const ReduceOptions& options = {}, double correction = 0,
              const std::optional<Operand>& mean = {});
// ValueError for a slice that is all NaN.
Array nan_argmin(const Array& a, std::optional<std::int64_t> axis = {}, bool keepdims = false);
Array nan_argmax(const Array& a, std::optional<std::int64_t> axis = {}, bool keepdims = false);

Array cumsum(const Array& a, std::optional<std::int64_t> axis = {}, std::optional<DType> dtype = {},
             const Array& out = {});
Array cumprod(const Array& a, std::optional<std::int64_t> axis = {},
              std::optional<DType> dtype = {}, const Array& out = {});

}  // namespace cupola
