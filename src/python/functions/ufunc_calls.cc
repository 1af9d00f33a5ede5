// Calls of a universal function. Most have arrays, numbers and perhaps an output, and nothing to
// decide: they take no tuple, no dictionary and no search for an overload.

#include <array>
#include <optional>
#include <span>

#include "ops/elementwise/uniform_operands.h"
#include "python/array/temporary.h"
#include "python/functions/ufunc.h"
#include "python/interpreter/kept_object.h"

namespace cupola::python {
namespace {

constexpr std::size_t kMaxInputs = 2;

// What a call gives by position, and the output if it is all that it gives by keyword.
struct ShortCall {
  std::span<PyObject* const> inputs;
  nb::handle out;
};

nb::handle name_of_output() {
  static constinit KeptObject name;
  return name.get([] { return nb::steal(PyUnicode_InternFromString("out")); });
}

// The plain array that is given as an output, by itself or in a tuple; null for all else.
const NdArray* find_output(nb::handle out) {
  if (!PyTuple_CheckExact(out.ptr())) return find_plain_array(out);
  return nb::len(out) == 1 ? find_plain_array(out[0]) : nullptr;
}

// An array among the operands where all are plain arrays and numbers.
const NdArray* plain_array_of(std::span<PyObject* const> inputs) {
  const NdArray* found = nullptr;
  for (PyObject* const input : inputs) {
    const NdArray* const array = find_plain_array(input);
    if (array ? array->is_uncounted() : !is_python_number(input)) return nullptr;
    if (!found) found = array;
  }
  return found;
}

// Into an array, of few elements. No object: something is to be decided, or to wait.
nb::object stored_at_call(const Ufunc& self, const ShortCall& given) {
  const NdArray* const out = find_output(given.out);
  const NdArray* const a = out ? find_plain_array(given.inputs[0]) : nullptr;
  if (!a) return {};
  const Array& first = a->array();
  std::optional<Operand> second;
  if (given.inputs.size() == 2) second = ufunc_operand_from(self.info(), given.inputs[1], &first);
  const bool is_stored = store_uniform(self.id, first, second ? &*second : nullptr, out->array());
  return is_stored ? nb::find(*out) : nb::object();
}

Array call_plain_operands(const Ufunc& self, std::span<PyObject* const> inputs,
                          const Array& beside) {
  const Operand first = ufunc_operand_from(self.info(), inputs[0], &beside);
  if (inputs.size() == 1) return call_plain(self.id, {&first, 1});
  return call_plain(self.id,
                    std::array{first, ufunc_operand_from(self.info(), inputs[1], &beside)});
}

// No object: the call is to be looked at more closely.
nb::object call_shortly(const Ufunc& self, const ShortCall& given) {
  const UfuncInfo& info = self.info();
  if (given.inputs.size() > kMaxInputs || info.output_count != 1) return {};
  const NdArray* const array = plain_array_of(given.inputs);
  if (!array) return {};
  if (given.out.is_valid()) return stored_at_call(self, given);
  return wrap(call_plain_operands(self, given.inputs, array->array()));
}

// Of `count` objects by position, behind which are those by keyword. Nothing: it gives more, or
// less.
std::optional<ShortCall> short_call_of(const UfuncInfo& info, PyObject* const* given,
                                       std::size_t count, std::size_t named, nb::handle name) {
  const auto inputs = static_cast<std::size_t>(info.input_count);
  if (count < inputs || count + named > inputs + 1) return std::nullopt;
  if (named == 1 && !name.is(name_of_output())) return std::nullopt;
  ShortCall result{{given, inputs}, {}};
  if (count + named > inputs) result.out = given[inputs];
  return result;
}

#ifdef Py_LIMITED_API

// An extension for several versions of Python has no access to the class's place for calls.
nb::object call(const Ufunc& self, const nb::args& args, const nb::kwargs& kwargs) {
  std::array<PyObject*, kMaxInputs + 1> given{};
  const std::size_t count = args.size(), named = kwargs.size();
  if (count + named <= given.size() && named <= 1) {
    for (std::size_t i = 0; i < count; ++i) given[i] = nb::handle(args[i]).ptr();
    PyObject* const out = PyDict_GetItem(kwargs.ptr(), name_of_output().ptr());
    if (out) given[count] = out;
    const nb::handle name = out ? name_of_output() : nb::handle();
    if (const auto short_call = short_call_of(self.info(), given.data(), count, named, name)) {
      if (nb::object result = call_shortly(self, *short_call); result.is_valid()) return result;
    }
  }
  const auto operand = [&](std::size_t i) { return i < count ? nb::handle(args[i]) : nb::none(); };
  const Py_ssize_t owners = named == 0 ? kOfCall : kOfCallWithKeywords;
  const TemporaryOperand first(operand(0), owners), second(operand(1), owners);
  return call_with_arguments(self, args, kwargs);
}

#else

nb::object call_in_full(const Ufunc& self, PyObject* const* given, std::size_t count,
                        PyObject* keywords) {
  const auto operand = [&](std::size_t i) { return nb::handle(i < count ? given[i] : Py_None); };
  const TemporaryOperand first(operand(0), kOfOperator), second(operand(1), kOfOperator);
  nb::object positional = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(count)));
  if (!positional.is_valid()) throw nb::python_error();
  for (std::size_t i = 0; i < count; ++i) {
    PyTuple_SET_ITEM(positional.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(given[i]));
  }
  nb::dict named;
  const Py_ssize_t names = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t i = 0; i < names; ++i) {
    named[nb::handle(PyTuple_GET_ITEM(keywords, i))] =
        nb::handle(given[count + static_cast<std::size_t>(i)]);
  }
  return call_with_arguments(self, nb::borrow<nb::args>(positional), nb::borrow<nb::kwargs>(named));
}

PyObject* vectorcall(PyObject* object, PyObject* const* given, std::size_t flags,
                     PyObject* keywords) noexcept {
  try {
    const Ufunc& self = *nb::inst_ptr<Ufunc>(object);
    const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flags));
    nb::object result;
    const std::size_t named = keywords ? static_cast<std::size_t>(PyTuple_GET_SIZE(keywords)) : 0;
    const nb::handle name = named == 1 ? PyTuple_GET_ITEM(keywords, 0) : nullptr;
    if (const auto short_call = short_call_of(self.info(), given, count, named, name)) {
      result = call_shortly(self, *short_call);
    }
    if (!result.is_valid()) result = call_in_full(self, given, count, keywords);
    return result.release().ptr();
  } catch (...) {
    set_error_from_exception();
    return nullptr;
  }
}

PyObject* refuse_call(PyObject* object, PyObject* const*, std::size_t, PyObject*) noexcept {
  PyErr_Format(PyExc_TypeError, "no function stands behind this '%s'", Py_TYPE(object)->tp_name);
  return nullptr;
}

// Python calls an object's function unseen, whether or not the object was made: derived classes
// have objects of their own.
PyObject* new_without_function(PyTypeObject* type, PyObject*, PyObject*) noexcept {
  try {
    nb::object object = nb::inst_alloc(nb::handle(reinterpret_cast<PyObject*>(type)));
    nb::inst_ptr<Ufunc>(object)->vectorcall = refuse_call;
    return object.release().ptr();
  } catch (...) {
    set_error_from_exception();
    return nullptr;
  }
}

#endif

}  // namespace

nb::object make_ufunc_object(UfuncId id) {
#ifndef Py_LIMITED_API
  return nb::cast(Ufunc{id, vectorcall});
#else
  return nb::cast(Ufunc{id});
#endif
}

void bind_ufunc_calls(UfuncClass& cls) {
#ifdef Py_LIMITED_API
  cls.def("__call__", call);
#else
  cls.def("__call__", call_with_arguments);
  // An object holds its function, so that Python can see at any of them where it lies.
  nb::object any = make_ufunc_object(UfuncId::add);
  auto* const type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  type->tp_vectorcall_offset = reinterpret_cast<char*>(&nb::inst_ptr<Ufunc>(any)->vectorcall) -
                               reinterpret_cast<char*>(any.ptr());
  type->tp_call = PyVectorcall_Call;
  type->tp_new = new_without_function;
  type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
  PyType_Modified(type);
#endif
}

}  // namespace cupola::python
