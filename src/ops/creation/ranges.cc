// arange and linspace.

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>

#include "core/array_state.h"
#include "cupola/error.h"
#include "cupola/ops/creation.h"
#include "exec/evaluation/evaluator.h"
#include "exec/host/host_result.h"
#include "ops/operands.h"
#include "ops/support.h"

namespace cupola {

namespace {

bool is_whole(const Scalar& value) {
  return is_integer(value.dtype()) || value.dtype() == DType::bool_;
}

// Integers of all dtypes fit.
__extension__ using Wide = __int128;

Wide to_wide(const Scalar& value) {
  if (value.dtype() == DType::uint64) return value.get<std::uint64_t>();
  return value.cast(DType::int64).get<std::int64_t>();
}

Scalar from_wide(Wide value) {
  if (value > std::numeric_limits<std::int64_t>::max()) {
    return Scalar::weak(static_cast<std::uint64_t>(value));
  }
  return Scalar::weak(static_cast<std::int64_t>(value));
}

// A real number is stored in a range of integers as int() converts it. Throws OverflowError where
// `type` cannot hold it.
void check_fits(const Scalar& value, DType type) {
  if (!is_integer(type) || !is_floating(value.dtype())) {
    value.cast(type);
    return;
  }
  whole_number(value.to_complex().real()).cast(type);
}

[[noreturn]] void throw_too_long() { throw ValueError("Maximum allowed size exceeded"); }

std::int64_t ceiling(double quotient) {
  const double length = std::ceil(quotient);
  if (!(length < 9.2e18)) throw_too_long();  // NaN as well
  return length > 0 ? static_cast<std::int64_t>(length) : 0;
}

// The first two values and the number of values, before conversion to the dtype.
struct Progression {
  Scalar first, second;
  std::int64_t length;
};

Progression whole_progression(const Scalar& start, const Scalar& stop, const Scalar& step) {
  const Wide first = to_wide(start);
  const Wide delta = to_wide(step);
  const Wide distance = to_wide(stop) - first;
  const bool runs = (distance > 0) == (delta > 0) && distance != 0;
  const Wide length = runs ? (distance + delta + (delta > 0 ? -1 : 1)) / delta : Wide{0};
  if (length > std::numeric_limits<std::int64_t>::max()) throw_too_long();
  // Only a sequence of two values and more needs the second, which then lies within range.
  const Wide second = length > 1 ? first + delta : first;
  return {from_wide(first), from_wide(second), static_cast<std::int64_t>(length)};
}

Progression complex_progression(const Scalar& start, const Scalar& stop, const Scalar& step) {
  const std::complex<double> first = start.to_complex();
  const std::complex<double> delta = step.to_complex();
  const std::complex<double> quotient = (stop.to_complex() - first) / delta;
  return {Scalar::weak(first), Scalar::weak(first + delta),
          std::min(ceiling(quotient.real()), ceiling(quotient.imag()))};
}

Progression progression(const Scalar& start, const Scalar& stop, const Scalar& step) {
  if (step.to_complex() == 0.0) throw ValueError("arange: the step must not be zero");
  if (is_whole(start) && is_whole(stop) && is_whole(step)) {
    return whole_progression(start, stop, step);
  }
  if (is_complex(start.dtype()) || is_complex(stop.dtype()) || is_complex(step.dtype())) {
    return complex_progression(start, stop, step);
  }
  const double first = start.to_complex().real();
  const double delta = step.to_complex().real();
  const double distance = stop.to_complex().real() - first;
  const double quotient = distance / delta;
  // A step in the right direction, however long, leaves the first value.
  const bool is_one = quotient == 0 && distance != 0 && !std::signbit(quotient);
  const std::int64_t length = is_one ? 1 : ceiling(quotient);
  const double second = length > 1 ? first + delta : first;
  return {Scalar::weak(first), Scalar::weak(second), length};
}

// first + i * (second - first) in the arithmetic of the dtype, as NumPy fills ranges.
Array progression_node(const Progression& range, DType dtype, const Device& device) {
  const Array first = make_scalar(range.first.cast(dtype), {}, device);
  const Array second = make_scalar(range.second.cast(dtype), {}, device);
  const Array position = make_cast(make_index({range.length}, device), dtype);
  const bool counts = range.first.to_complex() == 0.0 && range.second.to_complex() == 1.0;
  if (counts) return position;  // whose values are what the sums and products would be
  const Array delta = make_ufunc(UfuncId::subtract, {second, first});
  return make_ufunc(UfuncId::add, {first, make_ufunc(UfuncId::multiply, {position, delta})});
}

template <typename T>
void write_progression(T first, T second, std::span<T> elements) {
  const T delta = second - first;
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = first + static_cast<T>(i) * delta;
}

// Of few elements, the same at the call. No array: it is for a launch.
Array progression_at_call(const Progression& range, DType dtype, const Device& device) {
  if (dtype != DType::int64 && dtype != DType::float64) return {};
  Array result = array_at_call(dtype, {range.length}, device);
  if (!result.has_value()) return {};
  const Scalar first = range.first.cast(dtype), second = range.second.cast(dtype);
  const auto length = static_cast<std::size_t>(range.length);
  if (dtype == DType::float64) {
    write_progression(first.get<double>(), second.get<double>(),
                      std::span(static_cast<double*>(pointer_of(result)), length));
  } else {  // which wraps
    write_progression(static_cast<std::uint64_t>(first.get<std::int64_t>()),
                      static_cast<std::uint64_t>(second.get<std::int64_t>()),
                      std::span(static_cast<std::uint64_t*>(pointer_of(result)), length));
  }
  return result;
}

// Values of float16 and bfloat16 ranges are computed in float32 and rounded once.
DType arithmetic_dtype(DType dtype) {
  if (dtype == DType::bool_) return DType::int8;
  return dtype == DType::float16 || dtype == DType::bfloat16 ? DType::float32 : dtype;
}

// At least int64: numpy.arange treats its arguments as typed, and its own 0 and 1 as well.
DType range_dtype(const Scalar& start, const Scalar& stop, const Scalar& step) {
  DType type = DType::int64;
  for (const Scalar* value : {&start, &stop, &step}) type = promote_types(type, value->dtype());
  return type;
}

}  // namespace

Array arange(const Number& stop, std::optional<DType> dtype, DeviceOption device) {
  return arange(0, stop, 1, dtype, device);
}

Array arange(const Number& from, const Number& to, const Number& by, std::optional<DType> dtype,
             DeviceOption device) {
  const Scalar &start = from, &stop = to, &step = by;
  for (const Scalar* value : {&start, &stop, &step}) {
    if (dtype && !is_complex(*dtype) && value->weak_kind() == WeakKind::complex) {
      throw TypeError("must be real number, not complex");
    }
  }
  const Progression range = progression(start, stop, step);
  const DType type = dtype.value_or(range_dtype(start, stop, step));
  if (type == DType::bool_ && range.length > 2) {
    throw TypeError(
        "arange() is only supported for booleans when the result has at most length 2.");
  }
  if (range.length == 0) return empty({0}, type, device);
  // Refuses values beyond an integer dtype.
  check_fits(range.first, type);
  if (range.length > 1) check_fits(range.second, type);
  const Device where = device_or_current(device);
  if (Array few = progression_at_call(range, type, where); few.has_value()) return few;
  const Array target = empty({range.length}, type, where);
  write(progression_node(range, arithmetic_dtype(type), where), target);
  return target;
}

Array linspace(const Number& from, const Number& to, std::int64_t count, bool endpoint,
               std::optional<DType> dtype, DeviceOption device) {
  const Scalar &start = from, &stop = to;
  if (count < 0) {
    throw ValueError(fmt::format("Number of samples, {}, must be non-negative.", count));
  }
  const Operand operands[] = {start, stop, Scalar::weak(1.0)};
  const DType type = result_dtype(operands);
  const Array target = empty({count}, dtype.value_or(type), device);
  if (count == 0) return target;
  const Device where = target.device();
  const std::int64_t divisions = endpoint ? count - 1 : count;
  const std::complex<double> distance = stop.to_complex() - start.to_complex();
  const std::complex<double> step = distance / static_cast<double>(divisions);
  const auto constant = [&](std::complex<double> value) {
    return make_constant(value, type, where);
  };
  const Array index = make_index({count}, where);
  Array value = make_cast(index, type);
  if (divisions <= 0 || step == 0.0) {
    // The distance underflows when divided first.
    if (divisions > 0) {
      value = make_ufunc(UfuncId::divide, {value, constant(static_cast<double>(divisions))});
    }
    value = make_ufunc(UfuncId::multiply, {value, constant(distance)});
  } else {
    value = make_ufunc(UfuncId::multiply, {value, constant(step)});
  }
  value = make_ufunc(UfuncId::add, {value, make_scalar(start.cast(type), {}, where)});
  if (endpoint && count > 1) {
    const Array is_last =
        make_ufunc(UfuncId::equal, {index, make_constant(count - 1, DType::int64, where)});
    value = make_select(is_last, make_scalar(stop.cast(type), {}, where), value);
  }
  if (is_integer(target.dtype())) {
    value = make_ufunc(UfuncId::floor, {value});
  }
  write(value, target);
  return target;
}

}  // namespace cupola
