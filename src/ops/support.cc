#include "ops/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/array_state.h"
#include "cupola/error.h"
#include "cupola/ops/reduce.h"
#include "cupola/runtime.h"
#include "cupola/transfer.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "exec/evaluation/views.h"
#include "exec/transfers/late_checks.h"
#include "runtime/observer.h"
#include "runtime/stream.h"

namespace cupola {

namespace {
constexpr const char* kNeedsValues = "an operation that needs values";
}

Device device_or_current(const std::optional<Device>& device) {
  if (!device) return current_device();
  check_device(*device);
  return *device;
}

Array axis_positions(std::int64_t extent, std::size_t axis, std::size_t rank,
                     const Device& device) {
  Dims shape(rank, 1);
  shape[axis] = extent;
  return make_index(std::move(shape), device);
}

Array take_numbers(const Array& row, const Array& numbers) {
  const std::int64_t step = strides_of(row)[0];
  if (step == 1) return make_gather(row, numbers);
  const Array scale = make_constant(step, DType::int64, numbers.device());
  return make_gather(row, make_ufunc(UfuncId::multiply, {numbers, scale}));
}

Array with_trailing_ones(const Array& a, std::size_t count) {
  if (count == 0) return a;
  laid_out(a);
  Dims shape = a.shape();
  Layout layout = a.state().layout;
  for (std::size_t i = 0; i < count; ++i) {
    shape.push_back(1);
    layout.strides.push_back(1);
  }
  return view_of(a, std::move(shape), std::move(layout));
}

Dims without_axes(const Dims& shape, const Dims& axes) {
  Dims kept;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) kept.push_back(shape[i]);
  }
  return kept;
}

Dims with_unit_axes(const Dims& shape, const Dims& axes) {
  Dims kept = shape;
  for (const std::int64_t axis : axes) kept[static_cast<std::size_t>(axis)] = 1;
  return kept;
}

bool broadcasts_to(const Dims& shape, const Dims& target) {
  if (shape.size() > target.size()) return false;
  return std::equal(
      shape.begin(), shape.end(), target.end() - shape.size(),
      [](std::int64_t own, std::int64_t wanted) { return own == 1 || own == wanted; });
}

void check_cast(DType from, DType to, Casting casting) {
  if (can_cast(from, to, casting)) return;
  throw CastingError(fmt::format(
      "Cannot cast array data from dtype('{}') to dtype('{}') according to the rule '{}'",
      name_of(from), name_of(to), name_of(casting)));
}

void check_number(const Operand& value, DType dtype) {
  if (value.is_array() || !value.scalar().weak_kind()) return;
  const std::complex<double> number = value.scalar().to_complex();
  if (value.scalar().weak_kind() == WeakKind::complex) {
    if (is_complex(dtype) || dtype == DType::bool_) return;
    throw TypeError(fmt::format("{}() argument must be a string or a real number, not 'complex'",
                                is_floating(dtype) ? "float" : "int"));
  }
  if (value.scalar().weak_kind() != WeakKind::floating || !is_integer(dtype)) return;
  if (std::isnan(number.real())) throw ValueError("cannot convert float NaN to integer");
  if (std::isinf(number.real())) {
    throw OverflowError("cannot convert float infinity to integer");
  }
}

Scalar whole_number(double value) {
  if (std::isnan(value)) throw ValueError("cannot convert float NaN to integer");
  if (std::isinf(value)) throw OverflowError("cannot convert float infinity to integer");
  const double whole = std::trunc(value);
  if (!(whole >= -0x1p63 && whole < 0x1p64)) {
    throw OverflowError("Python int too large to convert to C long");
  }
  if (whole < 0x1p63) return Scalar::weak(static_cast<std::int64_t>(whole));
  return Scalar::weak(static_cast<std::uint64_t>(whole));
}

Scalar element_value(const Scalar& value, DType dtype) {
  check_number(value, dtype);
  const bool is_own = !value.weak_kind() && kind_of(dtype) != DTypeKind::signed_integer;
  if (!is_integer(dtype) || is_own || is_complex(value.dtype())) return value.cast(dtype);
  if (value.weak_kind() == WeakKind::integer) return value.cast(dtype);
  if (is_floating(value.dtype())) return whole_number(value.to_complex().real()).cast(dtype);
  if (value.dtype() == DType::uint64) return Scalar::weak(value.get<std::uint64_t>()).cast(dtype);
  return Scalar::weak(value.cast(DType::int64).get<std::int64_t>()).cast(dtype);
}

void check_output(const Array& out, const Device& device) {
  if (!out.has_value()) return;
  if (!out.writable()) throw ValueError("output array is read-only");
  if (out.device() != device) {
    throw DeviceError("the output is on " + out.device().to_string() + ", the operands are on " +
                      device.to_string() + "; move one with to_device()");
  }
}

Array finish(const Array& value, const Array& out) {
  if (!out.has_value()) return defer(value);
  write(value, evaluate(out));
  return out;
}

bool read_bool(const Array& value) {
  const AskedBy asked(kNeedsValues);
  return item(value).cast(DType::bool_).get<bool>();
}

void report_any(const Array& is_wrong, std::function<void()> report) {
  if (is_wrong.size() == 0) return;
  const Array found = any(is_wrong);
  const Device& device = is_wrong.device();
  if (!answers_later(device) || current_stream(device)->is_capturing()) {
    if (read_bool(found)) report();
    return;
  }
  check_later(found, [report = std::move(report)](const Scalar& is_found) {
    if (is_found.get<bool>()) report();
  });
}

std::int64_t read_int64(const Array& value) {
  const AskedBy asked(kNeedsValues);
  return item(value).get<std::int64_t>();
}

}  // namespace cupola
