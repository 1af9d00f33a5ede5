// How often numbers occur.

#include "core/array_state.h"
#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "exec/evaluator.h"
#include "ops/support.h"
#include "ops/tally.h"

namespace cupola {

bool is_tallied(const Array& target, UfuncId combine, std::int64_t values) {
  return combine == UfuncId::add && is_integer(target.dtype()) && target.item_size() >= 4 &&
         target.size() <= kMostTallied && target.size() <= values && is_c_contiguous(target);
}

Array bincount(const Array& numbers, std::int64_t length) {
  if (length < 0) throw ValueError("bincount needs a length that is not negative");
  const Device device = numbers.device();
  const auto number = [&](std::int64_t value) {
    return make_constant(value, DType::int64, device);
  };
  const Array counts = allocate_array(DType::int64, {length}, device);
  write(make_scalar(Scalar(std::int64_t{0}), counts.shape(), device), counts);
  if (length == 0 || numbers.size() == 0) return counts;
  const Array places = make_cast(numbers, DType::int64);
  const Array is_inside =
      make_ufunc(UfuncId::logical_and, {make_ufunc(UfuncId::greater_equal, {places, number(0)}),
                                        make_ufunc(UfuncId::less, {places, number(length)})});
  const Write each{.value = number(1),
                   .target = counts,
                   .store = is_tallied(counts, UfuncId::add, numbers.size()) ? StoreKind::tally
                                                                             : StoreKind::combine,
                   .offset = places,
                   .predicate = is_inside,
                   .combine = UfuncId::add};
  write({&each, 1});
  return counts;
}

}  // namespace cupola
