// numpy.dtype and NumPy's scalar types <-> DType.

#include <algorithm>
#include <array>
#include <string>

#include "cupola/error.h"
#include "python/bindings.h"

namespace cupola::python {
namespace {

constexpr std::size_t kCount = kDTypeCount;

// Borrowed for the process's life: these objects are NumPy's own singletons.
struct NumPyTypes {
  std::array<PyObject*, kCount> dtypes{};        // bfloat16 on first use
  std::array<PyObject*, kCount> scalar_types{};  // likewise
  PyTypeObject* ndarray = nullptr;
  PyTypeObject* generic = nullptr;
  PyObject* dtype = nullptr;
  PyObject* dtype_name = nullptr;  // the attribute's, interned
};
NumPyTypes numpy;

constexpr auto kBFloat16 = static_cast<std::size_t>(DType::bfloat16);

// The dtype object of ml_dtypes where that is installed, else the package's own.
void load_bfloat16() {
  if (numpy.dtypes[kBFloat16]) return;
  nb::object object = nb::module_::import_("cupola._functions.bfloat16").attr("dtype_object")();
  numpy.scalar_types[kBFloat16] = nb::object(object.attr("type")).release().ptr();
  numpy.dtypes[kBFloat16] = object.release().ptr();
}

std::optional<DType> find_by_identity(PyObject* object) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (object == numpy.dtypes[i] || object == numpy.scalar_types[i]) {
      return static_cast<DType>(i);
    }
  }
  if (object == reinterpret_cast<PyObject*>(&PyFloat_Type)) return DType::float64;
  if (object == reinterpret_cast<PyObject*>(&PyLong_Type)) return DType::int64;
  if (object == reinterpret_cast<PyObject*>(&PyBool_Type)) return DType::bool_;
  if (object == reinterpret_cast<PyObject*>(&PyComplex_Type)) return DType::complex128;
  return std::nullopt;
}

std::optional<DType> find_by_kind(char kind, long bytes) {
  switch (kind) {
    case 'b':
      return DType::bool_;
    case 'i':
      return bytes == 1   ? DType::int8
             : bytes == 2 ? DType::int16
             : bytes == 4 ? DType::int32
                          : DType::int64;
    case 'u':
      return bytes == 1   ? DType::uint8
             : bytes == 2 ? DType::uint16
             : bytes == 4 ? DType::uint32
                          : DType::uint64;
    case 'f':
      if (bytes == 2) return DType::float16;
      if (bytes == 4) return DType::float32;
      if (bytes == 8) return DType::float64;
      return std::nullopt;
    case 'c':
      if (bytes == 8) return DType::complex64;
      if (bytes == 16) return DType::complex128;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// By attributes that NumPy's dtypes have.
std::optional<DType> find_described(nb::handle dtype) {
  const std::string kind = shown(dtype.attr("kind"));
  return kind.size() == 1 ? find_by_kind(kind[0], index_from(dtype.attr("itemsize")))
                          : std::nullopt;
}

DType from_numpy_dtype(nb::handle object) {
  if (auto found = find_by_identity(object.ptr())) return *found;
  if (shown(object.attr("name")) == "bfloat16") return DType::bfloat16;
  const auto found = find_described(object);
  if (!found) {
    throw TypeError("dtype '" + shown(object) +
                    "' is not supported; arrays hold bool, integers, floating and complex numbers");
  }
  if (!nb::cast<bool>(nb::bool_(object.attr("isnative")))) {
    throw TypeError("dtype '" + shown(object.attr("str")) +
                    "' is not in the byte order of this machine");
  }
  return *found;
}

}  // namespace

void initialize_numpy_types() {
  nb::module_ module = nb::module_::import_("numpy");
  numpy.ndarray = reinterpret_cast<PyTypeObject*>(module.attr("ndarray").inc_ref().ptr());
  numpy.generic = reinterpret_cast<PyTypeObject*>(module.attr("generic").inc_ref().ptr());
  numpy.dtype = nb::object(module.attr("dtype")).release().ptr();
  numpy.dtype_name = PyUnicode_InternFromString("dtype");
  for (std::size_t i = 0; i < kCount; ++i) {
    if (i == kBFloat16) continue;
    const std::string name(name_of(static_cast<DType>(i)));
    nb::object dtype = nb::handle(numpy.dtype)(name.c_str());
    numpy.scalar_types[i] = nb::object(dtype.attr("type")).release().ptr();
    numpy.dtypes[i] = dtype.release().ptr();
  }
}

nb::object dtype_object(DType dtype) {
  if (dtype == DType::bfloat16) load_bfloat16();
  return nb::borrow(numpy.dtypes[static_cast<std::size_t>(dtype)]);
}

DType dtype_from(nb::handle object) {
  if (auto found = find_by_identity(object.ptr())) return *found;
  if (PyUnicode_Check(object.ptr())) {
    if (const auto named = cupola::find_dtype(shown(object))) return *named;
  }
  if (nb::hasattr(object, "name") && nb::hasattr(object, "itemsize")) {
    return from_numpy_dtype(object);
  }
  if (auto found = PyType_Check(object.ptr())
                       ? scalar_type_dtype(reinterpret_cast<PyTypeObject*>(object.ptr()))
                       : std::nullopt) {
    return *found;
  }
  return from_numpy_dtype(nb::handle(numpy.dtype)(object));
}

std::optional<DType> optional_dtype_from(nb::handle object) {
  if (object.is_none()) return std::nullopt;
  return dtype_from(object);
}

std::optional<DType> scalar_type_dtype(PyTypeObject* type) {
  auto* object = reinterpret_cast<PyObject*>(type);
  for (std::size_t i = 0; i < kCount; ++i) {
    if (object == numpy.scalar_types[i]) return static_cast<DType>(i);
  }
  if (!PyType_IsSubtype(type, numpy.generic)) return std::nullopt;
  // C's other names for the same types (long long), and bfloat16 met before it was asked for.
  if (nb::hasattr(object, "dtype") && name_of_type(type).find("bfloat16") != std::string::npos) {
    return DType::bfloat16;
  }
  nb::object dtype = nb::handle(numpy.dtype)(nb::handle(object));
  return find_described(dtype);
}

std::optional<DType> plain_dtype_of(nb::handle numpy_array) {
  const nb::object dtype = nb::steal(PyObject_GetAttr(numpy_array.ptr(), numpy.dtype_name));
  if (!dtype.is_valid()) throw nb::python_error();
  const auto found = std::find(numpy.dtypes.begin(), numpy.dtypes.end(), dtype.ptr());
  if (found == numpy.dtypes.end()) return std::nullopt;
  return static_cast<DType>(found - numpy.dtypes.begin());
}

bool is_numpy_scalar(nb::handle object) {
  return PyType_IsSubtype(Py_TYPE(object.ptr()), numpy.generic);
}

bool is_exactly_numpy_array(nb::handle object) { return Py_TYPE(object.ptr()) == numpy.ndarray; }

bool is_numpy_array(nb::handle object) {
  return PyType_IsSubtype(Py_TYPE(object.ptr()), numpy.ndarray);
}

}  // namespace cupola::python
