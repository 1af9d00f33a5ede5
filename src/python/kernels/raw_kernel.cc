// The classes `cupola.RawKernel` and `cupola.RawModule`.

#include "cupola/raw_kernel.h"

#include <string>
#include <vector>

#include "base/counters.h"
#include "cupola/error.h"
#include "cupola/transfer.h"
#include "python/devices/streams.h"
#include "python/kernels/kernel_texts.h"

namespace cupola::python {
namespace {

struct [[gnu::visibility("hidden")]] PyRawKernel {
  RawKernel kernel;
  RawSource source;
};

struct [[gnu::visibility("hidden")]] PyRawModule {
  RawModule module;
  RawSource source;
};

// ---- sources

RawBackend backend_from(const std::string& name) {
  if (name == "nvrtc") return RawBackend::nvrtc;
  if (name == "nvcc") return RawBackend::nvcc;
  throw ValueError("backend must be 'nvrtc' or 'nvcc', got '" + name + "'");
}

// CuPy turns these names into those of a class of complex numbers, where precision does not matter.
constexpr const char* kTranslatedComplex = R"(#include <cuComplex.h>
__device__ inline float cuCreal(cuFloatComplex a) { return cuCrealf(a); }
__device__ inline float cuCimag(cuFloatComplex a) { return cuCimagf(a); }
__device__ inline float cuCabs(cuFloatComplex a) { return cuCabsf(a); }
__device__ inline cuFloatComplex cuConj(cuFloatComplex a) { return cuConjf(a); }
__device__ inline cuFloatComplex cuCadd(cuFloatComplex a, cuFloatComplex b) {
  return cuCaddf(a, b);
}
__device__ inline cuFloatComplex cuCsub(cuFloatComplex a, cuFloatComplex b) {
  return cuCsubf(a, b);
}
__device__ inline cuFloatComplex cuCmul(cuFloatComplex a, cuFloatComplex b) {
  return cuCmulf(a, b);
}
__device__ inline cuFloatComplex cuCdiv(cuFloatComplex a, cuFloatComplex b) {
  return cuCdivf(a, b);
}
__device__ inline cuFloatComplex cuCfma(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) {
  return cuCfmaf(a, b, c);
}
#line 1
)";

RawSource source_from(std::string code, nb::handle options, const std::string& backend,
                      bool translate_cucomplex, bool cooperative) {
  RawSource source;
  source.options = texts_from(options, "options");
  source.backend = backend_from(backend);
  source.cooperative = cooperative;
  source.code = translate_cucomplex ? kTranslatedComplex + code : std::move(code);
  return source;
}

// ---- launches

std::array<std::int64_t, 3> extents_from(nb::handle object, const char* what) {
  const Dims dims = axes_from(object);
  if (dims.size() > 3 || dims.empty()) {
    throw ValueError(std::string(what) + " must be a number or a tuple of 1 to 3 numbers, got " +
                     std::to_string(dims.size()));
  }
  std::array<std::int64_t, 3> extents{1, 1, 1};
  for (std::size_t i = 0; i < dims.size(); ++i) extents[i] = dims[i];
  return extents;
}

RawBytes bytes_from(nb::handle object) {
  if (nb::cast<bool>(nb::bool_(object.attr("dtype").attr("hasobject")))) {
    throw TypeError("a kernel's argument cannot hold Python objects");
  }
  const nb::object text = object.attr("tobytes")();
  const auto* first = reinterpret_cast<const std::byte*>(PyBytes_AsString(text.ptr()));
  return {{first, first + PyBytes_Size(text.ptr())}};
}

// numpy.void.
bool is_structured(nb::handle object) {
  if (!nb::hasattr(object, "dtype") || !nb::hasattr(object, "tobytes")) return false;
  if (index_from(object.attr("ndim")) != 0) return false;
  return shown(object.attr("dtype").attr("kind")) == "V";
}

// An array of one element is that value, with its dtype; others would be mistaken for memory.
RawArgument value_of(nb::handle array) {
  const std::int64_t size = index_from(array.attr("size"));
  if (size != 1) {
    throw TypeError("a kernel's argument is a numpy.ndarray of " + std::to_string(size) +
                    " elements; cupola.asarray copies it to a device (one element is a value)");
  }
  const nb::object element = array.attr("reshape")(-1)[nb::int_(0)];
  if (is_structured(element)) return bytes_from(element);
  const bool is_number = !nb::cast<bool>(array.attr("dtype").attr("hasobject"));
  if (const auto scalar = scalar_from(element); scalar && is_number) return *scalar;
  throw TypeError("a kernel's argument cannot be a numpy.ndarray of " + shown(array.attr("dtype")));
}

RawArgument argument_from(nb::handle object) {
  if (NdArray* array = find_array(object)) return array->array();
  if (object.is_none()) return RawPointer{};
  if (is_numpy_array(object)) return value_of(object);
  if (PyBytes_Check(object.ptr())) {
    const auto* first = reinterpret_cast<const std::byte*>(PyBytes_AsString(object.ptr()));
    return RawBytes{{first, first + PyBytes_Size(object.ptr())}};
  }
  if (is_structured(object)) return bytes_from(object);
  if (const auto scalar = scalar_from(object)) return *scalar;
  if (nb::hasattr(object, "_bytes") && nb::hasattr(object, "mem")) {  // a MemoryPointer
    return RawMemory{array_from(object.attr("_bytes")(1))};
  }
  if (nb::hasattr(object, "_carray")) return RawView{array_from(object.attr("_carray"))};
  if (nb::hasattr(object, "ptr")) {
    return RawPointer{static_cast<std::uint64_t>(index_from(object.attr("ptr")))};
  }
  throw TypeError(std::string("a kernel's argument must be an array, a number, a numpy.void, bytes "
                              "or None, not ") +
                  class_name(object.ptr()));
}

void launch(const PyRawKernel& self, nb::handle grid, nb::handle block, nb::handle args,
            nb::handle shared_mem, nb::handle stream, bool allow_strided) {
  RawLaunch geometry;
  geometry.grid = extents_from(grid, "grid");
  geometry.block = extents_from(block, "block");
  geometry.shared_bytes = index_from(shared_mem);
  geometry.allow_strided = allow_strided;
  if (!PyTuple_Check(args.ptr()) && !PyList_Check(args.ptr())) {
    throw TypeError(std::string("args must be a tuple of the kernel's arguments, not ") +
                    class_name(args.ptr()));
  }
  std::vector<RawArgument> arguments;
  for (nb::handle item : nb::borrow<nb::object>(args)) arguments.push_back(argument_from(item));
  Device device = current_device();
  PyStream* known = nullptr;
  if (nb::try_cast(stream, known) && known && known->kind == PyStream::Kind::one) {
    device = known->one->device();
  } else {
    device = RawKernel::device_of(arguments, device);
  }
  const Stream target = stream_from(stream, device);
  const RawKernel kernel = self.kernel;
  Unlocked unlocked;
  kernel.launch(geometry, arguments, target);
}

// ---- attributes

RawAttributes attributes_of(const PyRawKernel& self) {
  const RawKernel kernel = self.kernel;
  Unlocked unlocked;
  return kernel.attributes(current_device());
}

struct Named {
  const char* name;
  int RawAttributes::*member;
  const char* doc;
};
constexpr Named kAttributes[] = {
    {"num_regs", &RawAttributes::registers, "Registers per thread."},
    {"max_threads_per_block", &RawAttributes::max_threads_per_block,
     "Threads of the largest block that fits."},
    {"shared_size_bytes", &RawAttributes::shared_bytes, "Bytes of static shared memory per block."},
    {"local_size_bytes", &RawAttributes::local_bytes, "Bytes of local memory per thread."},
    {"const_size_bytes", &RawAttributes::const_bytes,
     "Bytes of constant memory of the kernel's own."},
    {"binary_version", &RawAttributes::binary_version, "Version of the machine code, as in 90."},
    {"ptx_version", &RawAttributes::ptx_version, "Version of the PTX, as in 90."},
    {"cache_mode_ca", &RawAttributes::cache_mode_ca, "Whether loads are cached in L1."},
};
constexpr Named kSettable[] = {
    {"max_dynamic_shared_size_bytes", &RawAttributes::max_dynamic_shared_bytes, ""},
    {"preferred_shared_memory_carveout", &RawAttributes::preferred_shared_carveout, ""},
};

nb::dict attributes_dict(const PyRawKernel& self) {
  const RawAttributes attributes = attributes_of(self);
  nb::dict result;
  for (const Named& each : kAttributes) result[each.name] = attributes.*each.member;
  for (const Named& each : kSettable) result[each.name] = attributes.*each.member;
  return result;
}

void bind_attributes(nb::class_<PyRawKernel>& cls) {
  for (const Named& each : kAttributes) {
    cls.def_prop_ro(
        each.name,
        [member = each.member](const PyRawKernel& self) { return attributes_of(self).*member; },
        each.doc);
  }
  cls.def_prop_rw(
      "max_dynamic_shared_size_bytes",
      [](const PyRawKernel& self) { return attributes_of(self).max_dynamic_shared_bytes; },
      [](const PyRawKernel& self, int bytes) {
        const RawKernel kernel = self.kernel;
        Unlocked unlocked;
        kernel.set_max_dynamic_shared_bytes(current_device(), bytes);
      },
      "Bytes of dynamic shared memory that a block may have; launches that ask for more raise it.");
  cls.def_prop_rw(
      "preferred_shared_memory_carveout",
      [](const PyRawKernel& self) { return attributes_of(self).preferred_shared_carveout; },
      [](const PyRawKernel& self, int percent) {
        const RawKernel kernel = self.kernel;
        Unlocked unlocked;
        kernel.set_preferred_shared_carveout(current_device(), percent);
      },
      "Percent of the L1 cache to be shared memory; -1 leaves it to the driver.");
  cls.def_prop_ro(
      "attributes", attributes_dict,
      "What is known of the kernel as loaded on the current device: a dict of numbers.");
}

// Compiles for the current device.
void write_log(const RawModule& module, nb::handle log_stream) {
  std::string log;
  {
    Unlocked unlocked;
    log = module.compile(current_device());
  }
  if (!log_stream.is_none() && !log.empty()) log_stream.attr("write")(log);
}

nb::object text_or_none(const std::string& text) {
  return text.empty() ? nb::none() : nb::object(nb::str(text.c_str(), text.size()));
}

nb::tuple tuple_of(const std::vector<std::string>& texts) {
  nb::list list;
  for (const std::string& text : texts) list.append(text);
  return nb::tuple(list);
}

// What a kernel or a module was made from.
template <typename Owner>
void bind_source(nb::class_<Owner>& cls) {
  cls.def_prop_ro(
      "code", [](const Owner& self) { return text_or_none(self.source.code); },
      "Its source, a text, or None.");
  cls.def_prop_ro(
      "file_path", [](const Owner& self) { return text_or_none(self.source.path); },
      "Path of the file that it was read from, or None.");
  cls.def_prop_ro(
      "options", [](const Owner& self) { return tuple_of(self.source.options); },
      "Options of the compiler, a tuple of texts.");
  cls.def_prop_ro(
      "backend",
      [](const Owner& self) { return self.source.backend == RawBackend::nvcc ? "nvcc" : "nvrtc"; },
      "The compiler: 'nvrtc' or 'nvcc'.");
  cls.def_prop_ro(
      "enable_cooperative_groups", [](const Owner& self) { return self.source.cooperative; },
      "Whether all blocks of a launch run at the same time.");
}

nb::module_ function_module() { return nb::module_::import_("cupola.cuda.function"); }

void bind_kernel(nb::module_& m) {
  nb::class_<PyRawKernel> cls(m, "RawKernel", kRawKernelText);
  cls.attr("__module__") = "cupola";
  cls.def(
      "__init__",
      [](PyRawKernel* self, const nb::str& code, const nb::str& name, nb::handle options,
         const nb::str& backend, bool translate_cucomplex, bool cooperative, bool) {
        const RawSource source =
            source_from(text_from(code, "code"), options, text_from(backend, "backend"),
                        translate_cucomplex, cooperative);
        new (self) PyRawKernel{RawKernel(source, text_from(name, "name")), source};
      },
      nb::arg("code"), nb::arg("name"), nb::arg("options") = nb::make_tuple(),
      nb::arg("backend") = "nvrtc", nb::arg("translate_cucomplex") = false,
      nb::arg("enable_cooperative_groups") = false, nb::arg("jitify") = false);
  cls.def("__call__", launch, nb::arg("grid"), nb::arg("block"), nb::arg("args"), nb::kw_only(),
          nb::arg("shared_mem") = 0, nb::arg("stream") = nb::none(),
          nb::arg("allow_strided") = false,
          nb::sig("def __call__(self, grid: Any, block: Any, args: Any, *, shared_mem: Any = 0, "
                  "stream: Any = None, allow_strided: bool = False) -> None"),
          "Launches it on a stream (default: the current one of the arrays' device).");
  cls.def(
      "compile",
      [](const PyRawKernel& self, nb::handle log_stream) {
        write_log(RawModule(self.source), log_stream);
        attributes_of(self);
      },
      nb::arg("log_stream") = nb::none(),
      nb::sig("def compile(self, log_stream: Any = None) -> None"), kRawKernelCompileText);
  cls.def_prop_ro(
      "name", [](const PyRawKernel& self) { return self.kernel.name(); }, "Its name.");
  cls.def_prop_ro(
      "kernel", [](nb::object self) { return function_module().attr("Function").attr("of")(self); },
      nb::for_getter(nb::sig("def kernel(self) -> Any")), "The same kernel as a cuda.Function.");
  bind_source(cls);
  cls.def("__repr__",
          [](const PyRawKernel& self) { return "<RawKernel " + self.kernel.name() + ">"; });
  bind_attributes(cls);
}

// ---- modules

void make_module(PyRawModule* self, nb::handle code, nb::handle path, nb::handle options,
                 const nb::str& backend, bool translate_cucomplex, bool cooperative,
                 nb::handle name_expressions, bool /*jitify*/) {
  if (code.is_none() == path.is_none()) {
    throw TypeError("exactly one of code and path must be given");
  }
  RawSource source = source_from(code.is_none() ? "" : text_from(code, "code"), options,
                                 text_from(backend, "backend"),
                                 translate_cucomplex && path.is_none(), cooperative);
  if (!path.is_none()) {
    source.path = text_from(nb::module_::import_("os").attr("fspath")(path), "path");
    nb::module_::import_("os").attr("stat")(path);  // raises FileNotFoundError
  }
  source.name_expressions = texts_from(name_expressions, "name_expressions");
  if (!source.name_expressions.empty() && source.backend == RawBackend::nvcc) {
    throw ValueError("name_expressions need backend='nvrtc'");
  }
  new (self) PyRawModule{RawModule(source), source};
}

nb::object global_of(const PyRawModule& self, const nb::str& variable) {
  const RawModule module = self.module;
  const std::string name = text_from(variable, "name");
  const Device device = current_device();
  RawModule::Global found{};
  {
    Unlocked unlocked;
    found = module.global(device, name);
  }
  const Dims shape{static_cast<std::int64_t>(found.bytes)};
  const Array bytes =
      from_foreign(found.pointer, DType::uint8, shape, Dims{1}, device, module.state(), true);
  return wrap(bytes).attr("data");
}

void bind_module(nb::module_& m) {
  nb::class_<PyRawModule> cls(m, "RawModule", kRawModuleText);
  cls.attr("__module__") = "cupola";
  cls.def("__init__", make_module, nb::arg("code") = nb::none(), nb::kw_only(),
          nb::arg("path") = nb::none(), nb::arg("options") = nb::make_tuple(),
          nb::arg("backend") = "nvrtc", nb::arg("translate_cucomplex") = false,
          nb::arg("enable_cooperative_groups") = false, nb::arg("name_expressions") = nb::none(),
          nb::arg("jitify") = false);
  cls.def(
      "get_function",
      [](const PyRawModule& self, const nb::str& name) {
        return PyRawKernel{self.module.function(text_from(name, "name")), self.source};
      },
      nb::arg("name"), kRawModuleGetFunctionText);
  cls.def("get_global", global_of, nb::arg("name"),
          nb::sig("def get_global(self, name: str) -> Any"), kRawModuleGetGlobalText);
  cls.def_prop_ro(
      "module", [](nb::object self) { return function_module().attr("Module").attr("of")(self); },
      nb::for_getter(nb::sig("def module(self) -> Any")), "The same kernels as a cuda.Module.");
  bind_source(cls);
  cls.def_prop_ro(
      "name_expressions",
      [](const PyRawModule& self) -> nb::object {
        const auto& names = self.source.name_expressions;
        return names.empty() ? nb::none() : nb::object(tuple_of(names));
      },
      "Instances of templates that it has, a tuple of texts, or None.");
  cls.def(
      "compile",
      [](const PyRawModule& self, nb::handle log_stream) { write_log(self.module, log_stream); },
      nb::arg("log_stream") = nb::none(),
      nb::sig("def compile(self, log_stream: Any = None) -> None"), kRawModuleCompileText);
}

nb::dict counters() {
  nb::dict result;
  for (int i = 0; i < kCounterCount; ++i) {
    const auto counter = static_cast<Counter>(i);
    result[std::string(name_of(counter)).c_str()] = value_of(counter);
  }
  return result;
}

}  // namespace

void bind_raw_kernels(nb::module_& m) {
  bind_kernel(m);
  bind_module(m);
  m.def("counters", counters, "What the process did how often: compilations, loads and the like.");
}

}  // namespace cupola::python
