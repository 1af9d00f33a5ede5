#pragma once
// The public functions that are compiled: instances of a class of their own, called by vectorcall
// without nanobind's search for an overload, with no Python function around them. Each carries its
// signature and its docstring, and is a method where a class has it as an attribute.

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>

#include "python/bindings.h"

namespace cupola::python {

// What a function is called with. Lives for ever, as its function does.
class Parameters {
 public:
  // `signature` as a stub has it, "(a: ArrayLike, /, axis: AxisLike = None, *, keepdims: Any = <no
  // value>) -> ndarray": no comma within a type; a default is a whole number, None, True, False,
  // <no value>, which is numpy._NoValue, or a name in quotes: what the function reads None as, so
  // that it compares no text.
  void declare(const char* function, const char* signature);
  // Sorts the arguments of a vectorcall, one for each parameter, borrowed: the default where the
  // call gives nothing. False, with Python's TypeError, where they do not fit.
  bool sort(PyObject* const* given, std::size_t count, PyObject* keywords,
            std::span<nb::handle> sorted) const;

 private:
  void add(std::string_view parameter);
  bool sort_keywords(PyObject* const* values, PyObject* keywords,
                     std::span<nb::handle> sorted) const;

  static constexpr std::size_t kMax = 9;
  const char* function_ = nullptr;
  std::array<PyObject*, kMax> names_{};     // interned
  std::array<PyObject*, kMax> defaults_{};  // null where there is none
  std::size_t count_ = 0;
  std::size_t unnamed_ = 0;     // the first ones are given by position only
  std::size_t positional_ = 0;  // those behind are given by keyword only
};

// What inspect.signature() and help() show. The texts live for ever.
struct FunctionTexts {
  const char* name;
  const char* signature;
  const char* documentation;
  const char* module = "cupola";  // under which the function is public
};

void define_direct_function(nb::module_& m, vectorcallfunc call, const FunctionTexts& texts);

// A function of as many handles as it has parameters.
template <auto kFunction>
class DirectFunction {
 public:
  static void define(nb::module_& m, const FunctionTexts& texts) {
    parameters.declare(texts.name, texts.signature);
    define_direct_function(m, call, texts);
  }

 private:
  template <typename... Handles>
  static std::array<nb::handle, sizeof...(Handles)> places_for(nb::object (*)(Handles...)) {
    return {};
  }

  static PyObject* call(PyObject*, PyObject* const* given, std::size_t flags, PyObject* keywords) {
    auto arguments = places_for(kFunction);
    const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flags));
    if (!parameters.sort(given, count, keywords, arguments)) return nullptr;
    try {
      return std::apply(kFunction, arguments).release().ptr();
    } catch (...) {
      set_error_from_exception();
      return nullptr;
    }
  }

  static inline Parameters parameters;
};

}  // namespace cupola::python
