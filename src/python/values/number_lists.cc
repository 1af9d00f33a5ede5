// Lists of Python numbers as elements, without a NumPy array between.

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "core/layout.h"
#include "ops/few_elements.h"
#include "python/bindings.h"
#include "python/values/list_items.h"
#include "python/values/number_lists.h"

namespace cupola::python {

namespace {

constexpr Py_ssize_t kMaxNumbers = 8192;
constexpr std::size_t kMaxDepth = 4;

bool is_list(nb::handle object) {
  return PyList_CheckExact(object.ptr()) || PyTuple_CheckExact(object.ptr());
}
Py_ssize_t length_of(nb::handle list) {
  return PyList_CheckExact(list.ptr()) ? PyList_Size(list.ptr()) : PyTuple_Size(list.ptr());
}

struct Number {
  enum class Kind : std::uint8_t { boolean, integer, real, complex } kind;
  std::int64_t whole = 0;
  std::complex<double> value = 0;
};

class Reader {
 public:
  // Whether all of it are numbers whose dtype and value NumPy would find to be the same.
  bool read(nb::handle object) {
    if (!add_extents(object, 1)) return false;
    numbers_.reserve(static_cast<std::size_t>(element_count(shape_)));
    return add_list(object, 0);
  }

  std::optional<NumberList> as(const std::optional<DType>& wanted) const {
    auto kind = Number::Kind::boolean;
    for (const Number& number : numbers_) kind = std::max(kind, number.kind);
    const DType natural = dtype_of(kind);
    const DType dtype = wanted.value_or(natural);
    NumberList list{dtype, shape_, {}};
    if (dtype == DType::float64 && kind != Number::Kind::complex) {
      return filled<double>(list, [](const Number& number) { return number.value.real(); });
    }
    if (dtype == DType::float32 && kind != Number::Kind::complex) return as_singles(list);
    if (dtype != natural) return std::nullopt;
    if (dtype == DType::complex128) {
      return filled<std::complex<double>>(list, [](const Number& n) { return n.value; });
    }
    if (dtype == DType::bool_) {
      return filled<bool>(list, [](const Number& number) { return number.whole != 0; });
    }
    return filled<std::int64_t>(list, [](const Number& number) { return number.whole; });
  }

 private:
  static DType dtype_of(Number::Kind kind) {
    switch (kind) {
      case Number::Kind::boolean:
        return DType::bool_;
      case Number::Kind::integer:
        return DType::int64;
      case Number::Kind::real:
        return DType::float64;
      case Number::Kind::complex:
        return DType::complex128;
    }
    __builtin_unreachable();
  }

  template <typename T, typename Function>
  std::optional<NumberList> filled(NumberList& list, const Function& element_of) const {
    list.elements.resize(numbers_.size() * sizeof(T));
    auto* to = list.elements.data();
    for (const Number& number : numbers_) {
      const T element = element_of(number);
      std::memcpy(to, &element, sizeof element);
      to += sizeof element;
    }
    return std::move(list);
  }
  // Nothing where NumPy warns.
  std::optional<NumberList> as_singles(NumberList& list) const {
    for (const Number& number : numbers_) {
      const double value = number.value.real();
      if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max()) return {};
    }
    return filled<float>(
        list, [](const Number& number) { return static_cast<float>(number.value.real()); });
  }

  // Of a list, of its first element and so on. `count`: of elements that lie around it.
  bool add_extents(nb::handle object, std::int64_t count) {
    if (!is_list(object)) return true;
    const Py_ssize_t length = length_of(object);
    count *= length;
    if (length == 0 || count > kMaxNumbers || shape_.size() == kMaxDepth) return false;
    shape_.push_back(length);
    const ListItem first = item_at(object, 0);
    return first.is_valid() && add_extents(first, count);
  }
  bool add_list(nb::handle object, std::size_t depth) {
    if (depth == shape_.size()) return !is_list(object) && add_number(object);
    if (!is_list(object) || length_of(object) != shape_[depth]) return false;
    for (std::int64_t i = 0; i < shape_[depth]; ++i) {
      const ListItem item = item_at(object, i);
      if (!item.is_valid() || !add_list(item, depth + 1)) return false;
    }
    return true;
  }
  bool add_number(nb::handle object) {
    PyObject* const number = object.ptr();
    if (PyFloat_CheckExact(number)) {
      numbers_.push_back({Number::Kind::real, 0, PyFloat_AsDouble(number)});
    } else if (PyBool_Check(number)) {
      const std::int64_t truth = object.is(Py_True) ? 1 : 0;
      numbers_.push_back({Number::Kind::boolean, truth, static_cast<double>(truth)});
    } else if (PyLong_CheckExact(number)) {
      int overflow = 0;
      const std::int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow);
      if (overflow != 0) return false;
      numbers_.push_back({Number::Kind::integer, value, static_cast<double>(value)});
    } else if (PyComplex_CheckExact(number)) {
      numbers_.push_back({Number::Kind::complex,
                          0,
                          {PyComplex_RealAsDouble(number), PyComplex_ImagAsDouble(number)}});
    } else {
      return add_known(object);
    }
    return true;
  }
  // An array without dimensions whose element the host has.
  bool add_known(nb::handle object) {
    const NdArray* const array = find_plain_array(object);
    const auto number = array != nullptr ? known_number(array->array()) : std::nullopt;
    if (!number) return false;
    if (number->dtype() == DType::float64) {
      numbers_.push_back({Number::Kind::real, 0, number->get<double>()});
    } else if (number->dtype() == DType::int64) {
      const auto value = number->get<std::int64_t>();
      numbers_.push_back({Number::Kind::integer, value, static_cast<double>(value)});
    } else {
      return false;
    }
    return true;
  }

  Dims shape_;
  std::vector<Number> numbers_;
};

}  // namespace

bool is_plain_number(nb::handle a) {
  PyObject* const object = a.ptr();
  if (PyFloat_CheckExact(object) || PyBool_Check(object)) return true;
  int overflow = 1;
  if (PyLong_CheckExact(object)) PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0;
}

std::optional<NumberList> numbers_from(nb::handle list, const std::optional<DType>& wanted) {
  if (!is_list(list)) return std::nullopt;
  Reader reader;
  return reader.read(list) ? reader.as(wanted) : std::nullopt;
}

Array array_of(const NumberList& numbers, const Device& device) {
  const Dims strides = byte_strides(c_strides(numbers.shape), numbers.dtype);
  return from_host(numbers.elements.data(), numbers.dtype, numbers.shape, strides, device);
}

}  // namespace cupola::python
