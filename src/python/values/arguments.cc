// Shapes, axes, orders, casting rules, devices and operands from Python objects.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cupola/error.h"
#include "cupola/runtime.h"
#include "cupola/warnings.h"
#include "python/bindings.h"
#include "python/borders/host_border.h"

namespace cupola::python {
namespace {

// Arrays are both: those of one dimension are sequences, those of none are integers.
bool is_integer(nb::handle object) {
  if (!PyIndex_Check(object.ptr())) return false;
  if (!PySequence_Check(object.ptr())) return true;
  const bool is_sized = PySequence_Size(object.ptr()) >= 0;
  PyErr_Clear();
  return !is_sized;
}

Dims extents_from(nb::handle object, const char* overflow_message) {
  const auto extent = [&](PyObject* value) -> std::int64_t {
    if (overflow_message && PyBool_Check(value)) {
      throw TypeError("an integer is required, not a bool");
    }
    if (PyLong_Check(value)) {
      int overflow = 0;
      const long long result = PyLong_AsLongLongAndOverflow(value, &overflow);
      if (!overflow) return result;
      if (overflow_message) throw ValueError(overflow_message);
    }
    return index_from(value);
  };
  if (PyLong_Check(object.ptr()) || is_integer(object)) return {extent(object.ptr())};
  Dims result;
  if (!PySequence_Check(object.ptr())) {
    throw TypeError("expected a sequence of integers or a single integer, got '" + shown(object) +
                    "'");
  }
  const nb::object items = nb::steal(PySequence_Tuple(object.ptr()));
  if (!items.is_valid()) throw nb::python_error();
  const Py_ssize_t count = NB_TUPLE_GET_SIZE(items.ptr());
  if (count > kMaxRank) {
    throw ValueError("maximum supported dimension for an ndarray is currently 64, found " +
                     std::to_string(count));
  }
  result.resize(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    result[static_cast<std::size_t>(i)] = extent(NB_TUPLE_GET_ITEM(items.ptr(), i));
  }
  return result;
}

// A NumPy array where one on a device is needed: refused, unless the program allowed such copies.
void check_host_operand() {
  const HostCopy mode = host_copy();
  if (mode == HostCopy::allow) return;
  const char* const text =
      "operand is a numpy.ndarray; cupola.asarray copies it to a device (nothing is copied "
      "between host and device unasked)";
  if (mode != HostCopy::warn) throw TypeError(text);
  warn_of_performance(std::string("an implicit copy to a device: ") + text);
}

}  // namespace

std::int64_t index_from(nb::handle object) {
  nb::object number = nb::steal(PyNumber_Index(object.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  const long long value = PyLong_AsLongLong(number.ptr());
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

Dims shape_from(nb::handle object) {
  return extents_from(object, "Maximum allowed dimension exceeded");
}

namespace {

[[noreturn]] void refuse_as_integer(nb::handle object) {
  throw TypeError("'" + class_name(object.ptr()) + "' object cannot be interpreted as an integer");
}

}  // namespace

Dims axes_from(nb::handle object) {
  if (!PyIndex_Check(object.ptr()) && !PySequence_Check(object.ptr())) refuse_as_integer(object);
  return extents_from(object, nullptr);
}

std::optional<Dims> optional_axes_from(nb::handle object) {
  if (object.is_none()) return std::nullopt;
  return axes_from(object);
}

std::optional<Dims> axis_or_tuple_from(nb::handle object) {
  if (object.is_none()) return std::nullopt;
  if (!PyIndex_Check(object.ptr()) && !PyTuple_Check(object.ptr())) refuse_as_integer(object);
  return axes_from(object);
}

namespace {

// Of a buffer of one dimension that holds them as they are.
std::optional<std::vector<std::int64_t>> counts_of_buffer(nb::handle object) {
  if (!PyObject_CheckBuffer(object.ptr())) return std::nullopt;
  Py_buffer buffer;
  if (PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  const std::string_view format = buffer.format == nullptr ? "" : buffer.format;
  std::optional<std::vector<std::int64_t>> counts;
  if (buffer.ndim == 1 && buffer.itemsize == 8 && (format == "l" || format == "q")) {
    const auto* const first = static_cast<const std::int64_t*>(buffer.buf);
    counts.emplace(first, first + buffer.len / 8);
  }
  PyBuffer_Release(&buffer);
  return counts;
}

}  // namespace

std::vector<std::int64_t> counts_from(nb::handle object) {
  if (is_integer(object) || !PySequence_Check(object.ptr())) return {index_from(object)};
  if (auto counts = counts_of_buffer(object)) return *std::move(counts);
  std::vector<std::int64_t> counts;
  for (nb::handle count : nb::iter(object)) counts.push_back(index_from(count));
  return counts;
}

std::optional<std::int64_t> optional_index_from(nb::handle object) {
  if (object.is_none()) return std::nullopt;
  return index_from(object);
}

nb::tuple tuple_from(const Dims& dims) {
  nb::tuple result = nb::steal<nb::tuple>(PyTuple_New(static_cast<Py_ssize_t>(dims.size())));
  for (std::size_t i = 0; i < dims.size(); ++i) {
    NB_TUPLE_SET_ITEM(result.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(dims[i]));
  }
  return result;
}

char order_from(nb::handle object) {
  if (object.is_none()) return 'K';
  const std::string text = text_from(object, "order");
  if (text.size() == 1) {
    const char order = static_cast<char>(text[0] & ~0x20);
    if (order == 'C' || order == 'F' || order == 'A' || order == 'K') return order;
  }
  throw ValueError("order must be one of 'C', 'F', 'A', or 'K' (got '" + text + "')");
}

Casting casting_from(nb::handle object) {
  const std::string text = text_from(object, "casting");
  for (const Casting casting :
       {Casting::no, Casting::equiv, Casting::safe, Casting::same_kind, Casting::unsafe_}) {
    if (name_of(casting) == text) return casting;
  }
  throw ValueError("casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got '" +
                   text + "')");
}

Device device_from(nb::handle object) {
  Device* device = nullptr;
  // None would be a null pointer.
  if (!object.is_none() && nb::try_cast(object, device)) return *device;
  if (PyUnicode_Check(object.ptr())) return Device::parse(text_from(object, "device"));
  if (PyLong_Check(object.ptr()) && !PyBool_Check(object.ptr())) {
    const std::int64_t index = index_from(object);
    if (index >= Device::kFirstSet && index < Device::kEndOfIndices) {
      const Device set(default_platform(), static_cast<int>(index));
      set.members();  // throws: there is no such set
      return set;
    }
    if (index < 0 || index >= Device::kFirstSet) {
      throw DeviceError("device index must be in [0, 511], got " + std::to_string(index));
    }
    return Device(default_platform(), static_cast<int>(index));
  }
  throw TypeError("device must be a cupola.Device or a str like 'cpu:0', not " +
                  class_name(object.ptr()));
}

std::optional<Device> optional_device_from(nb::handle object) {
  if (object.is_none()) return std::nullopt;
  return device_from(object);
}

void warn_of_lost_imaginary_parts(DType from, DType to) {
  if (!is_complex(from) || is_complex(to) || to == DType::bool_) return;
  const nb::object category = nb::module_::import_("numpy.exceptions").attr("ComplexWarning");
  if (PyErr_WarnEx(category.ptr(), "Casting complex values to real discards the imaginary part",
                   1) < 0) {
    throw nb::python_error();
  }
}

std::optional<Array> lent_array(nb::handle object) {
  if (!nb::hasattr(object, "__cuda_array_interface__")) return std::nullopt;
  const nb::module_ importing = nb::module_::import_("cupola._functions.creation.foreign");
  return array_from(importing.attr("import_foreign")(object));
}

std::optional<Device> device_or_like(nb::handle device, nb::handle like) {
  if (like.is_none()) return optional_device_from(device);
  const NdArray* found = find_array(like);
  if (!found) {
    throw TypeError("`like` must be a cupola.ndarray, whose device is that of the result, not " +
                    nb::cast<std::string>(nb::type_name(like.type())));
  }
  return device.is_none() ? found->array().device() : device_from(device);
}

Array array_like_from(nb::handle object) {
  if (NdArray* found = find_array(object)) return found->array();
  if (is_numpy_array(object) && nb::cast<int>(object.attr("ndim")) > 0) check_host_operand();
  return array_from_anything(object, current_device());
}

nb::object array_object_from(nb::handle object) {
  return find_array(object) ? nb::borrow(object) : wrap(array_like_from(object));
}

namespace {

// Python's own sequences of numbers; those of other libraries may be arrays of a device.
bool is_sequence(nb::handle object) {
  PyObject* const value = object.ptr();
  if (PyList_Check(value) || PyTuple_Check(value) || PyRange_Check(value)) return true;
  if (!PySequence_Check(value)) return false;
  return nb::isinstance(object, nb::module_::import_("array").attr("array")) ||
         nb::isinstance(object, nb::module_::import_("collections").attr("deque"));
}

// Of what the package has beside arrays that stands for one: an iterator over elements, a
// polynomial.
std::optional<Array> array_for(nb::handle object, const Device& device) {
  nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
  nb::object method = nb::getattr(type, "_cupola_operand", nb::object());
  if (!method.is_valid()) return std::nullopt;
  nb::object given = method(object);
  if (NdArray* found = find_array(given)) return found->array();
  return array_from_anything(given, device);
}

}  // namespace

Operand operand_from(nb::handle object, const std::optional<Device>& device) {
  if (NdArray* found = find_array(object)) return found->array();
  if (auto scalar = weak_scalar_from(object)) return *scalar;
  if (is_sequence(object)) {
    return array_from_anything(object, device ? *device : current_device());
  }
  if (is_numpy_array(object)) {
    check_host_operand();
    return array_from_anything(object, device ? *device : current_device());
  }
  if (auto array = array_for(object, device ? *device : current_device())) return *array;
  if (auto array = lent_array(object)) return *array;
  throw TypeError("unsupported operand type '" + class_name(object.ptr()) +
                  "': an array or a number is needed");
}

std::optional<Operand> optional_operand_from(nb::handle object) {
  if (object.is_none()) return std::nullopt;
  return operand_from(object);
}

std::optional<Operand> operator_operand_from(nb::handle object, const Device& device) {
  if (NdArray* found = find_array(object)) return found->array();
  if (auto scalar = weak_scalar_from(object)) return *scalar;
  if (is_sequence(object) || is_numpy_array(object)) return operand_from(object, device);
  if (auto array = array_for(object, device)) return *array;
  return std::nullopt;
}

}  // namespace cupola::python
