// The class `cupola.ufunc`: calls and properties.

#include "python/functions/ufunc.h"

#include <string>

#include "core/logical_ufuncs.h"
#include "core/ufunc_signature.h"
#include "cupola/error.h"
#include "cupola/runtime.h"
#include "ops/operands.h"
#include "python/borders/foreign_operands.h"
#include "python/functions/ufunc_texts.h"
#include "python/interpreter/deferred.h"

namespace cupola::python {
namespace {

// The arguments of one call, with the Python objects given as outputs.
struct CallArguments {
  std::vector<Operand> operands;
  UfuncOptions options;
  UfuncSignature signature;
  std::vector<nb::object> outputs;
};

std::string name_of_ufunc(const UfuncInfo& info) { return std::string(info.name); }

void add_output(CallArguments& arguments, nb::handle object) {
  if (!object.is_none() && !find_array(object))
    throw TypeError("return arrays must be of ArrayType");
  arguments.outputs.push_back(nb::borrow(object));
}

void add_outputs(const UfuncInfo& info, CallArguments& arguments, nb::handle object) {
  if (object.is_none() || object.ptr() == Py_Ellipsis) return;
  if (!arguments.outputs.empty()) {
    throw TypeError("cannot specify 'out' as both a positional and keyword argument");
  }
  if (!PyTuple_Check(object.ptr())) {
    if (info.output_count != 1) {
      throw TypeError("'out' must be a tuple of arrays, one per output of " + name_of_ufunc(info));
    }
    add_output(arguments, object);
    return;
  }
  if (nb::len(object) != static_cast<std::size_t>(info.output_count)) {
    throw ValueError("The 'out' tuple must have exactly " + std::to_string(info.output_count) +
                     " entries: one per ufunc output");
  }
  for (nb::handle item : nb::iter(object)) add_output(arguments, item);
}

void set_option(const UfuncInfo& info, CallArguments& arguments, std::string_view name,
                nb::handle value) {
  UfuncOptions& options = arguments.options;
  if (name == "out") {
    add_outputs(info, arguments, value);
  } else if (name == "where") {
    options.where = where_from(value);
  } else if (name == "dtype") {
    options.dtype = optional_dtype_from(value);
  } else if (name == "signature" || name == "sig") {
    if (!arguments.signature.empty()) {
      throw TypeError("cannot specify both 'sig' and 'signature'");
    }
    arguments.signature = signature_from(info, value);
  } else if (name == "casting") {
    options.casting = casting_from(value);
  } else if (name == "order") {
    options.order = order_from(value);
  } else if (name != "subok") {
    throw TypeError(name_of_ufunc(info) + "() got an unexpected keyword argument '" +
                    std::string(name) + "'");
  }
}

DType typecode_from(char code) {
  if (code == 'l') return DType::int64;
  if (code == 'L') return DType::uint64;
  if (const auto dtype = find_dtype(code)) return *dtype;
  throw ValueError(std::string("Invalid data-type for array: '") + code + "'");
}

UfuncSignature types_from_text(const UfuncInfo& info, std::string_view text) {
  const auto inputs = static_cast<std::size_t>(info.input_count);
  const auto outputs = static_cast<std::size_t>(info.output_count);
  if (text.size() != inputs + 2 + outputs || text.substr(inputs, 2) != "->") {
    throw ValueError("a type-string for " + name_of_ufunc(info) + ", " + std::to_string(inputs) +
                     " typecode(s) before and " + std::to_string(outputs) + " after the -> sign");
  }
  UfuncSignature types;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == inputs || i == inputs + 1) continue;
    types.push_back(typecode_from(text[i]));
  }
  return types;
}

std::optional<Array> first_array(const nb::args& args, std::size_t inputs) {
  for (std::size_t i = 0; i < inputs; ++i) {
    if (NdArray* found = find_array(args[i])) return found->array();
  }
  return std::nullopt;
}

void check_count(const UfuncInfo& info, std::size_t given) {
  const auto least = static_cast<std::size_t>(info.input_count);
  const auto most = least + static_cast<std::size_t>(info.output_count);
  if (given >= least && given <= most) return;
  throw TypeError(name_of_ufunc(info) + "() takes from " + std::to_string(least) + " to " +
                  std::to_string(most) + " positional arguments but " + std::to_string(given) +
                  (given == 1 ? " was given" : " were given"));
}

// The keyword arguments, after the outputs that stand among the positional ones.
void set_options(const UfuncInfo& info, CallArguments& arguments, const nb::kwargs& kwargs) {
  for (const auto& [key, value] : kwargs) {
    set_option(info, arguments, shown(key), value);
  }
  if (arguments.outputs.empty()) return;
  arguments.outputs.resize(static_cast<std::size_t>(info.output_count), nb::none());
  for (const nb::object& output : arguments.outputs) {
    arguments.options.out.push_back(optional_array_from(output));
  }
}

// In place of two ints that are compared, one of them beyond 64 bits: numbers in the same order.
std::optional<Operand> order_of_large(const UfuncInfo& info, const nb::args& args) {
  if (!is_comparison(info.id)) return std::nullopt;
  const nb::handle first = args[0], second = args[1];
  if (!PyLong_CheckExact(first.ptr()) || !PyLong_CheckExact(second.ptr())) return std::nullopt;
  const DType any = DType::int64;
  if (!unfit_integer_from(first, info.id, any) && !unfit_integer_from(second, info.id, any)) {
    return std::nullopt;
  }
  const int is_more = PyObject_RichCompareBool(first.ptr(), second.ptr(), Py_GT);
  const int is_less = PyObject_RichCompareBool(first.ptr(), second.ptr(), Py_LT);
  return Scalar::weak(std::int64_t{is_more - is_less});
}

CallArguments parse(const UfuncInfo& info, const nb::args& args, const nb::kwargs& kwargs) {
  check_count(info, args.size());
  CallArguments arguments;
  const auto inputs = static_cast<std::size_t>(info.input_count);
  for (std::size_t i = inputs; i < args.size(); ++i) add_output(arguments, args[i]);
  const std::optional<Array> first = first_array(args, inputs);
  const Array* const beside = first ? &*first : nullptr;
  if (const auto order = beside ? std::nullopt : order_of_large(info, args)) {
    arguments.operands = {*order, Scalar::weak(std::int64_t{0})};
  }
  for (std::size_t i = arguments.operands.size(); i < inputs; ++i) {
    arguments.operands.push_back(ufunc_operand_from(info, args[i], beside));
  }
  set_options(info, arguments, kwargs);
  return arguments;
}

// Of what the call computes by casts that are not safe.
void warn_of_parts_lost_in_call(const Ufunc& self, const CallArguments& arguments) {
  const UfuncOptions& options = arguments.options;
  if (options.casting != Casting::unsafe_) return;
  const auto types = operand_types(arguments.operands);
  if (std::none_of(types.begin(), types.end(),
                   [](const OperandType& type) { return is_complex(type.dtype); })) {
    return;
  }
  const UfuncLoop& loop =
      arguments.signature.empty()
          ? resolve_ufunc(self.id, types, options.dtype, options.casting)
          : resolve_ufunc_with(self.id, types, arguments.signature, options.casting);
  for (std::size_t i = 0; i < types.size(); ++i) {
    warn_of_lost_imaginary_parts(types[i].dtype, loop.types[i]);
  }
  for (std::size_t i = 0; i < options.out.size(); ++i) {
    if (!options.out[i].has_value()) continue;
    warn_of_lost_imaginary_parts(loop.types[types.size() + i], options.out[i].dtype());
  }
}

// Whether the result may be a pending array that is made without a look at any element.
bool may_defer(UfuncId id, std::span<const Operand> operands) {
  if (id == UfuncId::power) return false;
  return std::all_of(operands.begin(), operands.end(), [](const Operand& operand) {
    return !operand.is_array() || is_laid_out(operand.array());
  });
}

// One result by itself, several as a tuple; an output that was given stands for its result.
nb::object result_object(const CallArguments& arguments, std::vector<Array> results) {
  nb::list objects;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool given = !arguments.outputs.empty() && !arguments.outputs[i].is_none();
    nb::object object = given ? arguments.outputs[i] : wrap(std::move(results[i]));
    if (results.size() == 1) return object;
    objects.append(object);
  }
  return nb::tuple(objects);
}

// Whether an operand, an output or a mask decides by its `__array_ufunc__`.
bool is_overridden(const nb::args& args, const nb::kwargs& kwargs) {
  for (nb::handle operand : args) {
    if (has_override(operand)) return true;
  }
  if (kwargs.size() == 0) return false;
  if (kwargs.contains("where") && has_override(nb::object(kwargs["where"]))) return true;
  if (!kwargs.contains("out")) return false;
  nb::object out = kwargs["out"];
  if (!PyTuple_Check(out.ptr())) return has_override(out);
  for (nb::handle each : nb::iter(out)) {
    if (has_override(each)) return true;
  }
  return false;
}

// Numbers become arrays first, so that they are not weak; what no array holds can be compared.
Operand outer_operand(const UfuncInfo& info, nb::handle object, const Device& device,
                      const Array* beside) {
  if (beside && is_comparison(info.id) && is_integer(beside->dtype())) {
    if (const auto unfit = unfit_integer_from(object, info.id, beside->dtype())) return *unfit;
  }
  const Operand operand = operand_from(object, device);
  return operand.is_array() ? operand.array() : array_from_anything(object, device);
}

nb::object outer_of_all(const Ufunc& self, const nb::args& args, const nb::kwargs& kwargs) {
  const UfuncInfo& info = self.info();
  if (info.input_count != 2) throw ValueError("outer product only supported for binary functions");
  if (args.size() != 2) {
    throw TypeError("outer() takes exactly 2 positional arguments (" + std::to_string(args.size()) +
                    " given)");
  }
  if (is_overridden(args, kwargs)) return numpys_function(info.name).attr("outer")(*args, **kwargs);
  const std::optional<Array> first = first_array(args, 2);
  const Array* const beside = first ? &*first : nullptr;
  const Device device = beside ? beside->device() : current_device();
  CallArguments arguments;
  for (nb::handle operand : args) {
    arguments.operands.push_back(outer_operand(info, operand, device, beside));
  }
  set_options(info, arguments, kwargs);
  warn_of_parts_lost_in_call(self, arguments);
  std::vector<Array> results;
  {
    Unlocked unlocked;
    results = outer_ufunc_with(self.id, arguments.operands[0], arguments.operands[1],
                               arguments.signature, arguments.options);
  }
  return result_object(arguments, std::move(results));
}

std::string loop_text(const UfuncLoop& loop) {
  std::string text;
  for (int i = 0; i < loop.input_count; ++i) text += code_of(loop.input(i));
  text += "->";
  for (int i = 0; i < loop.output_count; ++i) text += code_of(loop.output(i));
  return text;
}

nb::list types_of(const Ufunc& self) {
  nb::list result;
  for (const UfuncLoop& loop : self.info().loops) result.append(loop_text(loop));
  return result;
}

nb::object identity_of(const Ufunc& self) {
  switch (self.info().identity) {
    case Identity::none:
      return nb::none();
    case Identity::zero:
      return nb::int_(0);
    case Identity::one:
      return nb::int_(1);
    case Identity::minus_one:
      return nb::int_(-1);
    case Identity::minus_infinity:
      return nb::float_(-__builtin_inf());
    case Identity::false_:
      return nb::bool_(false);
    case Identity::true_:
      return nb::bool_(true);
  }
  __builtin_unreachable();
}

std::string call_text(const UfuncInfo& info) {
  std::string inputs = info.input_count == 1 ? "x" : "x1, x2";
  std::string outputs = info.output_count == 1 ? "" : "[, out1, out2]";
  return name_of_ufunc(info) + "(" + inputs + outputs +
         ", /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, "
         "signature=None)";
}

std::string documentation(const Ufunc& self) {
  return call_text(self.info()) + "\n\n" + std::string(self.info().doc);
}

// Attributes that a class cannot define for its instances.
nb::object special_attribute(nb::object self, const std::string& name) {
  const UfuncInfo& info = nb::cast<const Ufunc&>(self).info();
  if (name == "__name__" || name == "__qualname__")
    return nb::str(info.name.data(), info.name.size());
  if (name == "__signature__") {
    return nb::module_::import_("cupola._functions.mathematics.ufuncs").attr("signature_of")(self);
  }
  const std::string text = "'ufunc' object has no attribute '" + name + "'";
  PyErr_SetString(PyExc_AttributeError, text.c_str());
  throw nb::python_error();
}

}  // namespace

Operand ufunc_operand_from(const UfuncInfo& info, nb::handle object, const Array* beside) {
  if (!beside && info.input_count == 1) {
    const std::optional<Scalar> number = scalar_from(object);
    if (!number) return operand_from(object);
    // Alone, an integer is one of int64, or of uint64 beyond that.
    if (number->weak_kind() != WeakKind::integer) return *number;
    return Scalar::from_bytes(number->dtype(), number->data());
  }
  std::optional<DType> other;
  if (beside) other = beside->dtype();
  if (const auto unfit = unfit_integer_from(object, info.id, other)) return *unfit;
  return beside ? operand_from(object, beside->device()) : operand_from(object);
}

nb::object call_with_arguments(const Ufunc& self, const nb::args& args, const nb::kwargs& kwargs) {
  if (is_overridden(args, kwargs)) return numpys_function(self.info().name)(*args, **kwargs);
  const CallArguments arguments = parse(self.info(), args, kwargs);
  if (kwargs.size() == 0 && arguments.outputs.empty() && self.info().output_count == 1) {
    return wrap(call_plain(self.id, arguments.operands));
  }
  warn_of_parts_lost_in_call(self, arguments);
  std::vector<Array> results;
  {
    Unlocked unlocked;
    results = call_ufunc_with(self.id, arguments.operands, arguments.signature, arguments.options);
  }
  return result_object(arguments, std::move(results));
}

Array call_plain(UfuncId id, std::span<const Operand> operands) {
  if (!may_defer(id, operands)) {
    Unlocked unlocked;
    return apply_ufunc(id, operands);
  }
  return make_deferred([&] { return apply_ufunc(id, operands); });
}

Array where_from(nb::handle object) {
  if (object.ptr() == Py_True) return {};
  if (!find_array(object) && !is_numpy_array(object)) {
    // Numbers and None, in lists as well, are converted as by bool().
    nb::object host =
        nb::module_::import_("numpy").attr("array")(object, nb::arg("dtype") = "bool");
    return upload(host, current_device());
  }
  Array array = array_from_anything(object, current_device());
  if (!can_cast(array.dtype(), DType::bool_)) {
    throw CastingError("Cannot cast array data from dtype('" + std::string(name_of(array.dtype())) +
                       "') to dtype('bool') according to the rule 'safe'");
  }
  return array;
}

UfuncSignature signature_from(const UfuncInfo& info, nb::handle object) {
  if (PyBytes_Check(object.ptr())) {
    const nb::object decoded =
        nb::steal(PyUnicode_FromEncodedObject(object.ptr(), "utf-8", nullptr));
    if (!decoded.is_valid()) throw nb::python_error();
    return signature_from(info, decoded);
  }
  const bool text = PyUnicode_Check(object.ptr());
  if (!text && !PyTuple_Check(object.ptr())) {
    throw TypeError("the signature object to ufunc must be a string or a tuple.");
  }
  const auto operands = static_cast<std::size_t>(info.input_count + info.output_count);
  if (nb::len(object) == 1 && operands > 1) {
    throw TypeError("Use `dtype` or fill the tuple with more than one 'None'.");
  }
  if (text) return types_from_text(info, text_from(object, "signature"));
  if (nb::len(object) != operands) {
    throw ValueError("a type-tuple must be specified of length " + std::to_string(operands) +
                     " for ufunc '" + name_of_ufunc(info) + "'");
  }
  UfuncSignature types;
  for (nb::handle entry : nb::iter(object)) types.push_back(optional_dtype_from(entry));
  return types;
}

void bind_ufuncs(nb::module_& m) {
  m.def("has_override", has_override, nb::arg("operand").none());
  UfuncClass cls(m, "ufunc", "A function that works element by element and broadcasts.");
  cls.attr("__module__") = "cupola";
  bind_ufunc_calls(cls);
  cls.def("__getattr__", special_attribute);
  cls.def_prop_ro(
      "name", [](const Ufunc& self) { return "cupy_" + std::string(self.info().name); },
      "What CuPy calls it: cupy_ and its name.");
  cls.def_prop_ro("__doc__", documentation);
  cls.def("__repr__",
          [](const Ufunc& self) { return "<ufunc '" + name_of_ufunc(self.info()) + "'>"; });
  cls.def("__reduce__", [](const Ufunc& self) { return name_of_ufunc(self.info()); });
  cls.def_prop_ro(
      "nin", [](const Ufunc& self) { return self.info().input_count; }, "Number of inputs.");
  cls.def_prop_ro(
      "nout", [](const Ufunc& self) { return self.info().output_count; }, "Number of outputs.");
  cls.def_prop_ro(
      "nargs", [](const Ufunc& self) { return self.info().input_count + self.info().output_count; },
      "Number of inputs and outputs.");
  cls.def_prop_ro(
      "ntypes", [](const Ufunc& self) { return self.info().loops.size(); },
      "Number of type combinations.");
  cls.def_prop_ro("types", types_of, "Type combinations as codes, inputs->outputs.");
  cls.def_prop_ro("identity", identity_of, "Where a reduction starts, or None.");
  cls.def_prop_ro(
      "signature", [](const Ufunc&) { return nb::none(); },
      "None: elements are independent of each other.");
  cls.def("outer", outer_of_all, kUfuncOuterText);
  bind_ufunc_methods(cls);
  bind_ufunc_dtypes(cls);

  nb::dict table;
  for (const UfuncInfo& info : public_ufuncs()) {
    table[nb::str(info.name.data(), info.name.size())] = make_ufunc_object(info.id);
  }
  for (const UfuncAlias& alias : ufunc_aliases()) {
    table[nb::str(alias.name.data(), alias.name.size())] =
        table[nb::str(ufunc_info(alias.id).name.data(), ufunc_info(alias.id).name.size())];
  }
  m.attr("_ufuncs") = table;
}

}  // namespace cupola::python
