// New arrays by shape or by rule.

#include "cupola/ops/creation.h"

#include "core/layout.h"
#include "cupola/error.h"
#include "cupola/runtime.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "graph/node.h"
#include "ops/few_elements.h"
#include "python/functions/creation_texts.h"
#include "python/functions/direct_function.h"

namespace cupola::python {
namespace {

DType dtype_or_default(nb::handle dtype) {
  return dtype.is_none() ? DType::float64 : dtype_from(dtype);
}

// The order of a new array, which has no other order to keep.
char new_order_from(nb::handle object) {
  const char order = object.is_none() ? 'C' : order_from(object);
  if (order == 'A' || order == 'K') throw ValueError("only 'C' or 'F' order is permitted");
  return order;
}

nb::object full_with(const Scalar& value, const Dims& shape, DType dtype, DeviceOption device,
                     char order) {
  Array result = full_at_call(shape, value.cast(dtype), device, order);
  if (!result.has_value()) {
    Unlocked unlocked;
    result = full(shape, value, dtype, device, order);
  }
  return wrap(std::move(result));
}

template <std::int64_t kValue>
nb::object filled(nb::handle shape, nb::handle dtype, nb::handle order, nb::handle device,
                  nb::handle like) {
  const Dims extents = shape_from(shape);
  const DType type = dtype_or_default(dtype);
  const char layout = new_order_from(order);
  return full_with(Scalar::weak(kValue), extents, type, device_or_like(device, like), layout);
}

nb::object empty_of(nb::handle shape, nb::handle dtype, nb::handle order, nb::handle device,
                    nb::handle like) {
  const Dims extents = shape_from(shape);
  const DType type = dtype_or_default(dtype);
  const char layout = new_order_from(order);
  const DeviceOption where = device_or_like(device, like);
  if (where) check_device(*where);
  Array result = find_array(type, extents, where ? *where : current_device(), layout);
  if (!result.has_value()) {
    Unlocked unlocked;
    result = empty(extents, type, where, layout);
  }
  return wrap(std::move(result));
}

nb::object full_of(nb::handle shape, nb::handle value, nb::handle dtype, nb::handle order,
                   nb::handle device) {
  const Dims extents = shape_from(shape);
  const auto type = optional_dtype_from(dtype);
  const Scalar scalar = required_scalar_from(value, type);
  const char layout = new_order_from(order);
  return full_with(scalar, extents, type.value_or(scalar.dtype()), optional_device_from(device),
                   layout);
}

nb::object empty_like_of(nb::handle prototype, nb::handle dtype, nb::handle order, nb::handle shape,
                         nb::handle device) {
  const Array array = array_from(prototype);
  const auto type = optional_dtype_from(dtype);
  const char layout = order_from(order);
  std::optional<Dims> extents;
  if (!shape.is_none()) extents = shape_from(shape);
  const DeviceOption where = optional_device_from(device);
  Array result;
  {
    Unlocked unlocked;
    result = empty_like(array, type, layout, extents, where);
  }
  return wrap(std::move(result));
}

// An int that is in no integer dtype.
bool is_beyond_integers(nb::handle number) {
  if (!PyLong_CheckExact(number.ptr())) return false;
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow <= 0) return overflow < 0;
  PyLong_AsUnsignedLongLong(number.ptr());
  const bool is_beyond = PyErr_Occurred() != nullptr;
  PyErr_Clear();
  return is_beyond;
}

nb::object range(nb::handle start, nb::handle stop, nb::handle step, nb::handle dtype,
                 nb::handle device) {
  if (is_beyond_integers(start) || is_beyond_integers(stop) || is_beyond_integers(step)) {
    const nb::module_ ranges = nb::module_::import_("cupola._functions.creation.ranges");
    return ranges.attr("range_of_large")(start, stop, step, dtype, device);
  }
  const auto type = optional_dtype_from(dtype);
  const Scalar first = required_scalar_from(start, type);
  const Scalar last = required_scalar_from(stop, type);
  const Scalar by = required_scalar_from(step, type);
  const DeviceOption where = optional_device_from(device);
  Array result;
  {
    Unlocked unlocked;
    result = arange(first, last, by, type, where);
  }
  return wrap(std::move(result));
}

nb::object points(nb::handle start, nb::handle stop, nb::handle count, bool endpoint,
                  nb::handle dtype, nb::handle device) {
  const auto type = optional_dtype_from(dtype);
  const Scalar first = required_scalar_from(start, type);
  const Scalar last = required_scalar_from(stop, type);
  const std::int64_t number = index_from(count);
  const DeviceOption where = optional_device_from(device);
  Array result;
  {
    Unlocked unlocked;
    result = linspace(first, last, number, endpoint, type, where);
  }
  return wrap(std::move(result));
}

nb::object eye_of(nb::handle rows, nb::handle columns, nb::handle k, nb::handle dtype,
                  nb::handle order, nb::handle device) {
  const std::int64_t row_count = index_from(rows);
  const std::int64_t column_count = columns.is_none() ? row_count : index_from(columns);
  const std::int64_t diagonal = index_from(k);
  const DType type = dtype_or_default(dtype);
  const char layout = new_order_from(order);
  const DeviceOption where = optional_device_from(device);
  Array result;
  {
    Unlocked unlocked;
    result = eye(row_count, column_count, diagonal, type, where, layout);
  }
  return wrap(std::move(result));
}

nb::object tri_of(nb::handle rows, nb::handle columns, nb::handle k, nb::handle dtype,
                  nb::handle device) {
  const std::int64_t row_count = index_from(rows);
  const std::int64_t column_count = columns.is_none() ? row_count : index_from(columns);
  const std::int64_t diagonal = index_from(k);
  const DType type = dtype_or_default(dtype);
  const DeviceOption where = optional_device_from(device);
  Array result;
  {
    Unlocked unlocked;
    result = tri(row_count, column_count, diagonal, type, where);
  }
  return wrap(std::move(result));
}

// The row-major number of each element, pending: part of the kernel of what is computed from it.
nb::object positions(nb::handle shape, nb::handle device) {
  const Array numbers = make_index(shape_from(shape), device_from(device));
  lay_out(numbers, c_strides(numbers.shape()));
  return wrap(numbers);
}

template <Array (*kFunction)(const Array&, std::int64_t)>
nb::object by_diagonal(nb::handle a, nb::handle k) {
  const Array array = array_from(a);
  const std::int64_t diagonal = index_from(k);
  Array result;
  {
    Unlocked unlocked;
    result = kFunction(array, diagonal);
  }
  return wrap_view(std::move(result), a);
}

}  // namespace

void bind_creation(nb::module_& m) {
  constexpr const char* kSignature =
      "(shape: ShapeLike, dtype: DTypeLike = None, order: OrderLike = 'C', *, "
      "device: DeviceLike = None, like: Any = None) -> ndarray";
  DirectFunction<empty_of>::define(m, {"empty", kSignature, kEmptyText});
  DirectFunction<filled<0>>::define(m, {"zeros", kSignature, kZerosText});
  DirectFunction<filled<1>>::define(m, {"ones", kSignature, kOnesText});
  m.def("full", full_of, nb::arg("shape").none(), nb::arg("fill_value").none(),
        nb::arg("dtype") = nb::none(), nb::arg("order").none() = "C",
        nb::arg("device") = nb::none());
  m.def("empty_like", empty_like_of, nb::arg("prototype").none(), nb::arg("dtype") = nb::none(),
        nb::arg("order").none() = "K", nb::arg("shape") = nb::none(),
        nb::arg("device") = nb::none());
  m.def("arange", range, nb::arg("start").none(), nb::arg("stop").none(), nb::arg("step").none(),
        nb::arg("dtype") = nb::none(), nb::arg("device") = nb::none());
  m.def("linspace", points, nb::arg("start").none(), nb::arg("stop").none(), nb::arg("num").none(),
        nb::arg("endpoint") = true, nb::arg("dtype") = nb::none(), nb::arg("device") = nb::none());
  m.def("eye", eye_of, nb::arg("N").none(), nb::arg("M") = nb::none(), nb::arg("k").none() = 0,
        nb::arg("dtype") = nb::none(), nb::arg("order").none() = "C",
        nb::arg("device") = nb::none());
  m.def("tri", tri_of, nb::arg("N").none(), nb::arg("M") = nb::none(), nb::arg("k").none() = 0,
        nb::arg("dtype") = nb::none(), nb::arg("device") = nb::none());
  m.def("positions", positions, nb::arg("shape").none(), nb::arg("device").none());
  m.def("tril", by_diagonal<cupola::tril>, nb::arg("m").none(), nb::arg("k").none() = 0);
  m.def("triu", by_diagonal<cupola::triu>, nb::arg("m").none(), nb::arg("k").none() = 0);
  m.def("diag", by_diagonal<cupola::diag>, nb::arg("v").none(), nb::arg("k").none() = 0);
}

}  // namespace cupola::python
