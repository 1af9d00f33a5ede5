#pragma once
// Reductions and running sums with NumPy's dtype rules. nan_* skip NaN.

#include "cupola/ops/elementwise.h"

namespace cupola {

Array sum(const Array& a, const ReduceOptions& options = {});
Array prod(const Array& a, const ReduceOptions& options = {});
// ValueError for an empty reduction without `initial`.
Array min(const Array& a, const ReduceOptions& options = {});
Array max(const Array& a, const ReduceOptions& options = {});
Array any(const Array& a, const ReduceOptions& options = {});
Array all(const Array& a, const ReduceOptions& options = {});
Array mean(const Array& a, const ReduceOptions& options = {});
// Divides by count - correction; negative or zero gives inf or nan as NumPy does.
Array var(const Array& a, const ReduceOptions& options = {}, double correction = 0,
          const Array& mean = {});
Array std(const Array& a, const ReduceOptions& options = {}, double correction = 0,
          const Array& mean = {});
Array count_nonzero(const Array& a, const ReduceOptions& options = {});
// Of the flattened array without an axis. int64. ValueError when empty.
Array argmin(const Array& a, std::optional<std::int64_t> axis = {}, bool keepdims = false,
             const Array& out = {});
Array argmax(const Array& a, std::optional<std::int64_t> axis = {}, bool keepdims = false,
             const Array& out = {});

Array nan_sum(const Array& a, const ReduceOptions& options = {});
Array nan_prod(const Array& a, const ReduceOptions& options = {});
Array nan_min(const Array& a, const ReduceOptions& options = {});
Array nan_max(const Array& a, const ReduceOptions& options = {});
Array nan_mean(const Array& a, const ReduceOptions& options = {});
Array nan_var(const Array& a, const ReduceOptions& options = {}, double correction = 0);
Array nan_std(const Array& a, const ReduceOptions& options = {}, double correction = 0);
// ValueError for a slice that is all NaN.
Array nan_argmin(const Array& a, std::optional<std::int64_t> axis = {}, bool keepdims = false);
Array nan_argmax(const Array& a, std::optional<std::int64_t> axis = {}, bool keepdims = false);

Array cumsum(const Array& a, std::optional<std::int64_t> axis = {}, std::optional<DType> dtype = {},
             const Array& out = {});
Array cumprod(const Array& a, std::optional<std::int64_t> axis = {},
              std::optional<DType> dtype = {}, const Array& out = {});

}  // namespace cupola
