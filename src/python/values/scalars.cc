// Python numbers and NumPy scalars <-> Scalar.

#include <algorithm>
#include <complex>

#include "core/logical_ufuncs.h"
#include "core/ufunc.h"
#include "cupola/error.h"
#include "cupola/transfer.h"
#include "exec/transfers/scalar_read.h"
#include "python/bindings.h"
#include "runtime/observer.h"

namespace cupola::python {
namespace {

// Nothing beyond 64 bits.
std::optional<Scalar> weak_integer(PyObject* object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) {
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    return Scalar::weak(static_cast<std::int64_t>(value));
  }
  const unsigned long long big = overflow > 0 ? PyLong_AsUnsignedLongLong(object) : 0;
  if (overflow < 0 || PyErr_Occurred()) {
    PyErr_Clear();
    return std::nullopt;
  }
  return Scalar::weak(static_cast<std::uint64_t>(big));
}

Scalar large_integer(PyObject* object) {
  const double value = PyLong_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred()) throw nb::python_error();
  return Scalar::weak_large(value);
}

bool is_large_integer(const Scalar& scalar) {
  return scalar.weak_kind() == WeakKind::integer && scalar.dtype() == DType::float64;
}

// A NumPy scalar or NumPy array of rank 0.
Scalar typed_scalar(nb::handle object, DType dtype) {
  nb::object text = object.attr("tobytes")();
  return Scalar::from_bytes(dtype, PyBytes_AsString(text.ptr()));
}

}  // namespace

std::optional<Scalar> scalar_from(nb::handle handle) {
  const auto scalar = weak_scalar_from(handle);
  if (scalar && is_large_integer(*scalar)) {
    throw OverflowError("Python int too large: no integer dtype holds " + shown(handle.ptr()));
  }
  return scalar;
}

std::optional<Scalar> weak_scalar_from(nb::handle handle) {
  PyObject* object = handle.ptr();
  const auto integer = [&] {
    const auto fit = weak_integer(object);
    return fit ? *fit : large_integer(object);
  };
  if (PyBool_Check(object)) return Scalar::weak(object == Py_True);
  if (PyLong_CheckExact(object)) return integer();
  if (PyFloat_CheckExact(object)) return Scalar::weak(PyFloat_AsDouble(object));
  if (PyComplex_CheckExact(object)) {
    return Scalar::weak(
        std::complex<double>(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object)));
  }
  if (is_numpy_scalar(handle)) {
    const auto dtype = scalar_type_dtype(Py_TYPE(object));
    if (!dtype) return std::nullopt;
    return typed_scalar(handle, *dtype);
  }
  if (is_numpy_array(handle)) {
    if (index_from(handle.attr("ndim")) != 0) return std::nullopt;
    const DType dtype = dtype_from(handle.attr("dtype"));
    return typed_scalar(handle, dtype);
  }
  // Subclasses (an IntEnum) count as the numbers that they are.
  if (PyLong_Check(object)) return integer();
  if (PyFloat_Check(object)) return Scalar::weak(PyFloat_AsDouble(object));
  if (PyComplex_Check(object)) {
    return Scalar::weak(
        std::complex<double>(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object)));
  }
  return std::nullopt;
}

std::optional<Scalar> unfit_integer_from(nb::handle object, UfuncId id,
                                         std::optional<DType> beside) {
  if (!PyLong_CheckExact(object.ptr())) return std::nullopt;
  if (is_logical(id)) return Scalar::weak(PyObject_IsTrue(object.ptr()) == 1);
  if (weak_integer(object.ptr())) return std::nullopt;
  if (!is_comparison(id) || !beside || !is_integer(*beside)) return large_integer(object.ptr());
  // Larger or less than all of them, which is all that counts.
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  return Scalar::weak_large(overflow * 1e300);
}

Scalar item_of(Array array, const char* asked_by) {
  if (array.size() == 1) {
    if (const std::optional<Scalar> known = observe_element(array)) return *known;
  }
  const AskedBy asked(asked_by);
  Unlocked unlocked;
  return item(array);
}

Scalar required_scalar_from(nb::handle object, const std::optional<DType>& dtype) {
  if (auto scalar = dtype ? weak_scalar_from(object) : scalar_from(object)) return *scalar;
  if (NdArray* array = find_array(object)) {
    if (array->array().size() == 1) return item_of(array->array(), "an array as a number");
  }
  throw TypeError(std::string("a number is needed, not ") + class_name(object.ptr()));
}

nb::object scalar_object(const Scalar& scalar) {
  const DType dtype = scalar.dtype();
  if (dtype == DType::bool_) return nb::bool_(scalar.get<bool>());
  if (dtype == DType::uint64) {
    return nb::steal(PyLong_FromUnsignedLongLong(scalar.get<std::uint64_t>()));
  }
  if (is_integer(dtype)) {
    const Scalar wide = scalar.cast(DType::int64);
    return nb::steal(PyLong_FromLongLong(wide.get<std::int64_t>()));
  }
  if (is_floating(dtype)) {
    return nb::steal(PyFloat_FromDouble(scalar.cast(DType::float64).get<double>()));
  }
  const std::complex<double> value = scalar.to_complex();
  return nb::steal(PyComplex_FromDoubles(value.real(), value.imag()));
}

}  // namespace cupola::python
