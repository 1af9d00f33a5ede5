// Running combinations: cumsum, cumprod and ufunc.accumulate.

#include <fmt/format.h>

#include "cupola/error.h"
#include "cupola/ops/manip.h"
#include "cupola/ops/reduce.h"
#include "exec/evaluation/evaluator.h"
#include "exec/host/host_result.h"
#include "ops/reductions/reduction.h"
#include "ops/support.h"

namespace cupola {

namespace {

Array running(UfuncId ufunc, const Array& a, std::optional<std::int64_t> axis,
              std::optional<DType> dtype, const Array& out) {
  const Array line = axis && a.rank() > 0 ? a : ravel(a);
  return accumulate_ufunc(ufunc, line, axis.value_or(0), dtype, out);
}

}  // namespace

Array accumulate_ufunc(UfuncId ufunc, const Array& a, std::int64_t axis, std::optional<DType> dtype,
                       const Array& out) {
  const Reduction reduction = resolve_reduction(ufunc, a.dtype(), dtype, out, "accumulate");
  if (a.rank() == 0) throw TypeError("cannot accumulate on a scalar");
  const int scanned = normalize_axis(axis, a.rank());
  if (out.has_value()) {
    check_output(out, a.device());
    if (out.shape() != a.shape()) {
      throw ValueError(
          fmt::format("operands could not be broadcast together: the output has "
                      "shape {}, the result of {}.accumulate has shape {}",
                      to_string(out.shape()), ufunc_info(ufunc).name, to_string(a.shape())));
    }
  }
  if (a.size() == 0) {
    return finish(make_scalar(Scalar(false).cast(reduction.result), a.shape(), a.device()), out);
  }
  if (raises_integers(reduction)) {
    const std::int64_t second = 1;
    check_exponents(split_at(evaluate(make_cast(a, reduction.input)), {&second, 1}, scanned)[1]);
  }
  if (!out.has_value() && reduction.input == reduction.accumulator && scanned == a.rank() - 1) {
    Array few = scan_at_call(ufunc, a, reduction.accumulator, reduction.result);
    if (few.has_value()) return few;
  }
  return finish(make_scan(make_cast(a, reduction.input), scanned, ufunc, reduction.accumulator,
                          reduction.result),
                out);
}

Array cumsum(const Array& a, std::optional<std::int64_t> axis, std::optional<DType> dtype,
             const Array& out) {
  return running(UfuncId::add, a, axis, dtype, out);
}

Array cumprod(const Array& a, std::optional<std::int64_t> axis, std::optional<DType> dtype,
              const Array& out) {
  return running(UfuncId::multiply, a, axis, dtype, out);
}

}  // namespace cupola
