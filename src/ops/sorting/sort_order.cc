#include "ops/sorting/sort_order.h"

#include "cupola/ops/manip.h"
#include "ops/support.h"

namespace cupola {

namespace {

// Elements with a NaN stand behind those without; those with a real one behind all others.
Array nan_rank(const ComplexParts& a) {
  const Array two = make_constant(std::int64_t{2}, DType::int64, a.real.device());
  const Array first = make_cast(is_nan(a.real), DType::int64);
  return make_ufunc(UfuncId::add, {make_ufunc(UfuncId::multiply, {first, two}),
                                   make_cast(is_nan(a.imag), DType::int64)});
}

Array number_or_zero(const Array& a) {
  return make_select(is_nan(a), make_constant(0.0, a.dtype(), a.device()), a);
}

// a < b, or a == b and `otherwise`.
Array less_or_equal_and(const Array& a, const Array& b, const Array& otherwise) {
  const Array equal_and =
      make_ufunc(UfuncId::logical_and, {make_ufunc(UfuncId::equal, {a, b}), otherwise});
  return make_ufunc(UfuncId::logical_or, {make_ufunc(UfuncId::less, {a, b}), equal_and});
}

}  // namespace

Array is_nan(const Array& a) {
  return is_inexact(a.dtype()) ? make_ufunc(UfuncId::isnan, {a}) : Array();
}

Array is_before(const Array& a, const Array& b, const Array& nan) {
  const Array less = make_ufunc(UfuncId::less, {a, b});
  if (!nan.has_value()) return less;
  return make_select(nan, make_ufunc(UfuncId::logical_not, {is_nan(a)}), less);
}

ComplexParts parts_of(const Array& a) { return {real(a), imag(a)}; }

Array is_before(const ComplexParts& a, const ComplexParts& b) {
  const Array by_imag = make_ufunc(UfuncId::less, {number_or_zero(a.imag), number_or_zero(b.imag)});
  const Array by_real = less_or_equal_and(number_or_zero(a.real), number_or_zero(b.real), by_imag);
  return less_or_equal_and(nan_rank(a), nan_rank(b), by_real);
}

}  // namespace cupola
