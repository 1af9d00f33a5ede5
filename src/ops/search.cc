// Places in sorted arrays.

#include "cupola/error.h"
#include "cupola/ops/manip.h"
#include "cupola/ops/sort.h"
#include "exec/evaluator.h"
#include "ops/operands.h"
#include "ops/sort_order.h"
#include "ops/support.h"

namespace cupola {

// Halves the elements that are left, as often as it takes, all in one kernel.
Array searchsorted(const Array& a, const Array& v, SearchSide side) {
  if (a.rank() != 1) throw ValueError("searchsorted needs a sorted array of one dimension");
  const DType types[] = {a.dtype(), v.dtype()};
  const DType common = result_type(types, {});
  const Device device = v.device();
  Array begin = make_scalar(Scalar(std::int64_t{0}), v.shape(), device);
  if (a.size() == 0 || v.size() == 0) return finish(begin, {});
  const Array sorted = evaluate(ravel(a)), values = make_cast(v, common);
  const Array nan = is_nan(values);
  const auto number = [&](std::int64_t value) {
    return make_constant(value, DType::int64, device);
  };
  // Whether elements at these places stand before what is searched for.
  const auto are_before = [&](const Array& places) {
    const Array found = make_cast(make_gather(sorted, places), common);
    if (side == SearchSide::left) return is_before(found, values, nan);
    return make_ufunc(UfuncId::logical_not, {is_before(values, found, is_nan(found))});
  };
  for (std::int64_t left = sorted.size(); left > 1;) {
    const std::int64_t half = left / 2;
    const Array place = make_ufunc(UfuncId::add, {begin, number(half - 1)});
    begin = make_select(are_before(place), make_ufunc(UfuncId::add, {begin, number(half)}), begin);
    left -= half;
  }
  const Array last = make_cast(are_before(begin), DType::int64);
  return finish(make_ufunc(UfuncId::add, {begin, last}), {});
}

}  // namespace cupola
