#pragma once
// Small pieces that several operation families share.

#include <functional>
#include <optional>

#include "cupola/ops/elementwise.h"
#include "graph/node.h"

namespace cupola {

// The device asked for (which must exist), else the current one.
Device device_or_current(const std::optional<Device>& device);

// One value of `dtype` as a node of shape (); the value is converted as by astype.
template <typename T>
Array make_constant(T value, DType dtype, const Device& device) {
  return make_scalar(Scalar(value).cast(dtype), {}, device);
}

inline Array make_int64(std::int64_t value, const Device& device) {
  return make_constant(value, DType::int64, device);
}

// int64 positions 0 .. extent-1 along `axis` of `rank` dimensions, all others of extent 1.
Array axis_positions(std::int64_t extent, std::size_t axis, std::size_t rank, const Device& device);

// Elements of a stored array of one dimension by their numbers (int64), which are in bounds.
Array take_numbers(const Array& row, const Array& numbers);

// `a` stored, with dimensions of extent 1 added at the end.
Array with_trailing_ones(const Array& a, std::size_t count);

// Shape without the dimensions `axes` (normalised).
Dims without_axes(const Dims& shape, const Dims& axes);
// Shape with extent 1 at `axes`.
Dims with_unit_axes(const Dims& shape, const Dims& axes);

// Whether an array of that shape can be repeated to one of shape `target`.
bool broadcasts_to(const Dims& shape, const Dims& target);

// Throws CastingError with NumPy's words.
void check_cast(DType from, DType to, Casting casting);
// A Python number that its own conversion refuses: complex for a real dtype (TypeError), NaN
// (ValueError) and infinity (OverflowError) for an integer dtype.
void check_number(const Operand& value, DType dtype);
// The Python integer that int() makes of a number. Throws ValueError for NaN, and OverflowError for
// what no integer dtype holds.
Scalar whole_number(double value);
// A number as it is stored in one element: in integers Python's numbers, and in signed ones all
// numbers, as int() converts them; throws OverflowError where it does not fit. Else as by astype.
Scalar element_value(const Scalar& value, DType dtype);
// Throws ValueError for a read-only array and DeviceError for one elsewhere.
void check_output(const Array& out, const Device& device);
// Computes `value` into `out` (of the same shape, checked by the caller; cast as by astype), or
// into a new array when there is no `out`.
Array finish(const Array& value, const Array& out);

// What the host needs to go on: whether the one element is not zero, and an int64.
bool read_bool(const Array& value);
// Has `report` throw an IndexError or a ValueError if any element is true: at the call, where that
// takes no waiting for a device, else where values are observed.
void report_any(const Array& is_wrong, std::function<void()> report);
std::int64_t read_int64(const Array& value);

}  // namespace cupola
