// How often numbers occur.

#include "core/array_state.h"
#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "driver/registry.h"
#include "exec/evaluation/evaluator.h"
#include "ops/reductions/tally.h"
#include "ops/support.h"

namespace cupola {

namespace {

Array is_inside(const Array& places, std::int64_t length) {
  const auto end = static_cast<std::uint64_t>(length);
  return make_ufunc(UfuncId::less, {make_cast(places, DType::uint64),
                                    make_constant(end, DType::uint64, places.device())});
}

}  // namespace

bool is_tallied(const Array& target, UfuncId combine, std::int64_t values) {
  return combine == UfuncId::add && is_integer(target.dtype()) && target.item_size() >= 4 &&
         target.size() <= driver(target.device()).traits().most_tallied &&
         target.size() <= values && is_c_contiguous(target);
}

Array bincount(const Array& numbers, std::int64_t length) {
  if (length < 0) throw ValueError("bincount needs a length that is not negative");
  const Device device = numbers.device();
  const Array counts = allocate_array(DType::int64, {length}, device);
  write(make_scalar(Scalar(std::int64_t{0}), counts.shape(), device), counts);
  if (length == 0 || numbers.size() == 0) return counts;
  const Array places = make_cast(numbers, DType::int64);
  const bool tallied = is_tallied(counts, UfuncId::add, numbers.size());
  const bool leaves_out = tallied && driver(device).traits().tally_checks_places;
  const Write each{.value = make_constant(std::int64_t{1}, DType::int64, device),
                   .target = counts,
                   .store = tallied ? StoreKind::tally : StoreKind::combine,
                   .offset = places,
                   .predicate = leaves_out ? Array() : is_inside(places, length),
                   .combine = UfuncId::add};
  write({&each, 1});
  return counts;
}

Array sums_of_parts(const Array& numbers, const Array& weights, std::int64_t length, int part_log) {
  if (length < 0) throw ValueError("sums_of_parts needs a length that is not negative");
  if (part_log < 0 || part_log > 40) throw ValueError("parts have 2^0 to 2^40 elements");
  if (numbers.rank() != 1 || weights.shape() != numbers.shape()) {
    throw ValueError("sums_of_parts needs as many weights as numbers, of one dimension");
  }
  if (!driver(numbers.device()).traits().tally_keeps_order) {
    throw ValueError("sums_of_parts adds in order, as only CPUs do");
  }
  const std::int64_t parts = (numbers.size() + (std::int64_t{1} << part_log) - 1) >> part_log;
  const Array sums = allocate_array(DType::float64, {parts, length}, numbers.device());
  if (sums.size() == 0) return sums;
  const Write each{.value = make_cast(weights, DType::float64),
                   .target = sums,
                   .store = StoreKind::tally,
                   .offset = make_cast(numbers, DType::int64),
                   .combine = UfuncId::add,
                   .bins = part_log};
  write({&each, 1});
  return sums;
}

}  // namespace cupola
