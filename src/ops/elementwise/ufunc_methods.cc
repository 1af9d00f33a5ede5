// ufunc.outer and ufunc.reduceat; reduce and accumulate stand with the reductions and scans.

#include <fmt/format.h>

#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "cupola/ops/manip.h"
#include "cupola/ops/reduce.h"
#include "cupola/ops/ufunc_signature.h"
#include "exec/evaluation/evaluator.h"
#include "exec/transfers/late_checks.h"
#include "ops/indexing/value_range.h"
#include "ops/operands.h"
#include "ops/reductions/reduction.h"
#include "ops/support.h"

namespace cupola {

namespace {

[[noreturn]] void throw_outside(std::int64_t start, std::int64_t extent, std::string_view name) {
  throw IndexError(
      fmt::format("index {} out-of-bounds in {}.reduceat [0, {})", start, name, extent));
}

// Where segments start. IndexError for one outside the axis, as soon as that is known: it starts at
// the axis' nearest end then.
Array within_axis(const Array& starts, std::int64_t extent, std::string_view name) {
  if (starts.size() == 0) return starts;
  const KnownRange range = value_range(starts);
  if (range.is_known() && range.least >= 0 && range.largest < extent) return starts;
  if (range.is_exact) throw_outside(range.least < 0 ? range.least : range.largest, extent, name);
  const Device& device = starts.device();
  const auto constant = [&](std::int64_t value) {
    return make_constant(value, DType::int64, device);
  };
  if (extent == 0 || !answers_later(device)) {
    const std::int64_t low = read_int64(min(starts)), high = read_int64(max(starts));
    if (low < 0 || high >= extent) throw_outside(low < 0 ? low : high, extent, name);
    return starts;
  }
  const Array low = make_ufunc(UfuncId::maximum, {starts, constant(0)});
  const Array nearest = make_ufunc(UfuncId::minimum, {low, constant(extent - 1)});
  // Of several one is named; 0 is within.
  const Array is_outside = make_ufunc(UfuncId::not_equal, {starts, nearest});
  const Array outside = make_cast(make_select(is_outside, starts, constant(0)), DType::uint64);
  check_later(max(outside), [extent, name](const Scalar& found) {
    const auto start = static_cast<std::int64_t>(found.get<std::uint64_t>());
    if (start != 0) throw_outside(start, extent, name);
  });
  return evaluate(nearest);
}

// Where each segment ends: at the next start, or after one element when that is not behind.
Array segment_ends(const Array& starts, std::int64_t extent) {
  const Device& device = starts.device();
  const Array next = allocate_array(DType::int64, starts.shape(), device);
  const std::int64_t count = starts.size();
  const auto part = [&](const Array& line, std::int64_t first, std::int64_t length) {
    const std::int64_t step = strides_of(line)[0];
    return make_view(line, {length}, {{step}, line.state().layout.offset + first * step});
  };
  if (count > 1) write(part(starts, 1, count - 1), part(next, 0, count - 1));
  write(make_scalar(Scalar(extent), {1}, device), part(next, count - 1, 1));
  const Array is_behind = make_ufunc(UfuncId::greater, {next, starts});
  const Array one_element =
      make_ufunc(UfuncId::add, {starts, make_constant(std::int64_t{1}, DType::int64, device)});
  // The last segment always runs to the end, which is behind every start.
  return evaluate(make_select(is_behind, next, one_element));
}

Array segment_starts(const Array& indices) {
  check_cast(indices.dtype(), DType::int64, Casting::safe);
  if (indices.rank() != 1) {
    throw ValueError("reduceat needs indices of one dimension, not of shape " +
                     to_string(indices.shape()));
  }
  return evaluate(make_cast(indices, DType::int64));
}

// Those of the segments, without the first of each.
void check_segment_exponents(const Array& a, int axis, const Array& starts, const Array& ends) {
  const Array second =
      make_ufunc(UfuncId::add, {starts, make_constant(std::int64_t{1}, DType::int64, a.device())});
  const Array has_exponents = evaluate(make_ufunc(UfuncId::less, {second, ends}));
  const Array first = get_index(evaluate(second), {has_exponents});
  if (first.size() == 0) return;
  check_exponents(make_segment_reduce(a, axis, first, get_index(ends, {has_exponents}),
                                      UfuncId::minimum, a.dtype(), a.dtype()));
}

void check_reduceat_output(const Array& out, const Dims& shape, const Device& device) {
  if (!out.has_value()) return;
  check_output(out, device);
  if (out.shape() != shape) {
    throw ValueError("operands could not be broadcast together: the output has shape " +
                     to_string(out.shape()) + ", the result of reduceat has shape " +
                     to_string(shape));
  }
}

}  // namespace

Array outer_ufunc(UfuncId ufunc, const Operand& a, const Operand& b, const UfuncOptions& options) {
  return std::move(outer_ufunc_with(ufunc, a, b, {}, options).front());
}

std::vector<Array> outer_ufunc_with(UfuncId ufunc, const Operand& a, const Operand& b,
                                    const UfuncSignature& signature, const UfuncOptions& options) {
  if (ufunc_info(ufunc).input_count != 2) {
    throw ValueError("outer product only supported for binary functions");
  }
  Operand left = a;
  if (a.is_array() && b.is_array() && b.array().rank() > 0) {
    left = with_trailing_ones(a.array(), b.array().shape().size());
  }
  const Operand operands[] = {left, b};
  return call_ufunc_with(ufunc, operands, signature, options);
}

Array reduceat_ufunc(UfuncId ufunc, const Array& a, const Array& indices, std::int64_t axis,
                     std::optional<DType> dtype, const Array& out) {
  if (a.rank() == 0) throw TypeError("cannot reduceat on a scalar");
  const int segmented = normalize_axis(axis, a.rank());
  const std::int64_t extent = a.shape()[static_cast<std::size_t>(segmented)];
  const std::string_view name = ufunc_info(ufunc).name;
  const Array starts = within_axis(segment_starts(indices), extent, name);
  Dims shape = a.shape();
  shape[static_cast<std::size_t>(segmented)] = starts.size();
  const Reduction reduction = resolve_reduction(ufunc, a.dtype(), dtype, out, "reduceat");
  check_reduceat_output(out, shape, a.device());
  if (element_count(shape) == 0) {
    return finish(make_scalar(Scalar(false).cast(reduction.result), shape, a.device()), out);
  }
  const Array elements = make_cast(a, reduction.input);
  const Array ends = segment_ends(starts, extent);
  if (raises_integers(reduction)) check_segment_exponents(elements, segmented, starts, ends);
  const Array value = make_segment_reduce(elements, segmented, starts, ends, ufunc,
                                          reduction.accumulator, reduction.result);
  return finish(value, out);
}

}  // namespace cupola
