// Fourier transforms: rows along the last dimension go to the platform, one axis after the other;
// the division by the length is an ordinary pending operation.

#include "cupola/ops/fft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "cupola/error.h"
#include "cupola/ops/functions.h"
#include "cupola/ops/index.h"
#include "cupola/ops/manip.h"
#include "exec/evaluation/evaluator.h"
#include "exec/launch/launcher.h"
#include "graph/result_layout.h"
#include "ops/operands.h"
#include "ops/support.h"

namespace cupola {

namespace {

// A transform along one axis.
struct AxisTransform {
  FftKind kind;
  std::int64_t length;
  std::int64_t axis;

  bool is_forward() const { return kind == FftKind::forward || kind == FftKind::real_to_complex; }
  bool from_real() const { return kind == FftKind::real_to_complex; }
  bool to_real() const { return kind == FftKind::complex_to_real; }
  std::int64_t inputs() const { return to_real() ? length / 2 + 1 : length; }
  std::int64_t results() const { return from_real() ? length / 2 + 1 : length; }
  // By which NumPy calls it in its messages.
  const char* name() const {
    if (to_real()) return "irfft";
    if (from_real()) return length % 2 == 0 ? "rfft_n_even" : "rfft_n_odd";
    return is_forward() ? "fft" : "ifft";
  }
};

// What becomes of the results.
struct Finish {
  FftNorm norm;
  Array out;  // may be none
  bool conjugates = false;
};

bool is_single(DType dtype) {
  return dtype == DType::float16 || dtype == DType::bfloat16 || dtype == DType::float32 ||
         dtype == DType::complex64;
}
DType complex_type(DType dtype) { return is_single(dtype) ? DType::complex64 : DType::complex128; }
DType real_type(DType dtype) { return is_single(dtype) ? DType::float32 : DType::float64; }

// Of NumPy's result: 16-bit floats come back as what they were.
DType result_type(const AxisTransform& step, DType dtype) {
  if (!step.to_real()) return complex_type(dtype);
  return item_size(dtype) == 2 && is_floating(dtype) ? dtype : real_type(dtype);
}

AxisTransform checked(AxisTransform step, const Array& a) {
  if (step.length < 1) {
    throw ValueError(fmt::format("Invalid number of FFT data points ({}) specified.", step.length));
  }
  step.axis = normalize_axis(step.axis, a.rank());
  return step;
}

void check_input(const AxisTransform& step, DType dtype) {
  if (!step.from_real() || !is_complex(dtype)) return;
  throw TypeError(fmt::format(
      "ufunc '{}' not supported for the input types, and the inputs could not be safely coerced "
      "to any supported types according to the casting rule ''safe''",
      step.name()));
}

void check_result(const AxisTransform& step, const Dims& shape, DType dtype, const Array& out,
                  const Device& device) {
  if (!out.has_value()) return;
  check_output(out, device);
  if (out.shape() != shape) throw ValueError("output array has wrong shape.");
  if (can_cast(dtype, out.dtype(), Casting::same_kind)) return;
  throw CastingError(
      fmt::format("Cannot cast ufunc '{}' output from dtype('{}') to dtype('{}') with casting rule "
                  "'same_kind'",
                  step.name(), name_of(dtype), name_of(out.dtype())));
}

double factor_of(const AxisTransform& step, FftNorm norm) {
  const auto length = static_cast<double>(step.length);
  if (norm == FftNorm::ortho) return 1 / std::sqrt(length);
  return (norm == FftNorm::forward) == step.is_forward() ? 1 / length : 1;
}

Array part_along(const Array& a, std::int64_t axis, std::int64_t first, std::int64_t end) {
  Index items;
  items.resize(static_cast<std::size_t>(axis), Slice{});
  items.push_back(Slice{first, end, {}});
  return get_index(a, items);
}

// With `length` elements along the axis, in row-major order.
Array row_major(const Array& a, std::int64_t axis, std::int64_t length, DType dtype) {
  const auto place = static_cast<std::size_t>(axis);
  const std::int64_t present = std::min(a.shape()[place], length);
  if (a.shape()[place] == length && a.dtype() == dtype) {
    evaluate(a);
    if (is_c_contiguous(a)) return a;
  }
  Dims shape = a.shape();
  shape[place] = length;
  const Array whole = allocate_beside(dtype, shape, a);
  if (whole.size() == 0) return whole;
  if (present > 0) {
    write(make_cast(part_along(a, axis, 0, present), dtype), part_along(whole, axis, 0, present));
  }
  if (present < length) {
    const Array rest = part_along(whole, axis, present, length);
    write(make_scalar(Scalar(0.0).cast(dtype), rest.shape(), a.device()), rest);
  }
  return whole;
}

bool can_hold_rows(const Array& out, const Dims& shape, DType dtype, const Array& rows) {
  return out.has_value() && out.dtype() == dtype && out.shape() == shape && is_c_contiguous(out) &&
         !may_overlap(out, rows);
}

// Of row-major operands and results; without their memory.
FftProblem problem_of(const AxisTransform& step, const Dims& shape, std::int64_t axis,
                      DType dtype) {
  FftProblem problem{
      .kind = step.kind, .is_double = dtype == DType::complex128, .length = step.length, .rows = 1};
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(shape.size()); ++d) {
    if (d < axis) problem.rows *= shape[static_cast<std::size_t>(d)];
    if (d > axis) problem.columns *= shape[static_cast<std::size_t>(d)];
  }
  problem.pitch = problem.columns;
  problem.in_row = step.inputs() * problem.columns;
  problem.out_row = step.results() * problem.columns;
  return problem;
}

// Not normalised, in row-major order, with the axis last or where it is; in `out` if that can hold
// it.
Array transform_along(const Array& a, std::int64_t axis, const AxisTransform& step,
                      const Array& out) {
  const DType complex = complex_type(a.dtype());
  const DType real = real_type(a.dtype());
  const Array rows = row_major(a, axis, step.inputs(), step.from_real() ? real : complex);
  Dims shape = rows.shape();
  shape[static_cast<std::size_t>(axis)] = step.results();
  const DType dtype = step.to_real() ? real : complex;
  const bool is_held = can_hold_rows(out, shape, dtype, rows);
  const Array results = is_held ? out : allocate_beside(dtype, shape, a);
  if (results.size() == 0) return results;
  FftProblem problem = problem_of(step, shape, axis, complex);
  problem.in = pointer_of(rows);
  problem.out = pointer_of(results);
  launch_fft(problem, rows, results);
  return results;
}

bool is_row_major(const Array& a) {
  const Dims strides = natural_strides(a);
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  for (std::size_t d = 0; d < strides.size(); ++d) {
    if (a.shape()[d] == 1) continue;
    if (strides[d] > before) return false;
    before = strides[d];
  }
  return true;
}

// Not normalised. Where the platform does not take columns, the axis goes last and back.
Array transform_axis(const Array& a, const AxisTransform& step, const Array& out) {
  const std::int64_t last = a.rank() - 1;
  if (step.axis == last) return transform_along(a, last, step, out);
  const FftProblem problem = problem_of(step, a.shape(), step.axis, complex_type(a.dtype()));
  if (is_row_major(a) && can_transform_columns(problem, a)) {
    return transform_along(a, step.axis, step, out);
  }
  const Array moved = transform_along(moveaxis(a, {step.axis}, {-1}), last, step, {});
  return moveaxis(moved, {-1}, {step.axis});
}

bool lies_so(const Array& array, const Dims& strides) {
  for (std::size_t d = 0; d < strides.size(); ++d) {
    if (array.shape()[d] > 1 && strides_of(array)[d] != strides[d]) return false;
  }
  return true;
}

// `order`: strides of the operand, whose order is that of the results.
Array finished(const Array& results, double factor, DType dtype, const Dims& order,
               const Finish& finish) {
  Array value = results;
  if (factor != 1) {
    value = make_ufunc(UfuncId::multiply,
                       {value, make_constant(factor, value.dtype(), value.device())});
  }
  if (finish.conjugates) value = make_ufunc(UfuncId::conjugate, {value});
  value = make_cast(value, dtype);
  if (finish.out.has_value()) {
    return is_same(value, finish.out) ? value : cupola::finish(value, finish.out);
  }
  const Dims strides = like_strides(value.shape(), {&order, 1});
  if (!lies_so(results, strides)) {
    const Array target = allocate_strided(dtype, value.shape(), value.device(), strides);
    write(value, target);
    return target;
  }
  return is_stored(value) ? value : cupola::finish(value, {});
}

// Whether results of one step are repeated in `out`, along others than the transformed axis.
bool is_repeated(const AxisTransform& step, const Dims& shape, const Array& out) {
  if (!out.has_value() || out.shape() == shape || out.shape().size() != shape.size()) return false;
  const auto axis = static_cast<std::size_t>(step.axis);
  return out.shape()[axis] == shape[axis] && broadcasts_to(shape, out.shape());
}

// One step after the other.
Array transform(const Array& a, std::vector<AxisTransform> steps, const Finish& finish) {
  if (steps.empty()) return a;
  Dims shape = a.shape();
  DType dtype = a.dtype();
  double factor = 1;
  for (AxisTransform& step : steps) {
    step = checked(step, a);
    check_input(step, dtype);
    shape[static_cast<std::size_t>(step.axis)] = step.results();
    dtype = result_type(step, dtype);
    factor *= factor_of(step, finish.norm);
  }
  if (steps.size() == 1 && is_repeated(steps[0], shape, finish.out)) {
    check_result(steps[0], finish.out.shape(), dtype, finish.out, a.device());
    const Array result = transform(a, steps, {finish.norm, {}, finish.conjugates});
    return cupola::finish(broadcast_to(result, finish.out.shape()), finish.out);
  }
  check_result(steps.back(), shape, dtype, finish.out, a.device());
  if (finish.out.has_value()) evaluate(finish.out);
  Array now = a;
  for (const AxisTransform& step : steps) {
    now = transform_axis(now, step, &step == &steps.back() ? finish.out : Array());
  }
  return finished(now, factor, dtype, natural_strides(a), finish);
}

Array along_axis(const Array& a, FftKind kind, FftLength n, std::int64_t axis,
                 const Finish& finish) {
  const auto place = static_cast<std::size_t>(normalize_axis(axis, a.rank()));
  std::int64_t length = a.shape()[place];
  if (kind == FftKind::complex_to_real) length = 2 * (length - 1);
  return transform(a, {{kind, n.value_or(length), axis}}, finish);
}

FftNorm other_way(FftNorm norm) {
  if (norm == FftNorm::ortho) return norm;
  return norm == FftNorm::forward ? FftNorm::backward : FftNorm::forward;
}

// Complex steps over axes in their order.
std::vector<AxisTransform> steps_of(const Array& a, FftKind kind, const std::optional<Dims>& s,
                                    const std::optional<Dims>& axes) {
  const std::size_t count = axes ? axes->size() : s ? s->size() : a.shape().size();
  if (s && s->size() != count) throw ValueError("Shape and axes have different lengths.");
  std::vector<AxisTransform> steps;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t axis =
        axes ? (*axes)[i] : static_cast<std::int64_t>(i) - static_cast<std::int64_t>(count);
    const auto place = static_cast<std::size_t>(normalize_axis(axis, a.rank()));
    const std::int64_t given = s ? (*s)[i] : -1;
    steps.push_back({kind, given == -1 ? a.shape()[place] : given, axis});
  }
  return steps;
}

std::vector<AxisTransform> backwards(std::vector<AxisTransform> steps) {
  std::ranges::reverse(steps);
  return steps;
}

// One of them is made of real values.
void check_axes(const std::vector<AxisTransform>& steps) {
  if (steps.empty()) throw IndexError("list index out of range");
}

Array numbers_below(std::int64_t end, const DeviceOption& device) {
  return arange(Scalar(std::int64_t{0}), Scalar(end), Scalar(std::int64_t{1}), DType::int64,
                device);
}

Array frequencies(const Array& numbers, std::int64_t n, double spacing) {
  return multiply(numbers, 1.0 / (static_cast<double>(n) * spacing));
}

Array shifted(const Array& a, const std::optional<Dims>& axes, bool back) {
  Dims all;
  for (std::int64_t i = 0; i < a.rank(); ++i) all.push_back(i);
  Dims shifts;
  for (const std::int64_t axis : axes.value_or(all)) {
    const auto place = static_cast<std::size_t>(normalize_axis(axis, a.rank()));
    shifts.push_back(back ? -(a.shape()[place] / 2) : a.shape()[place] / 2);
  }
  return roll(a, shifts, axes.value_or(all));
}

}  // namespace

Array fft(const Array& a, FftLength n, std::int64_t axis, FftNorm norm, const Array& out) {
  return along_axis(a, FftKind::forward, n, axis, {norm, out});
}

Array ifft(const Array& a, FftLength n, std::int64_t axis, FftNorm norm, const Array& out) {
  return along_axis(a, FftKind::backward, n, axis, {norm, out});
}

Array rfft(const Array& a, FftLength n, std::int64_t axis, FftNorm norm, const Array& out) {
  return along_axis(a, FftKind::real_to_complex, n, axis, {norm, out});
}

Array irfft(const Array& a, FftLength n, std::int64_t axis, FftNorm norm, const Array& out) {
  return along_axis(a, FftKind::complex_to_real, n, axis, {norm, out});
}

Array hfft(const Array& a, FftLength n, std::int64_t axis, FftNorm norm, const Array& out) {
  return irfft(is_complex(a.dtype()) ? conjugate(a) : a, n, axis, other_way(norm), out);
}

Array ihfft(const Array& a, FftLength n, std::int64_t axis, FftNorm norm, const Array& out) {
  return along_axis(a, FftKind::real_to_complex, n, axis, {other_way(norm), out, true});
}

Array fftn(const Array& a, const std::optional<Dims>& s, const std::optional<Dims>& axes,
           FftNorm norm, const Array& out) {
  return transform(a, backwards(steps_of(a, FftKind::forward, s, axes)), {norm, out});
}

Array ifftn(const Array& a, const std::optional<Dims>& s, const std::optional<Dims>& axes,
            FftNorm norm, const Array& out) {
  return transform(a, backwards(steps_of(a, FftKind::backward, s, axes)), {norm, out});
}

Array rfftn(const Array& a, const std::optional<Dims>& s, const std::optional<Dims>& axes,
            FftNorm norm, const Array& out) {
  std::vector<AxisTransform> steps = backwards(steps_of(a, FftKind::forward, s, axes));
  check_axes(steps);
  steps.front().kind = FftKind::real_to_complex;
  return transform(a, steps, {norm, out});
}

Array irfftn(const Array& a, const std::optional<Dims>& s, const std::optional<Dims>& axes,
             FftNorm norm, const Array& out) {
  std::vector<AxisTransform> steps = steps_of(a, FftKind::backward, s, axes);
  check_axes(steps);
  if (!s) steps.back().length = 2 * (steps.back().length - 1);
  steps.back().kind = FftKind::complex_to_real;
  return transform(a, steps, {norm, out});
}

Array fftfreq(std::int64_t n, double spacing, DeviceOption device) {
  if (n < 0) throw ValueError("negative dimensions are not allowed");
  const Array number = numbers_below(n, device);
  return frequencies(where(number < (n + 1) / 2, number, number - n), n, spacing);
}

Array rfftfreq(std::int64_t n, double spacing, DeviceOption device) {
  return frequencies(numbers_below(n / 2 + 1, device), n, spacing);
}

Array fftshift(const Array& a, const std::optional<Dims>& axes) { return shifted(a, axes, false); }

Array ifftshift(const Array& a, const std::optional<Dims>& axes) { return shifted(a, axes, true); }

}  // namespace cupola
