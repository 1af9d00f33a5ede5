// What the interpreter asks of an array: truth, numbers, length, iteration, membership, copies.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "core/ufunc.h"
#include "cupola/error.h"
#include "cupola/ops/reduce.h"
#include "python/bindings.h"

namespace cupola::python {
namespace {

bool truth(const NdArray& self) {
  const std::int64_t size = self.array().size();
  if (size == 0) {
    throw ValueError(
        "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an "
        "array is not empty.");
  }
  if (size > 1) {
    throw ValueError(
        "The truth value of an array with more than one element is ambiguous. Use a.any() or "
        "a.all()");
  }
  return item_of(self.array(), "bool(a)").cast(DType::bool_).get<bool>();
}

nb::object number(const NdArray& self, const char* asked_by) {
  if (self.array().rank() != 0) {
    throw TypeError(
        "only 0-dimensional arrays can be converted to Python scalars; this one has "
        "shape " +
        to_string(self.array().shape()));
  }
  return scalar_object(item_of(self.array(), asked_by));
}

// As of NumPy's arrays and the array API standard; only NumPy's scalars drop the other part.
nb::object real_number(const NdArray& self, const char* asked_by) {
  if (self.array().rank() == 0 && is_complex(self.array().dtype())) {
    throw TypeError(std::string(asked_by) +
                    " of a complex array: a.real is its real part, complex(a) all of it");
  }
  return number(self, asked_by);
}

nb::object checked(PyObject* result) {
  if (!result) throw nb::python_error();
  return nb::steal(result);
}

nb::object as_int(const NdArray& self) {
  return checked(PyNumber_Long(real_number(self, "int(a)").ptr()));
}
nb::object as_float(const NdArray& self) {
  return checked(PyNumber_Float(real_number(self, "float(a)").ptr()));
}

nb::object as_complex(const NdArray& self) {
  nb::object value = number(self, "complex(a)");
  return checked(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PyComplex_Type),
                                              value.ptr(), nullptr));
}

nb::object as_index(const NdArray& self) {
  if (self.array().rank() != 0 || !is_integer(self.array().dtype())) {
    throw TypeError("only integer scalar arrays can be converted to a scalar index");
  }
  return number(self, "index(a)");
}

std::int64_t length(const NdArray& self) {
  if (self.array().rank() == 0) throw TypeError("len() of unsized object");
  return self.array().shape()[0];
}

// Elements, or rows, of an array. It ends without an exception, which takes as long as many of
// them.
struct ArrayIterator {
  nb::object array;
  mutable std::int64_t next = 0;  // threads may share the iterator

  std::int64_t count() const { return length(nb::cast<const NdArray&>(array)); }
  std::int64_t remaining() const {
    const std::int64_t taken = std::atomic_ref(next).load(std::memory_order_relaxed);
    return std::max<std::int64_t>(0, count() - taken);
  }
};

PyObject* next_of(PyObject* self) noexcept {
  ArrayIterator& iterator = *nb::inst_ptr<ArrayIterator>(self);
  if (iterator.remaining() == 0) return nullptr;
  const std::int64_t next = std::atomic_ref(iterator.next).fetch_add(1, std::memory_order_relaxed);
  if (next >= iterator.count()) return nullptr;
  PyObject* const index = PyLong_FromLongLong(next);
  if (!index) return nullptr;
  PyObject* const element = PyObject_GetItem(iterator.array.ptr(), index);
  Py_DECREF(index);
  return element;
}

PyType_Slot iterator_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(refuse_new)},
    {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
    {Py_tp_iternext, reinterpret_cast<void*>(next_of)},
    {0, nullptr},
};

nb::object iterate(nb::handle self) {
  if (array_from(self).rank() == 0) throw TypeError("iteration over a 0-d array");
  return nb::cast(ArrayIterator{nb::borrow(self)});
}

// What is no operand is no element.
bool contains(const NdArray& self, nb::handle value) {
  const std::optional<Operand> wanted = operator_operand_from(value, self.array().device());
  if (!wanted) return false;
  const std::array<Operand, 2> operands{self.array(), *wanted};
  Array found;
  {
    Unlocked unlocked;
    found = any(call_ufunc(UfuncId::equal, operands)[0]);
  }
  return item_of(found, "x in a").get<bool>();
}

nb::object copied(const NdArray& self, char order) {
  const Array array = self.array();
  Array result;
  {
    Unlocked unlocked;
    result = copy(array, order);
  }
  return wrap(std::move(result));
}

}  // namespace

void bind_python_protocols(nb::module_& m, ArrayClass& cls) {
  nb::class_<ArrayIterator>(m, "ArrayIterator", nb::type_slots(iterator_slots))
      .def("__length_hint__", [](const ArrayIterator& self) { return self.remaining(); });
  cls.def("__bool__", truth);
  cls.def("__int__", as_int);
  cls.def("__float__", as_float);
  cls.def("__complex__", as_complex);
  cls.def("__index__", as_index);
  cls.def("__len__", length);
  cls.def("__iter__", iterate);
  cls.def("__contains__", contains, nb::arg("value").none());
  cls.def("__copy__", [](const NdArray& self) { return copied(self, 'K'); });
  cls.def(
      "__deepcopy__", [](const NdArray& self, nb::handle) { return copied(self, 'K'); },
      nb::arg("memo").none());
}

}  // namespace cupola::python
