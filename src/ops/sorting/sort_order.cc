#include "ops/sorting/sort_order.h"

namespace cupola {

Array is_nan(const Array& a) {
  return is_inexact(a.dtype()) ? make_ufunc(UfuncId::isnan, {a}) : Array();
}

Array is_before(const Array& a, const Array& b, const Array& nan) {
  const Array less = make_ufunc(UfuncId::less, {a, b});
  if (!nan.has_value()) return less;
  return make_select(nan, make_ufunc(UfuncId::logical_not, {is_nan(a)}), less);
}

}  // namespace cupola
