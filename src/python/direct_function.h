#pragma once
// Functions of the package that Python calls as it calls its own: with no Python function around
// them, and without nanobind's search for an overload. For those that do little and are called
// often.

#include <array>
#include <cstddef>
#include <span>
#include <tuple>

#include "python/bindings.h"

namespace cupola::python {

// The names of a function's parameters. Lives for ever, as its function does.
class Parameters {
 public:
  // "(first, second=default, *, third=default)", as CPython's own functions are documented.
  void declare(const char* function, const char* signature);
  // Sorts the arguments of a vectorcall, one for each parameter, borrowed: None where the call
  // gives nothing. False, with Python's TypeError, where they do not fit.
  bool sort(PyObject* const* given, std::size_t count, PyObject* keywords,
            std::span<nb::handle> sorted) const;

 private:
  bool sort_keywords(PyObject* const* values, PyObject* keywords,
                     std::span<nb::handle> sorted) const;

  static constexpr std::size_t kMost = 8;
  const char* function_ = nullptr;
  std::array<PyObject*, kMost> names_{};  // interned
  std::size_t count_ = 0;
  std::size_t positional_ = 0;  // the others are given by keyword only
  std::size_t required_ = 0;
};

// Of `cupola`: what inspect.signature() and help() show is made of these texts, which live for
// ever.
void define_direct_function(nb::module_& m, PyMethodDef& method, const char* signature,
                            const char* documentation);

// A function of as many handles as it has parameters.
template <auto kFunction>
class DirectFunction {
 public:
  static void define(nb::module_& m, const char* name, const char* signature,
                     const char* documentation) {
    parameters.declare(name, signature);
    method = {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call)),
              METH_FASTCALL | METH_KEYWORDS, nullptr};
    define_direct_function(m, method, signature, documentation);
  }

 private:
  template <typename... Handles>
  static std::array<nb::handle, sizeof...(Handles)> places_for(nb::object (*)(Handles...)) {
    return {};
  }

  static PyObject* call(PyObject*, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
    auto arguments = places_for(kFunction);
    if (!parameters.sort(given, static_cast<std::size_t>(count), keywords, arguments)) {
      return nullptr;
    }
    try {
      return std::apply(kFunction, arguments).release().ptr();
    } catch (...) {
      set_error_from_exception();
      return nullptr;
    }
  }

  static inline Parameters parameters;
  static inline PyMethodDef method;
};

}  // namespace cupola::python
