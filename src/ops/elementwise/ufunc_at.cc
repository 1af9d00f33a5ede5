// ufunc.at: unbuffered in-place operation, once for every index.

#include <fmt/format.h>

#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "cupola/ops/reduce.h"
#include "exec/evaluation/evaluator.h"
#include "ops/indexing/index_plan.h"
#include "ops/operands.h"
#include "ops/reductions/reduction.h"
#include "ops/reductions/tally.h"
#include "ops/support.h"

namespace cupola {

namespace {

// What a at() call works on: the whole of `target`, at `offsets` from its first element.
struct Places {
  Array target;   // of the loop's type
  Array offsets;  // node of the index result's shape
  Dims shape;
};

Places find_places(const Array& a, const Array& indices) {
  const IndexPlan plan = plan_index(a, {indices});
  return {make_view(a, plan.shape, plan.layout), offsets_node(plan, a.device()), plan.result_shape};
}

// How often each element of `a` is picked.
Array times_picked(const Array& a, const Array& indices) {
  const Array times = allocate_array(DType::int64, a.shape(), a.device());
  write(make_scalar(Scalar(std::int64_t{0}), a.shape(), a.device()), times);
  const Places places = find_places(times, indices);
  if (element_count(places.shape) == 0) return times;
  const Write count{.value = make_scalar(Scalar(std::int64_t{1}), {}, a.device()),
                    .target = places.target,
                    .store = StoreKind::combine,
                    .offset = places.offsets,
                    .combine = UfuncId::add};
  write({&count, 1});
  return times;
}

// Elements may be picked several times: a ufunc of one input is applied as often.
void apply_repeatedly(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Array& indices) {
  const Array times = times_picked(a, indices);
  if (times.size() == 0) return;
  const std::int64_t most = read_int64(max(times));
  for (std::int64_t round = 0; round < most; ++round) {
    const Array still =
        make_ufunc(UfuncId::greater, {times, make_constant(round, DType::int64, a.device())});
    const Array changed = make_ufunc(ufunc, loop, {a}).front();
    write(make_select(still, make_cast(changed, a.dtype()), a), a);
  }
}

Array value_node(const Operand& b, DType dtype, const Dims& shape, const Device& device) {
  const Array value = as_node(b, dtype, device);
  if (!broadcasts_to(value.shape(), shape)) {
    throw ValueError("array is not broadcastable to correct shape: " + to_string(value.shape()) +
                     " for indices that pick " + to_string(shape));
  }
  return value;
}

// The common case: both inputs and the output of the loop have one type.
void combine_at(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Array& indices,
                const Operand& b) {
  const bool direct = a.dtype() == loop.output(0);
  const Places places = find_places(direct ? a : evaluate(make_cast(a, loop.output(0))), indices);
  const Array value = value_node(b, loop.input(1), places.shape, a.device());
  const std::int64_t count = element_count(places.shape);
  if (count == 0) return;
  if (ufunc == UfuncId::power && kind_of(loop.input(1)) == DTypeKind::signed_integer) {
    check_exponents(value);
  }
  const Write combined{
      .value = value,
      .target = places.target,
      .store = is_tallied(places.target, ufunc, count) ? StoreKind::tally : StoreKind::combine,
      .offset = places.offsets,
      .combine = ufunc};
  write({&combined, 1});
  if (!direct) write(places.target, a);
}

// Loops of mixed types (comparisons, ldexp), and floats for integers: one picked element after the
// other.
void apply_in_turn(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Array& indices,
                   const Operand& b) {
  const Places places = find_places(a, indices);
  const Array value = value_node(b, loop.input(1), places.shape, a.device());
  if (element_count(places.shape) == 0) return;
  const Array values = allocate_array(loop.input(1), places.shape, a.device());
  write(value, values);
  const Array offsets = allocate_array(DType::int64, places.shape, a.device());
  write(places.offsets, offsets);
  for (std::int64_t i = 0; i < values.size(); ++i) {
    const Array offset = make_view(offsets, {}, {{}, i});
    const Array value_at = make_view(values, {}, {{}, i});
    const Array result =
        make_ufunc(ufunc, loop,
                   {make_cast(make_gather(places.target, offset), loop.input(0)), value_at})
            .front();
    const Array changed = evaluate(make_cast(result, a.dtype()));
    const Write each{
        .value = changed, .target = places.target, .store = StoreKind::scatter, .offset = offset};
    write({&each, 1});
  }
}

// Whether the low bits of results depend on nothing but those of the operands.
bool wraps(UfuncId ufunc) {
  return ufunc == UfuncId::add || ufunc == UfuncId::subtract || ufunc == UfuncId::multiply ||
         ufunc == UfuncId::bitwise_and || ufunc == UfuncId::bitwise_or ||
         ufunc == UfuncId::bitwise_xor;
}

// Whether what one element has become is cut to a's integers before it is picked again.
bool cuts_between(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Array& indices) {
  if (is_inexact(a.dtype()) || a.dtype() == loop.output(0) || a.size() == 0) return false;
  if (!is_inexact(loop.output(0)) && wraps(ufunc)) return false;
  return read_int64(max(times_picked(a, indices))) > 1;
}

bool holds(DType dtype, const Scalar& number) {
  try {
    number.cast(dtype);
    return true;
  } catch (const OverflowError&) {
    return false;
  }
}

// A Python integer that the loop's input does not hold is one of int64, or uint64 beyond that.
Operand fitting_operand(UfuncId ufunc, const Array& a, const Operand& b) {
  if (b.is_array() || b.scalar().weak_kind() != WeakKind::integer) return b;
  const Operand operands[] = {a, b};
  const UfuncLoop& loop = resolve_ufunc(ufunc, operand_types(operands));
  if (holds(loop.input(1), b.scalar())) return b;
  return Scalar::from_bytes(b.scalar().dtype(), b.scalar().data());
}

}  // namespace

void at_ufunc(UfuncId ufunc, const Array& a, const Array& indices,
              const std::optional<Operand>& b) {
  const UfuncInfo& info = ufunc_info(ufunc);
  if (info.output_count != 1) {
    throw ValueError("Only single output ufuncs supported at this time");
  }
  if (info.input_count != (b ? 2 : 1)) {
    throw ValueError(fmt::format("{}.at takes {} operand(s) beside the indices", info.name,
                                 info.input_count - 1));
  }
  if (!a.writable()) throw ValueError("output array is read-only");
  std::vector<Operand> operands{a};
  if (b) operands.push_back(fitting_operand(ufunc, a, *b));
  const UfuncLoop& loop = resolve_ufunc(ufunc, operand_types(operands));
  evaluate(a);
  if (!b) {
    apply_repeatedly(ufunc, loop, a, indices);
  } else if (loop.input(0) == loop.output(0) && loop.input(1) == loop.output(0) &&
             !cuts_between(ufunc, loop, a, indices)) {
    combine_at(ufunc, loop, a, indices, operands[1]);
  } else {
    apply_in_turn(ufunc, loop, a, indices, operands[1]);
  }
}

}  // namespace cupola
