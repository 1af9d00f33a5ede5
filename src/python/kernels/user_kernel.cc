// The classes `cupola.ElementwiseKernel` and `cupola.ReductionKernel`.

#include "cupola/user_kernel.h"

#include <string>

#include "codegen/cuda/cuda_headers.h"
#include "codegen/user/user_kernel.h"
#include "cupola/error.h"
#include "python/borders/foreign_operands.h"
#include "python/devices/streams.h"
#include "python/functions/ufunc.h"
#include "python/kernels/kernel_texts.h"

namespace cupola::python {
namespace {

struct [[gnu::visibility("hidden")]] PyElementwiseKernel {
  ElementwiseKernel kernel;
  ElementwiseSource source;
  bool no_return, return_tuple;
};

struct [[gnu::visibility("hidden")]] PyReductionKernel {
  ReductionKernel kernel;
  ReductionSource source;
};

// One parameter, as `kernel.in_params` shows it.
struct [[gnu::visibility("hidden")]] PyParameterInfo {
  UserParameter parameter;
};

Operand operand_from(nb::handle object) {
  if (NdArray* array = find_array(object)) return array->array();
  if (const auto scalar = scalar_from(object)) return *scalar;
  if (is_numpy_array(object)) {
    throw TypeError("a kernel's argument is a numpy.ndarray; cupola.asarray copies it to a device");
  }
  if (const auto array = lent_array(object)) return *array;
  throw TypeError(std::string("a kernel's argument must be an array or a number, not ") +
                  class_name(object.ptr()));
}

std::vector<Operand> operands_from(const nb::args& args) {
  std::vector<Operand> operands;
  operands.reserve(args.size() + 1);
  for (nb::handle each : args) operands.push_back(operand_from(each));
  return operands;
}

std::optional<Stream> optional_stream_from(nb::handle stream, std::span<const Operand> operands) {
  if (stream.is_none()) return std::nullopt;
  Device device = current_device();
  for (const Operand& operand : operands) {
    if (operand.is_array()) device = operand.array().device();
  }
  return stream_from(stream, device);
}

// The outputs: the objects that were given, or new ones.
nb::list result_objects(const nb::args& args, std::size_t inputs, std::vector<Array> results) {
  nb::list objects;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (inputs + i < args.size()) {
      objects.append(args[inputs + i]);
    } else {
      objects.append(wrap(std::move(results[i])));
    }
  }
  return objects;
}

nb::object one_or_tuple(const nb::list& objects, bool always_tuple) {
  if (objects.size() == 1 && !always_tuple) return objects[0];
  return nb::tuple(objects);
}

// ---- elementwise

void make_elementwise(PyElementwiseKernel* self, const nb::str& in_params,
                      const nb::str& out_params, const nb::str& operation, const nb::str& name,
                      bool reduce_dims, const nb::str& preamble, bool no_return, bool return_tuple,
                      const nb::str& loop_prep, const nb::str& after_loop, nb::handle options) {
  ElementwiseSource source;
  source.in_params = text_from(in_params, "in_params");
  source.out_params = text_from(out_params, "out_params");
  source.operation = text_from(operation, "operation");
  source.name = text_from(name, "name");
  source.reduce_dims = reduce_dims;
  source.preamble = text_from(preamble, "preamble");
  source.loop_prep = text_from(loop_prep, "loop_prep");
  source.after_loop = text_from(after_loop, "after_loop");
  source.options = texts_from(options, "options");
  new (self) PyElementwiseKernel{ElementwiseKernel(source), source, no_return, return_tuple};
}

// The argument that runs kernels by itself, as distributed arrays do.
nb::handle runner_among(const nb::args& args) {
  for (nb::handle each : args) {
    if (!has_override(each)) continue;
    if (nb::hasattr(each, "__cupy_override_elementwise_kernel__")) return each;
  }
  return {};
}

nb::object call_elementwise(nb::handle_t<PyElementwiseKernel> kernel_object, const nb::args& args,
                            nb::handle size, nb::handle stream, nb::handle block_size) {
  if (const nb::handle runner = runner_among(args)) {
    return runner.attr("__cupy_override_elementwise_kernel__")(kernel_object, *args);
  }
  const auto& self = nb::cast<const PyElementwiseKernel&>(kernel_object);
  const std::vector<Operand> operands = operands_from(args);
  ElementwiseLaunch launch;
  launch.size = optional_index_from(size);
  launch.block_size = index_from(block_size);
  launch.stream = optional_stream_from(stream, operands);
  const ElementwiseKernel kernel = self.kernel;
  std::vector<Array> results;
  {
    Unlocked unlocked;
    results = kernel(operands, launch);
  }
  if (self.no_return) return nb::none();
  const nb::list objects =
      result_objects(args, kernel.definition().input_count(), std::move(results));
  return one_or_tuple(objects, self.return_tuple);
}

// ---- reductions

void make_reduction(PyReductionKernel* self, const nb::str& in_params, const nb::str& out_params,
                    const nb::str& map_expr, const nb::str& reduce_expr,
                    const nb::str& post_map_expr, nb::handle identity, const nb::str& name,
                    nb::handle reduce_type, bool reduce_dims, const nb::str& preamble,
                    nb::handle options) {
  ReductionSource source;
  source.in_params = text_from(in_params, "in_params");
  source.out_params = text_from(out_params, "out_params");
  source.map = text_from(map_expr, "map_expr");
  source.reduce = text_from(reduce_expr, "reduce_expr");
  source.post_map = text_from(post_map_expr, "post_map_expr");
  if (!identity.is_none()) source.identity = text_from(nb::str(identity), "identity");
  source.name = text_from(name, "name");
  if (!reduce_type.is_none()) source.reduce_type = text_from(nb::str(reduce_type), "reduce_type");
  source.reduce_dims = reduce_dims;
  source.preamble = text_from(preamble, "preamble");
  source.options = texts_from(options, "options");
  new (self) PyReductionKernel{ReductionKernel(source), source};
}

nb::object call_reduction(const PyReductionKernel& self, const nb::args& args, nb::handle out,
                          nb::handle axis, bool keepdims, nb::handle stream) {
  std::vector<Operand> operands = operands_from(args);
  const ReductionKernel kernel = self.kernel;
  const std::size_t inputs = kernel.definition().input_count();
  const std::size_t outputs = kernel.definition().outputs.size();
  if (!out.is_none()) {
    if (args.size() > inputs) {
      throw ValueError("the outputs are given both as arguments and by out=");
    }
    if (outputs != 1) throw ValueError("out= is for kernels with one output");
    operands.push_back(array_from(out));
  }
  ReductionLaunch launch;
  launch.axes = optional_axes_from(axis);
  launch.keepdims = keepdims;
  launch.stream = optional_stream_from(stream, operands);
  std::vector<Array> results;
  {
    Unlocked unlocked;
    results = kernel(operands, launch);
  }
  if (!out.is_none()) return nb::borrow(out);
  return one_or_tuple(result_objects(args, inputs, std::move(results)), false);
}

// ---- what both show

nb::tuple infos(const std::vector<UserParameter>& parameters) {
  nb::list list;
  for (const UserParameter& each : parameters) list.append(nb::cast(PyParameterInfo{each}));
  return nb::tuple(list);
}

nb::object dtype_of(const UserParameter& parameter) {
  return parameter.dtype ? dtype_object(*parameter.dtype) : nb::none();
}

nb::tuple texts_of(const std::vector<std::string>& texts) {
  nb::list list;
  for (const std::string& each : texts) list.append(each);
  return nb::tuple(list);
}

nb::dict codes_of(const std::vector<std::pair<std::vector<DType>, std::string>>& texts) {
  nb::dict codes;
  for (const auto& [types, text] : texts) {
    nb::list key;
    for (const DType type : types) key.append(dtype_object(type));
    codes[nb::tuple(key)] = text;
  }
  return codes;
}

void bind_parameter_info(nb::module_& m) {
  nb::class_<PyParameterInfo> cls(m, "ParameterInfo", "A parameter of a user's kernel.");
  cls.attr("__module__") = "cupola";
  cls.def_prop_ro("name", [](const PyParameterInfo& self) { return self.parameter.name; });
  cls.def_prop_ro(
      "dtype", [](const PyParameterInfo& self) { return dtype_of(self.parameter); },
      "Of a fixed type; None for a letter that the arguments decide.");
  cls.def_prop_ro(
      "ctype",
      [](const PyParameterInfo& self) {
        return self.parameter.dtype ? std::string(user_type_text(*self.parameter.dtype))
                                    : self.parameter.type;
      },
      "Its type in the body, a text.");
  cls.def_prop_ro("raw", [](const PyParameterInfo& self) { return self.parameter.is_raw; });
  cls.def_prop_ro("is_const", [](const PyParameterInfo& self) { return self.parameter.is_const; });
}

template <typename Kernel>
void bind_common(nb::class_<Kernel>& cls) {
  cls.attr("__module__") = "cupola";
  const auto count = [](std::size_t (*of)(const UserDefinition&)) {
    return [of](const Kernel& self) { return of(self.kernel.definition()); };
  };
  cls.def_prop_ro(
      "name", [](const Kernel& self) { return self.source.name; }, "Its name, a text.");
  cls.def_prop_ro(
      "in_params", [](const Kernel& self) { return infos(self.kernel.definition().inputs); },
      "The inputs, a tuple of ParameterInfo.");
  cls.def_prop_ro(
      "out_params", [](const Kernel& self) { return infos(self.kernel.definition().outputs); },
      "The outputs, a tuple of ParameterInfo.");
  cls.def_prop_ro(
      "params",
      [](const Kernel& self) {
        return infos(self.kernel.definition().inputs) + infos(self.kernel.definition().outputs);
      },
      "The inputs and outputs, a tuple of ParameterInfo.");
  cls.def_prop_ro("nin", count([](const UserDefinition& d) { return d.inputs.size(); }),
                  "Number of inputs.");
  cls.def_prop_ro("nout", count([](const UserDefinition& d) { return d.outputs.size(); }),
                  "Number of outputs.");
  cls.def_prop_ro("nargs", count([](const UserDefinition& d) { return d.count(); }),
                  "Number of inputs and outputs.");
  cls.def_prop_ro(
      "preamble", [](const Kernel& self) { return self.source.preamble; },
      "The text before the kernel.");
  cls.def_prop_ro(
      "reduce_dims", [](const Kernel& self) { return self.source.reduce_dims; },
      "Whether neighbouring dimensions become one.");
  cls.def_prop_ro(
      "options", [](const Kernel& self) { return texts_of(self.source.options); },
      "Options of the compiler, a tuple of texts.");
  cls.def_prop_ro(
      "cached_codes", [](const Kernel& self) { return codes_of(self.kernel.texts()); },
      "The CUDA texts made so far, a dict by the types of the parameters.");
  cls.def_prop_ro(
      "cached_code",
      [](const Kernel& self) -> nb::object {
        const auto texts = self.kernel.texts();
        return texts.empty() ? nb::none() : nb::object(nb::str(texts.front().second.c_str()));
      },
      "The first CUDA text that was made, or None.");
}

void bind_elementwise(nb::module_& m) {
  nb::class_<PyElementwiseKernel> cls(m, "ElementwiseKernel", kElementwiseKernelText);
  bind_common(cls);
  cls.def("__init__", make_elementwise, nb::arg("in_params"), nb::arg("out_params"),
          nb::arg("operation"), nb::arg("name") = "kernel", nb::arg("reduce_dims") = true,
          nb::arg("preamble") = "", nb::arg("no_return") = false, nb::arg("return_tuple") = false,
          nb::kw_only(), nb::arg("loop_prep") = "", nb::arg("after_loop") = "",
          nb::arg("options") = nb::make_tuple());
  cls.def("__call__", call_elementwise, nb::arg("args"), nb::arg("size") = nb::none(),
          nb::arg("stream") = nb::none(), nb::arg("block_size") = 128,
          nb::sig("def __call__(self, *args: Any, size: Any = None, stream: Any = None, "
                  "block_size: int = 128) -> Any"),
          "Inputs, or inputs and outputs; returns the outputs.");
  cls.def_prop_ro(
      "operation", [](const PyElementwiseKernel& self) { return self.source.operation; },
      "The body, a text.");
  cls.def_prop_ro(
      "no_return", [](const PyElementwiseKernel& self) { return self.no_return; },
      "Whether calls return None.");
  cls.def_prop_ro(
      "return_tuple", [](const PyElementwiseKernel& self) { return self.return_tuple; },
      "Whether calls return a tuple also of one output.");
  cls.def_prop_ro(
      "kwargs",
      [](const PyElementwiseKernel& self) {
        nb::dict kwargs;
        kwargs["loop_prep"] = self.source.loop_prep;
        kwargs["after_loop"] = self.source.after_loop;
        kwargs["options"] = texts_of(self.source.options);
        return kwargs;
      },
      "The keyword arguments that it was made with, or their defaults: a dict.");
  cls.def("__repr__", [](const PyElementwiseKernel& self) {
    return "<ElementwiseKernel " + self.source.name + ">";
  });
}

void bind_reduction(nb::module_& m) {
  nb::class_<PyReductionKernel> cls(m, "ReductionKernel", kReductionKernelText);
  bind_common(cls);
  cls.def("__init__", make_reduction, nb::arg("in_params"), nb::arg("out_params"),
          nb::arg("map_expr"), nb::arg("reduce_expr"), nb::arg("post_map_expr"),
          nb::arg("identity").none(), nb::arg("name") = "reduce_kernel",
          nb::arg("reduce_type") = nb::none(), nb::arg("reduce_dims") = true,
          nb::arg("preamble") = "", nb::arg("options") = nb::make_tuple());
  cls.def("__call__", call_reduction, nb::arg("args"), nb::arg("out") = nb::none(),
          nb::arg("axis") = nb::none(), nb::arg("keepdims") = false, nb::arg("stream") = nb::none(),
          nb::sig("def __call__(self, *args: Any, out: Any = None, axis: Any = None, "
                  "keepdims: bool = False, stream: Any = None) -> Any"),
          "Inputs, or inputs and outputs; reduces `axis` (None: all of them).");
  cls.def_prop_ro(
      "map_expr", [](const PyReductionKernel& self) { return self.source.map; },
      "The expression of an element, a text.");
  cls.def_prop_ro(
      "reduce_expr", [](const PyReductionKernel& self) { return self.source.reduce; },
      "The expression of two values `a` and `b`, a text.");
  cls.def_prop_ro(
      "post_map_expr", [](const PyReductionKernel& self) { return self.source.post_map; },
      "What stores `a` to the outputs, a text.");
  cls.def_prop_ro(
      "identity",
      [](const PyReductionKernel& self) -> nb::object {
        if (!self.source.identity) return nb::none();
        return nb::str(self.source.identity->c_str());
      },
      "The result of no elements, a text, or None.");
  cls.def_prop_ro(
      "reduce_type",
      [](const PyReductionKernel& self) -> nb::object {
        if (self.source.reduce_type.empty()) return nb::none();
        return nb::str(self.source.reduce_type.c_str());
      },
      "The type of `a` and `b`, a text; None: that of the first output.");
  cls.def("__repr__", [](const PyReductionKernel& self) {
    return "<ReductionKernel " + self.source.name + ">";
  });
}

// ---- for _translation.py

nb::tuple ufunc_step(const Ufunc& ufunc, nb::handle types) {
  std::vector<OperandType> operands;
  for (nb::handle each : nb::borrow<nb::object>(types)) {
    operands.push_back(operand_type_from(each));
  }
  const UfuncInfo& info = ufunc.info();
  const UfuncLoop& loop = resolve_ufunc(ufunc.id, operands);
  nb::list expressions, inputs, outputs;
  for (int i = 0; i < loop.input_count; ++i) inputs.append(dtype_object(loop.input(i)));
  for (int i = 0; i < loop.output_count; ++i) {
    outputs.append(dtype_object(loop.output(i)));
    expressions.append(std::string(info.expressions[static_cast<std::size_t>(i)]));
  }
  return nb::make_tuple(nb::tuple(expressions), nb::tuple(inputs), nb::tuple(outputs),
                        info.raw_halves);
}

std::string device_text(nb::handle headers) {
  const std::vector<std::string> names = texts_from(headers, "headers");
  return cuda_header_text(std::vector<std::string_view>(names.begin(), names.end()));
}

}  // namespace

void bind_user_kernels(nb::module_& m) {
  m.def("device_text", device_text, nb::arg("headers"),
        "The embedded device headers of these names with all that they include, as one text.");
  m.def("ufunc_step", ufunc_step, nb::arg("ufunc"), nb::arg("types"),
        "The C++ expressions of `a` and `b`, the types of inputs and outputs, and whether 16-bit "
        "floats stay as they are, for operands of such dtypes or Python types.");
  bind_parameter_info(m);
  bind_elementwise(m);
  bind_reduction(m);
}

}  // namespace cupola::python
