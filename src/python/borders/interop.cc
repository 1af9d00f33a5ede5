// Memory lent to others: the buffer protocol, __array__, __cuda_array_interface__.

#include <memory>
#include <utility>

#include "core/layout.h"
#include "cupola/error.h"
#include "cupola/runtime.h"
#include "cupola/transfer.h"
#include "driver/registry.h"
#include "exec/lending/lending.h"
#include "python/bindings.h"
#include "python/borders/host_border.h"
#include "python/memory/memory.h"

namespace cupola::python {
namespace {

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
void settle_writes_of(const Array& array) {
  Unlocked unlocked;
  finish_uses(array);
}

void check_request(const Array& array, const Dims& steps, int flags) {
  if (array.device().platform() != PlatformKind::cpu) {
    throw BufferError("the array is on " + array.device().to_string() +
                      ", not in host memory; cupola.asnumpy copies it there");
  }
  if (const std::string text = refusal_of_host_copy(array); !text.empty()) throw BufferError(text);
  if (!format_of(array.dtype())) throw BufferError("there are no buffers of bfloat16");
  const bool c = is_c_contiguous(array.shape(), steps);
  const bool f = is_f_contiguous(array.shape(), steps);
  const auto asked = [flags](int mask) { return (flags & mask) == mask; };
  if (asked(PyBUF_C_CONTIGUOUS) && !c) throw BufferError("the array is not C contiguous");
  if (asked(PyBUF_F_CONTIGUOUS) && !f) throw BufferError("the array is not Fortran contiguous");
  if (asked(PyBUF_ANY_CONTIGUOUS) && !c && !f) throw BufferError("the array is not contiguous");
  if (!asked(PyBUF_STRIDES) && !c) throw BufferError("the array is not C contiguous");
  if (!asked(PyBUF_ND) && array.rank() > 1) {
    throw BufferError("a buffer without a shape would lose that of the array, " +
                      to_string(array.shape()) + "; pass memoryview(a), a.ravel() or a.tobytes()");
  }
  if (asked(PyBUF_WRITABLE) && !array.writable()) throw BufferError("the array is read-only");
}

void fill(Py_buffer* view, PyObject* self, int flags) {
  static char nothing[16];
  const Array array = array_from(self);
  const Dims steps = strides(array);
  check_request(array, steps, flags);
  settle_writes_of(array);
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
  if (std::string text = refusal_of_host_copy(array); !text.empty()) {
    throw ImplicitHostCopyError(std::move(text));
  }
  if (copy.ptr() == Py_False) {
    throw ValueError("Unable to avoid copy while creating an array as requested");
  }
  nb::object host = download(array, 'K', "numpy.asarray(a)");
  if (dtype.is_none()) return host;
  return host.attr("astype")(dtype, nb::arg("copy") = false);
}

std::string type_string(DType dtype) {
  return text_from(dtype_object(dtype).attr("str"), "dtype.str");
}

// The current stream of the array's device, which waits for all uses so far: consumers that work on
// another stream wait for it.
std::uintptr_t ready_stream(const Array& array) {
  Unlocked unlocked;
  const Stream stream = Stream::current(array.device());
  order_after_uses(array, *stream.state());
  note_lent(array);
  return reinterpret_cast<std::uintptr_t>(stream.native_handle());
}

nb::dict cuda_interface(nb::handle self) {
  Array array = array_from(self);
  if (array.device().platform() != PlatformKind::cuda) {
    const std::string text = "the array is on " + array.device().to_string() +
                             ", and only arrays on CUDA devices have __cuda_array_interface__";
    PyErr_SetString(PyExc_AttributeError, text.c_str());
    throw nb::python_error();
  }
  {
    Unlocked unlocked;
    array = on_one_device(array, false);
  }
  const std::uintptr_t stream = ready_stream(array);
  const Dims steps = strides(array);
  nb::dict result;
  const auto address =
      array.size() ? reinterpret_cast<std::uintptr_t>(data_pointer(array)) : std::uintptr_t{0};
  result["shape"] = tuple_from(array.shape());
  result["typestr"] = array.dtype() == DType::bfloat16 ? "<V2" : type_string(array.dtype());
  result["data"] = nb::make_tuple(address, !array.writable());
  if (is_c_contiguous(array.shape(), steps)) {
    result["strides"] = nb::none();
  } else {
    result["strides"] = tuple_from(byte_strides(steps, array.dtype()));
  }
  result["version"] = 3;
  result["stream"] = stream;
  return result;
}

std::uintptr_t producer_from(nb::handle stream) {
  const std::int64_t number = index_from(stream);
  if (number > 0) return static_cast<std::uintptr_t>(number);
  throw ValueError("the stream of __cuda_array_interface__ must be 1, 2, an address or None, got " +
                   std::to_string(number));
}

// The current stream waits for what the producer has put on its stream; others wait for that.
void wait_for_producer(const Array& array, std::uintptr_t producer) {
  Unlocked unlocked;
  const Stream current = Stream::current(array.device());
  const Stream theirs = Stream::adopt(array.device(), reinterpret_cast<void*>(producer));
  current.wait_for(theirs);
  note_ready(array, current.state());
}

// Where memory of another CUDA library lies.
Device device_of_address(std::uintptr_t pointer) {
  const Device current = current_device();
  const int fallback = current.platform() == PlatformKind::cuda ? current.index() : 0;
  const int known =
      driver(PlatformKind::cuda).describe(reinterpret_cast<const void*>(pointer)).device;
  return Device(PlatformKind::cuda, known < 0 ? fallback : known);
}

// `stream`: that of the producer's last work, by the rules of __cuda_array_interface__; None: its
// work is done.
nb::object from_pointer(std::uintptr_t pointer, nb::handle shape, nb::handle dtype,
                        nb::handle byte_strides, nb::handle device, nb::handle owner, bool writable,
                        nb::handle stream) {
  const Dims extents = shape_from(shape);
  const DType type = dtype_from(dtype);
  const Dims steps =
      byte_strides.is_none() ? c_strides(extents) : strides_from(byte_strides, extents, type);
  const Device place = device.is_none() ? device_of_address(pointer) : device_from(device);
  const Array array = from_foreign(reinterpret_cast<void*>(pointer), type, extents, steps, place,
                                   share_reference(owner), writable);
  if (!stream.is_none()) wait_for_producer(array, producer_from(stream));
  return wrap(array);
}

}  // namespace

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
        nb::arg("strides").none(), nb::arg("device").none(), nb::arg("owner").none(),
        nb::arg("writable"), nb::arg("stream") = nb::none());
}

}  // namespace cupola::python
