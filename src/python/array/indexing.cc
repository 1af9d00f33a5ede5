// Python index expressions -> cupola::Index.

#include <algorithm>
#include <complex>
#include <limits>
#include <span>

#include "core/array_state.h"
#include "core/slice_stride.h"
#include "core/ufunc.h"
#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "cupola/transfer.h"
#include "exec/host/host_copy.h"
#include "exec/host/host_element.h"
#include "ops/indexing/index_host.h"
#include "python/array/indexing.h"
#include "python/array/slots.h"
#include "python/array/temporary.h"
#include "runtime/observer.h"

namespace cupola::python {
namespace {

constexpr const char* kInvalidIndex =
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
    "arrays are valid indices";

std::int64_t integer_index(PyObject* object) {
  nb::object number = nb::steal(PyNumber_Index(object));
  if (!number.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow) throw IndexError("cannot fit 'int' into an index-sized integer");
  return value;
}

// Bounds beyond 64 bits are as good as the largest.
std::optional<std::int64_t> slice_bound(PyObject* object) {
  if (object == Py_None) return std::nullopt;
  if (!PyIndex_Check(object)) {
    throw TypeError("slice indices must be integers or None or have an __index__ method");
  }
  const Py_ssize_t value = PyNumber_AsSsize_t(object, nullptr);
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

Slice slice_term(PyObject* object) {
  const SliceParts parts = parts_of_slice(object);
  Slice result{slice_bound(parts.start), slice_bound(parts.stop), slice_bound(parts.step)};
  if (result.step && *result.step == 0) throw ValueError("slice step cannot be zero");
  return result;
}

Array boolean_term(bool value, const Device& device) {
  return from_host(&value, DType::bool_, {}, {}, device);
}

Array checked_term(Array array) {
  if (!is_integer(array.dtype()) && array.dtype() != DType::bool_) {
    throw IndexError("arrays used as indices must be of integer (or boolean) type, found " +
                     std::string(name_of(array.dtype())));
  }
  return array;
}

Array array_term(nb::handle object, const Device& device) {
  Array array;
  try {
    array = array_from_anything(object, device);
  } catch (const TypeError&) {
    throw IndexError(kInvalidIndex);
  }
  const bool list = !is_numpy_array(object);
  if (list && array.size() == 0) return astype(array, DType::int64);
  return checked_term(std::move(array));
}

IndexTerm term_from(nb::handle handle, const Device& device) {
  PyObject* object = handle.ptr();
  if (PyLong_CheckExact(object)) return integer_index(object);
  if (PySlice_Check(object)) return slice_term(object);
  if (object == Py_None) return NewAxis{};
  if (object == Py_Ellipsis) return Ellipsis{};
  if (PyBool_Check(object)) return boolean_term(object == Py_True, device);
  if (NdArray* array = find_array(handle)) return checked_term(array->array());
  if (is_numpy_scalar(handle)) {
    if (const auto scalar = scalar_from(handle); scalar && scalar->dtype() == DType::bool_) {
      return boolean_term(scalar->get<bool>(), device);
    }
  }
  if (is_numpy_array(handle) || PyList_Check(object) || PyTuple_Check(object)) {
    return array_term(handle, device);
  }
  if (PyIndex_Check(object)) return integer_index(object);
  if (PyObject_HasAttrString(object, "__array__")) {
    return array_term(nb::module_::import_("numpy").attr("asarray")(handle), device);
  }
  if (PySequence_Check(object) && !PyUnicode_Check(object) && !PyBytes_Check(object)) {
    nb::object items = nb::steal(PySequence_List(object));
    if (!items.is_valid()) throw nb::python_error();
    return array_term(items, device);
  }
  throw IndexError(kInvalidIndex);
}

// NumPy stores a Python number as float() or int() converts it.
void check_number(PyObject* value, DType dtype) {
  if (PyComplex_CheckExact(value) && !is_complex(dtype) && dtype != DType::bool_) {
    throw TypeError(std::string(is_integer(dtype) ? "int() argument must be a string, a bytes-like "
                                                    "object or a real number"
                                                  : "float() argument must be a string or a real "
                                                    "number") +
                    ", not 'complex'");
  }
}

bool is_one_element(const Index& index, const Array& array) {
  return array.rank() > 0 && static_cast<int>(index.size()) == array.rank() &&
         std::all_of(index.begin(), index.end(),
                     [](const auto& term) { return std::holds_alternative<std::int64_t>(term); });
}

// Whether an array of integers stores it as int() converts it, or refuses it: a Python float, None,
// a list for one element; in one of signed integers, and not by index arrays, a NumPy real number
// as well.
bool is_stored_by_int(nb::handle value, const Array& target, const Index& index) {
  if (!is_integer(target.dtype())) return false;
  if (PyFloat_CheckExact(value.ptr()) || value.is_none()) return true;
  if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) return is_one_element(index, target);
  const auto is_array = [](const auto& term) { return std::holds_alternative<Array>(term); };
  if (kind_of(target.dtype()) != DTypeKind::signed_integer || !is_numpy_scalar(value)) return false;
  if (std::any_of(index.begin(), index.end(), is_array)) return false;
  const auto dtype = scalar_type_dtype(Py_TYPE(value.ptr()));
  return dtype && (is_integer(*dtype) || is_floating(*dtype));
}

// A list that lies deeper than the view has dimensions holds sequences where elements are wanted.
void check_depth(const Array& value, const Array& target, const Index& index) {
  int rank = target.rank();
  for (const auto& term : index) {
    if (std::holds_alternative<Array>(term)) return;
    rank += std::holds_alternative<NewAxis>(term) - std::holds_alternative<std::int64_t>(term);
  }
  if (rank >= 0 && value.rank() > rank) {  // else there are too many indices
    throw ValueError(
        "setting an array element with a sequence. The requested array would exceed the maximum "
        "number of dimension of " +
        std::to_string(rank) + ".");
  }
}

Operand assigned_value(nb::handle value, const Array& target, const Index& index) {
  if (NdArray* array = find_array(value)) return array->array();
  if (is_stored_by_int(value, target, index)) {
    nb::object whole = nb::steal(PyNumber_Long(value.ptr()));
    if (!whole.is_valid()) throw nb::python_error();
    return *scalar_from(whole);
  }
  if (value.is_none()) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (target.dtype() == DType::bool_) return Scalar(false);
    return is_complex(target.dtype()) ? Scalar(std::complex<double>(nan, nan)) : Scalar(nan);
  }
  check_number(value.ptr(), target.dtype());
  if (const auto unfit = unfit_integer_from(value, UfuncId::positive)) return *unfit;
  if (auto scalar = scalar_from(value)) return *scalar;
  const bool is_list = PyList_Check(value.ptr()) || PyTuple_Check(value.ptr());
  if (!is_list) return array_from_anything(value, target.device());
  if (is_one_element(index, target)) {
    if (target.dtype() == DType::bool_) return Scalar(PyObject_IsTrue(value.ptr()) == 1);
    if (is_complex(target.dtype())) throw TypeError("must be real number, not a sequence");
  }
  const auto stored = [&]() -> Array {
    if (target.dtype() == DType::bfloat16) return array_from_anything(value, target.device());
    // Each number is stored as it would be alone.
    nb::object host = nb::module_::import_("numpy").attr("array")(
        value, nb::arg("dtype") = dtype_object(target.dtype()));
    return upload(host, target.device());
  };
  Array array = stored();
  check_depth(array, target, index);
  return array;
}

// Such a view waits for nothing, and looks at no element.
bool is_view_of_memory(const Array& array, const Index& index) {
  return is_stored(array) && std::none_of(index.begin(), index.end(), [](const auto& term) {
           return std::holds_alternative<Array>(term);
         });
}

// Observers are told of single elements.
void tell_use(const Index& index, const Array& array, bool is_written) {
  if (!is_observed() || !is_one_element(index, array)) return;
  note_call_site();
  tell_element_use(is_written);
}

// And of parts, which share the array's memory.
void tell_part(const Array& array, const Array& part) {
  if (!is_observed() || !is_stored(array) || !is_stored(part) || part.size() == 0) return;
  note_call_site();
  tell_taken_part(array.state().storage.get(), part.size(), array.size());
}

// Part of an array, which integers and slices choose: its extents, and where it lies.
struct Part {
  Dims shape;
  Dims strides;
  std::int64_t offset = 0;  // elements from the array's first one
};

// False: it is out of bounds.
bool add_position(PyObject* term, std::int64_t extent, std::int64_t stride, Part& part) {
  int overflow = 0;
  long long position = PyLong_AsLongLongAndOverflow(term, &overflow);
  if (position < 0) position += extent;
  if (overflow || position < 0 || position >= extent) return false;
  part.offset += position * stride;
  return true;
}

// False: bounds are objects of other types.
bool add_slice(PyObject* term, std::int64_t extent, std::int64_t stride, Part& part) {
  const SliceParts bounds = parts_of_slice(term);
  for (PyObject* const bound : {bounds.start, bounds.stop, bounds.step}) {
    if (bound != Py_None && !PyLong_CheckExact(bound)) return false;
  }
  Py_ssize_t first = 0, end = 0, step = 0;
  if (PySlice_Unpack(term, &first, &end, &step) != 0) throw nb::python_error();
  const Py_ssize_t count = PySlice_AdjustIndices(extent, &first, &end, step);
  part.shape.push_back(count);
  part.strides.push_back(stride_of_slice(count, stride, step));
  if (count > 0) part.offset += first * stride;
  return true;
}

// Of a stored array, by one term for each of its leading dimensions, or all of it by an ellipsis.
// Nothing: the key is something else, or an error.
std::optional<Part> part_of(nb::handle key, const Array& array) {
  PyObject* const object = key.ptr();
  const bool are_several = PyTuple_CheckExact(object);
  const bool is_all = object == Py_Ellipsis;
  const std::size_t count = are_several ? static_cast<std::size_t>(NB_TUPLE_GET_SIZE(object))
                            : is_all    ? 0
                                        : 1;
  const std::span<const std::int64_t> shape = array.shape(), strides = strides_of(array);
  if ((count == 0 && !is_all) || count > shape.size()) return std::nullopt;
  Part part;
  for (std::size_t i = 0; i < count; ++i) {
    PyObject* const term =
        are_several ? NB_TUPLE_GET_ITEM(object, static_cast<Py_ssize_t>(i)) : object;
    const bool is_known = PyLong_CheckExact(term) ? add_position(term, shape[i], strides[i], part)
                          : PySlice_Check(term)   ? add_slice(term, shape[i], strides[i], part)
                                                  : false;
    if (!is_known) return std::nullopt;
  }
  for (std::size_t i = count; i < shape.size(); ++i) {
    part.shape.push_back(shape[i]);
    part.strides.push_back(strides[i]);
  }
  return part;
}

Array view_of(const Array& array, Part part) {
  return make_view(array, std::move(part.shape),
                   Layout{std::move(part.strides), array.state().layout.offset + part.offset});
}

// The value as the one element of that dtype that it is stored as; nothing where a conversion has
// to be looked at more closely.
std::optional<Scalar> element_from(nb::handle value, DType dtype) {
  PyObject* const object = value.ptr();
  if (PyFloat_CheckExact(object)) {
    if (!is_floating(dtype)) return std::nullopt;
    return Scalar::weak(PyFloat_AsDouble(object)).cast(dtype);
  }
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    const long long whole = PyLong_AsLongLongAndOverflow(object, &overflow);
    const bool fits_all = whole >= 0 && whole <= std::numeric_limits<std::int8_t>::max();
    if (overflow || !(fits_all || dtype == DType::int64 || is_floating(dtype))) return std::nullopt;
    return Scalar::weak(std::int64_t{whole}).cast(dtype);
  }
  const NdArray* const array = find_array(value);
  if (!array || array->array().rank() != 0 || array->array().dtype() != dtype) return std::nullopt;
  return known_element(array->array());
}

// Whether it is the very element so far behind the array's first one, as after `a[i] += 1`.
bool is_element(nb::handle value, const Array& array, std::int64_t offset) {
  const NdArray* const given = find_array(value);
  if (!given) return false;
  const Array& element = given->array();
  if (!is_stored(element) || element.rank() != 0) return false;
  const ArrayState& own = array.state();
  const ArrayState& other = element.state();
  return other.storage == own.storage && other.dtype == own.dtype &&
         other.layout.offset == own.layout.offset + offset;
}

// Whether the value was stored at the call, in few elements that integers and slices choose.
bool set_part(const Array& array, nb::handle key, nb::handle value) {
  if (!is_stored(array) || !array.writable() || is_observed()) return false;
  std::optional<Part> part = part_of(key, array);
  if (!part) return false;
  if (part->shape.empty() && is_element(value, array, part->offset)) return true;
  if (const std::optional<Scalar> element = element_from(value, array.dtype())) {
    if (part->shape.empty()) return write_host_element(array, part->offset, *element);
    return fill_at_once(view_of(array, *std::move(part)), *element);
  }
  const NdArray* const given = find_array(value);
  if (!given || given->array().device() != array.device()) return false;
  if (given->array().shape() != part->shape) return false;
  const Array target = view_of(array, *std::move(part));
  if (is_stored(given->array()) && given->array().dtype() == target.dtype() &&
      is_same_view(given->array(), target)) {
    return true;
  }
  return write_at_once(given->array(), target);
}

nb::object get_item(nb::handle self, nb::handle key) {
  const NdArray* const own = find_array(self);
  if (own && is_stored(own->array()) && !is_observed()) {
    if (std::optional<Part> part = part_of(key, own->array())) {
      return wrap_view(view_of(own->array(), *std::move(part)), self);
    }
    if (const NdArray* const positions = find_plain_array(key)) {
      Array few = get_on_host(own->array(), positions->array());
      if (few.has_value()) return wrap(std::move(few));
    }
  }
  const Array array = array_from(self);
  const Index index = index_expression(key, array.device());
  tell_use(index, array, false);
  if (auto selection = Uncounted::select(array, index)) return wrap(*std::move(selection));
  Array result;
  if (is_view_of_memory(array, index)) {
    result = get_index(array, index);
  } else {
    Unlocked unlocked;
    result = get_index(array, index);
  }
  tell_part(array, result);
  return wrap_view(std::move(result), self);
}

// Whether the value is a selection by the very mask that its elements are stored by: nobody needs
// their number.
bool set_uncounted(const Array& array, const Index& index, nb::handle value) {
  const NdArray* const given = find_array(value);
  auto selection = given ? given->uncounted() : std::nullopt;
  if (!selection || !selection->is_selected_by(array, index)) return false;
  warn_of_lost_imaginary_parts(given->dtype(), array.dtype());
  if (is_temporary(value, kOfOperator)) find_array(value)->set_array({});  // nobody sees it
  Unlocked unlocked;
  std::move(*selection).store(array, index);
  return true;
}

void set_item(const NdArray& self, nb::handle key, nb::handle value) {
  if (set_part(self.array(), key, value)) return;
  const Index index = index_expression(key, self.array().device());
  tell_use(index, self.array(), true);
  if (set_uncounted(self.array(), index, value)) return;
  const Operand operand = assigned_value(value, self.array(), index);
  const Array array = self.array();
  const TemporaryOperand mask(key, kOfOperator);
  const TemporaryOperand temporary(value, kOfOperator);
  warn_of_lost_imaginary_parts(dtype_of_operand(operand), array.dtype());
  Unlocked unlocked;
  set_index(array, index, operand);
}

#ifndef Py_LIMITED_API

binaryfunc getting_method = nullptr;
objobjargproc setting_method = nullptr;

PyObject* get_part(PyObject* self, PyObject* key) noexcept {
  return short_or([&] { return find_plain_array(self) ? get_item(self, key) : nb::object(); },
                  [&] { return getting_method(self, key); });
}

int set_or_delete(PyObject* self, PyObject* key, PyObject* value) noexcept {
  try {
    const NdArray* const array = value ? find_plain_array(self) : nullptr;
    if (array && set_part(array->array(), key, value)) return 0;
  } catch (...) {
    set_error_from_exception();
    return -1;
  }
  return setting_method(self, key, value);
}

#endif

void delete_item(const NdArray&, nb::handle) { throw ValueError("cannot delete array elements"); }

}  // namespace

Operand chosen_value_from(nb::handle value, const Array& target, const Array& chosen) {
  Operand operand = assigned_value(value, target, {chosen});
  warn_of_lost_imaginary_parts(dtype_of_operand(operand), target.dtype());
  return operand;
}

Index index_expression(nb::handle key, const Device& device) {
  Index index;
  if (!PyTuple_Check(key.ptr())) {
    index.push_back(term_from(key, device));
    return index;
  }
  const Py_ssize_t count = NB_TUPLE_GET_SIZE(key.ptr());
  if (count > 2 * kMaxRank) throw IndexError("too many indices for array");
  index.reserve(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    index.push_back(term_from(NB_TUPLE_GET_ITEM(key.ptr(), i), device));
  }
  return index;
}

void bind_indexing(nb::module_&, ArrayClass& cls) {
  cls.def("__getitem__", get_item, nb::arg("key").none());
  cls.def("__setitem__", set_item, nb::arg("key").none(), nb::arg("value").none());
  cls.def("__delitem__", delete_item, nb::arg("key").none());
#ifndef Py_LIMITED_API
  PyMappingMethods& mapping = *type_of(cls).tp_as_mapping;
  take_slot(mapping.mp_subscript, binaryfunc(get_part), getting_method);
  take_slot(mapping.mp_ass_subscript, objobjargproc(set_or_delete), setting_method);
#endif
}

}  // namespace cupola::python
