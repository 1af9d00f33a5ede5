// Memory lent to others: the buffer protocol, __array__, __cuda_array_interface__.

#include <memory>
#include <mutex>
#include <utility>

#include "core/layout.h"
#include "cupola/error.h"
#include "cupola/runtime.h"
#include "cupola/transfer.h"
#include "python/bindings.h"

namespace cupola::python {
namespace {

// ---- releasing Python objects from any thread

using Action = std::pair<void (*)(void*), void*>;

// What threads without the interpreter lock left to do.
struct PendingActions {
  std::mutex mutex;
  std::vector<Action> actions;
};
PendingActions& pending() {
  static auto* instance = new PendingActions;  // used until the very end of the process
  return *instance;
}

int run_pending(void*) {
  std::vector<Action> actions;
  {
    const std::lock_guard lock(pending().mutex);
    actions.swap(pending().actions);
  }
  for (const auto& [function, argument] : actions) function(argument);
  return 0;
}

// ---- the buffer protocol

struct BufferExport {
  Array array;
  std::vector<Py_ssize_t> shape, strides;
};

// Codes of PEP 3118; nothing for bfloat16.
const char* format_of(DType dtype) {
  switch (dtype) {
    case DType::bool_:
      return "?";
    case DType::int8:
      return "b";
    case DType::uint8:
      return "B";
    case DType::int16:
      return "h";
    case DType::uint16:
      return "H";
    case DType::int32:
      return "i";
    case DType::uint32:
      return "I";
    case DType::int64:
      return "l";
    case DType::uint64:
      return "L";
    case DType::float16:
      return "e";
    case DType::bfloat16:
      return nullptr;
    case DType::float32:
      return "f";
    case DType::float64:
      return "d";
    case DType::complex64:
      return "Zf";
    case DType::complex128:
      return "Zd";
  }
  __builtin_unreachable();
}

// Everything that could still read or write the array is done.
void settle(const Array& array) {
  Unlocked unlocked;
  wait(array);
  Stream::current(array.device()).synchronize();
}

void check_request(const Array& array, const Dims& steps, int flags) {
  if (array.device().platform() != PlatformKind::cpu) {
    throw BufferError("the array is on " + array.device().to_string() +
                      ", not in host memory; cupola.asnumpy copies it there");
  }
  if (!format_of(array.dtype())) throw BufferError("there are no buffers of bfloat16");
  const bool c = is_c_contiguous(array.shape(), steps);
  const bool f = is_f_contiguous(array.shape(), steps);
  const auto asked = [flags](int mask) { return (flags & mask) == mask; };
  if (asked(PyBUF_C_CONTIGUOUS) && !c) throw BufferError("the array is not C contiguous");
  if (asked(PyBUF_F_CONTIGUOUS) && !f) throw BufferError("the array is not Fortran contiguous");
  if (asked(PyBUF_ANY_CONTIGUOUS) && !c && !f) throw BufferError("the array is not contiguous");
  if (!asked(PyBUF_STRIDES) && !c) throw BufferError("the array is not C contiguous");
  if (asked(PyBUF_WRITABLE) && !array.writable()) throw BufferError("the array is read-only");
}

void fill(Py_buffer* view, PyObject* self, int flags) {
  static char nothing[16];
  const Array array = array_from(self);
  const Dims steps = strides(array);
  check_request(array, steps, flags);
  settle(array);
  auto lent = std::make_unique<BufferExport>();
  lent->array = array;
  for (std::size_t i = 0; i < array.shape().size(); ++i) {
    lent->shape.push_back(array.shape()[i]);
    lent->strides.push_back(steps[i] * array.item_size());
  }
  view->buf = array.size() ? data_pointer(array) : nothing;
  view->obj = Py_NewRef(self);
  view->len = array.nbytes();
  view->itemsize = array.item_size();
  view->readonly = !array.writable();
  view->ndim = array.rank();
  view->format = (flags & PyBUF_FORMAT) ? const_cast<char*>(format_of(array.dtype())) : nullptr;
  view->shape = (flags & PyBUF_ND) ? lent->shape.data() : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? lent->strides.data() : nullptr;
  view->suboffsets = nullptr;
  view->internal = lent.release();
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  try {
    fill(view, self, flags);
    return 0;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_BufferError, error.what());
  }
  return -1;
}

void release_buffer(PyObject*, Py_buffer* view) {
  delete static_cast<BufferExport*>(view->internal);
  view->internal = nullptr;
}

// ---- NumPy and CUDA array interfaces

nb::object to_numpy(nb::handle self, nb::handle dtype, nb::handle copy) {
  const Array array = array_from(self);
  if (array.device().platform() != PlatformKind::cpu) {
    throw ImplicitHostCopyError("the array (shape " + to_string(array.shape()) + ", dtype " +
                                std::string(name_of(array.dtype())) + ") is on " +
                                array.device().to_string() +
                                "; copy it to the host with cupola.asnumpy(a) or a.get()");
  }
  if (copy.ptr() == Py_False) {
    throw ValueError("Unable to avoid copy while creating an array as requested");
  }
  nb::object host = download(array, 'K');
  if (dtype.is_none()) return host;
  return host.attr("astype")(dtype, nb::arg("copy") = false);
}

std::string type_string(DType dtype) {
  return std::string(nb::str(dtype_object(dtype).attr("str")).c_str());
}

nb::dict cuda_interface(nb::handle self) {
  const Array array = array_from(self);
  if (array.device().platform() != PlatformKind::cuda) {
    const std::string text = "the array is on " + array.device().to_string() +
                             ", and only arrays on CUDA devices have __cuda_array_interface__";
    PyErr_SetString(PyExc_AttributeError, text.c_str());
    throw nb::python_error();
  }
  settle(array);
  const Dims steps = strides(array);
  Dims byte_strides = steps;
  for (auto& stride : byte_strides) stride *= array.item_size();
  nb::dict result;
  const auto address =
      array.size() ? reinterpret_cast<std::uintptr_t>(data_pointer(array)) : std::uintptr_t{0};
  result["shape"] = tuple_from(array.shape());
  result["typestr"] = array.dtype() == DType::bfloat16 ? "<V2" : type_string(array.dtype());
  result["data"] = nb::make_tuple(address, !array.writable());
  if (is_c_contiguous(array.shape(), steps)) {
    result["strides"] = nb::none();
  } else {
    result["strides"] = tuple_from(byte_strides);
  }
  result["version"] = 3;
  result["stream"] = nb::none();  // all work on the array is done
  return result;
}

nb::object from_pointer(std::uintptr_t pointer, nb::handle shape, nb::handle dtype,
                        nb::handle byte_strides, nb::handle device, nb::object owner,
                        bool writable) {
  const Dims extents = shape_from(shape);
  const DType type = dtype_from(dtype);
  Dims steps = c_strides(extents);
  if (!byte_strides.is_none()) {
    steps = axes_from(byte_strides);
    const auto bytes = static_cast<std::int64_t>(item_size(type));
    for (auto& step : steps) {
      if (step % bytes) throw ValueError("strides must be multiples of the item size");
      step /= bytes;
    }
  }
  std::shared_ptr<void> keep(owner.release().ptr(), [](void* object) {
    release_reference(static_cast<PyObject*>(object));
  });
  return wrap(from_foreign(reinterpret_cast<void*>(pointer), type, extents, steps,
                           device_from(device), std::move(keep), writable));
}

}  // namespace

void run_with_interpreter(void (*function)(void*), void* argument) noexcept {
  if (!nb::is_alive()) return;
  if (PyGILState_Check()) {
    function(argument);
    return;
  }
  {
    const std::lock_guard lock(pending().mutex);
    pending().actions.emplace_back(function, argument);
  }
  Py_AddPendingCall(run_pending, nullptr);
}

void release_reference(PyObject* object) noexcept {
  run_with_interpreter([](void* pointer) { Py_DECREF(static_cast<PyObject*>(pointer)); }, object);
}

PyType_Slot* buffer_slots() {
  static PyType_Slot slots[] = {
      {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
      {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
      {0, nullptr},
  };
  return slots;
}

void bind_interop(nb::module_& m, ArrayClass& cls) {
  cls.def("__array__", to_numpy, nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none());
  cls.def_prop_ro("__cuda_array_interface__", cuda_interface,
                  "Version 3, for arrays on CUDA devices.");
  m.def("from_pointer", from_pointer, nb::arg("pointer"), nb::arg("shape"), nb::arg("dtype"),
        nb::arg("strides"), nb::arg("device"), nb::arg("owner"), nb::arg("writable"));
}

}  // namespace cupola::python
