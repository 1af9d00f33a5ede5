// Places in sorted arrays.

#include "cupola/error.h"
#include "cupola/ops/manip.h"
#include "cupola/ops/sort.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "ops/few_elements.h"
#include "ops/operands.h"
#include "ops/sorting/sort_order.h"
#include "ops/support.h"

namespace cupola {

namespace {

// Both in memory, without gaps.
ComplexParts stored_parts(const Array& a) {
  const ComplexParts parts = parts_of(a);
  return {copy(parts.real), copy(parts.imag)};
}

// Whether the elements of a sorted array at some places stand before what is searched for.
class Comparison {
 public:
  Comparison(const Array& sorted, const Array& values, DType common, SearchSide side)
      : side_(side), common_(common) {
    if (is_complex(common)) {
      sorted_parts_ = stored_parts(evaluate(make_cast(sorted, common)));
      value_parts_ = stored_parts(evaluate(make_cast(values, common)));
    } else {
      sorted_ = sorted;
      values_ = make_cast(values, common);
      nan_ = is_nan(values_);
    }
  }

  Array at(const Array& places) const {
    if (is_complex(common_)) {
      const ComplexParts found{make_gather(sorted_parts_.real, places),
                               make_gather(sorted_parts_.imag, places)};
      if (side_ == SearchSide::left) return is_before(found, value_parts_);
      return make_ufunc(UfuncId::logical_not, {is_before(value_parts_, found)});
    }
    const Array found = make_cast(make_gather(sorted_, places), common_);
    if (side_ == SearchSide::left) return cupola::is_before(found, values_, nan_);
    return make_ufunc(UfuncId::logical_not, {cupola::is_before(values_, found, is_nan(found))});
  }

 private:
  SearchSide side_;
  DType common_;
  Array sorted_, values_, nan_;
  ComplexParts sorted_parts_, value_parts_;
};

}  // namespace

// Halves the elements that are left, as often as it takes, all in one kernel.
Array searchsorted(const Array& a, const Array& v, SearchSide side) {
  if (a.rank() != 1) throw ValueError("searchsorted needs a sorted array of one dimension");
  const DType types[] = {a.dtype(), v.dtype()};
  const DType common = result_type(types, {});
  const Device device = v.device();
  Array begin = make_scalar(Scalar(std::int64_t{0}), v.shape(), device);
  if (a.size() == 0 || v.size() == 0) return finish(begin, {});
  const Array sorted = evaluate(ravel(a));
  if (Array few = search_on_host(sorted, make_cast(v, common), side); few.has_value()) return few;
  const Comparison are_before(sorted, v, common, side);
  const auto number = [&](std::int64_t value) {
    return make_constant(value, DType::int64, device);
  };
  for (std::int64_t left = sorted.size(); left > 1;) {
    const std::int64_t half = left / 2;
    const Array place = make_ufunc(UfuncId::add, {begin, number(half - 1)});
    begin =
        make_select(are_before.at(place), make_ufunc(UfuncId::add, {begin, number(half)}), begin);
    left -= half;
  }
  const Array last = make_cast(are_before.at(begin), DType::int64);
  const Array place = make_ufunc(UfuncId::add, {begin, last});
  lay_out(place, c_strides(v.shape()));
  return finish(place, {});
}

}  // namespace cupola
