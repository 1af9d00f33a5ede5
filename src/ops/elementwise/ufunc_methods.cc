// ufunc.outer and ufunc.reduceat; reduce and accumulate stand with the reductions and scans.

#include <fmt/format.h>

#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "cupola/ops/manip.h"
#include "cupola/ops/reduce.h"
#include "cupola/ops/ufunc_signature.h"
#include "exec/evaluation/evaluator.h"
#include "ops/operands.h"
#include "ops/reductions/reduction.h"
#include "ops/support.h"

namespace cupola {

namespace {

// Throws IndexError for a segment that starts outside the axis.
void check_segment_starts(const Array& starts, std::int64_t extent, std::string_view name) {
  if (starts.size() == 0) return;
  const std::int64_t low = read_int64(min(starts));
  const std::int64_t high = read_int64(max(starts));
  if (low >= 0 && high < extent) return;
  throw IndexError(fmt::format("index {} out-of-bounds in {}.reduceat [0, {})",
                               low < 0 ? low : high, name, extent));
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
  const Array starts = segment_starts(indices);
  Dims shape = a.shape();
  shape[static_cast<std::size_t>(segmented)] = starts.size();
  check_segment_starts(starts, extent, ufunc_info(ufunc).name);
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
