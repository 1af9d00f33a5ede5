// NumPy arrays and nested lists -> device, and back.

#include "cupola/transfer.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>

#include "core/layout.h"
#include "cupola/error.h"
#include "cupola/ops/manip.h"
#include "cupola/runtime.h"
#include "exec/host/host_copy.h"
#include "exec/lending/lent_check.h"
#include "exec/transfers/late_checks.h"
#include "python/borders/result_memory.h"
#include "python/devices/streams.h"
#include "python/functions/creation_texts.h"
#include "python/functions/direct_function.h"
#include "python/interpreter/kept_object.h"
#include "python/interpreter/passed_reference.h"
#include "python/values/list_items.h"
#include "python/values/number_lists.h"
#include "runtime/completion.h"
#include "runtime/observer.h"
#include "runtime/on_stream.h"
#include "runtime/stream.h"

namespace cupola::python {
namespace {

nb::module_ numpy() { return nb::module_::import_("numpy"); }

// The memory of a NumPy array for as long as it lives. Goes with the interpreter lock held.
class HostView {
 public:
  // NumPy lends no buffer of bfloat16: its bits are lent instead.
  HostView(nb::handle array, DType dtype, bool writable) {
    nb::object source = nb::borrow(array);
    if (dtype == DType::bfloat16) source = source.attr("view")("uint16");
    const int flags = PyBUF_STRIDES | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(source.ptr(), &buffer_, flags) != 0) throw nb::python_error();
    pass_on(buffer_.obj);
  }
  ~HostView() { PyBuffer_Release(&buffer_); }
  HostView(const HostView&) = delete;
  HostView& operator=(const HostView&) = delete;

  void* data() const { return buffer_.buf; }
  Dims shape() const { return dims(buffer_.shape); }
  Dims byte_strides() const { return dims(buffer_.strides); }

 private:
  Dims dims(const Py_ssize_t* values) const {
    Dims result;
    for (int i = 0; i < buffer_.ndim; ++i) result.push_back(values[i]);
    return result;
  }
  Py_buffer buffer_{};
};

nb::object native_order(nb::handle array) {
  nb::object dtype = array.attr("dtype");
  if (nb::cast<bool>(nb::bool_(dtype.attr("isnative")))) return nb::borrow(array);
  return array.attr("astype")(dtype.attr("newbyteorder")("="));
}

nb::object host_dtype(DType dtype) {
  nb::object object = dtype_object(dtype);
  if (dtype == DType::bfloat16 && !nb::isinstance(object, numpy().attr("dtype"))) {
    throw TypeError(
        "NumPy has no bfloat16; install ml_dtypes, or convert with astype('float32') first");
  }
  return object;
}

// To be dropped by any thread.
std::shared_ptr<HostView> lend(nb::handle array, DType dtype, bool writable) {
  return {new HostView(array, dtype, writable), [](HostView* view) {
            run_with_interpreter([](void* lent) { delete static_cast<HostView*>(lent); }, view);
          }};
}

// The `stream=`, `blocking=` and `source=` of a call.
struct CopyArguments {
  nb::handle stream = nb::none();
  nb::handle blocking = nb::none();
  nb::handle source = nb::none();
};

// Whether the source must live on after the call: a graph reads it at every launch.
bool is_kept(SourceMode source, const Device& device) {
  return source == SourceMode::keepalive ||
         (source == SourceMode::snapshot && current_stream(device)->is_capturing());
}

SourceMode source_mode_from(nb::handle object) {
  if (object.is_none()) return SourceMode::snapshot;
  const auto is = [&](const char* name) {
    return PyUnicode_Check(object.ptr()) &&
           PyUnicode_CompareWithASCIIString(object.ptr(), name) == 0;
  };
  if (is("snapshot")) return SourceMode::snapshot;
  if (is("keepalive")) return SourceMode::keepalive;
  if (is("borrow")) return SourceMode::borrow;
  throw ValueError("source must be 'snapshot', 'keepalive' or 'borrow', got " +
                   shown(nb::repr(object)));
}

TransferOptions options_from(const CopyArguments& arguments) {
  TransferOptions options;
  options.source = source_mode_from(arguments.source);
  if (!arguments.blocking.is_none()) {
    options.blocking = nb::cast<bool>(nb::bool_(arguments.blocking));
  }
  return options;
}

// Null for None.
std::shared_ptr<StreamState> given_stream(nb::handle stream, const Device& device) {
  return stream.is_none() ? nullptr : stream_from(stream, device).state();
}

void copy_to(const Array& array, nb::handle target, TransferOptions options = {}) {
  const std::shared_ptr<HostView> view = lend(target, array.dtype(), true);
  const Dims steps = view->byte_strides();
  // With the interpreter lock: to hand it over takes longer.
  if (read_at_once(array, view->data(), steps)) {
    if (options.blocking.value_or(true)) throw_late_errors(array);
    return;
  }
  options.owner = view;  // the copy goes on where the wait for it is interrupted
  Unlocked unlocked;
  to_host(array, view->data(), steps, options);
}

void check_target(const Array& array, nb::handle out) {
  if (!is_numpy_array(out)) {
    throw TypeError(std::string("out must be a numpy.ndarray, not ") + class_name(out.ptr()));
  }
  const Dims shape = shape_from(out.attr("shape"));
  if (!(shape == array.shape())) {
    throw ValueError("out has shape " + to_string(shape) + ", the array " +
                     to_string(array.shape()));
  }
  const DType dtype = dtype_from(out.attr("dtype"));
  if (dtype != array.dtype()) {
    throw TypeError("out has dtype " + std::string(name_of(dtype)) + ", the array " +
                    std::string(name_of(array.dtype())));
  }
}

nb::object download_to(nb::handle self, nb::handle order, nb::handle out, nb::handle stream,
                       nb::handle blocking) {
  const Array array = array_from(self);
  const OnStream scope(array.device(), given_stream(stream, array.device()));
  const TransferOptions options = options_from({.blocking = blocking});
  constexpr const char* kAskedBy = "asnumpy(a)";
  if (out.is_none()) return download(array, order_from(order), kAskedBy, options);
  const AskedBy asked(kAskedBy);
  check_target(array, out);
  copy_to(array, out, options);
  return nb::borrow(out);
}

nb::object upload_object(nb::handle source, nb::handle dtype, nb::handle device, nb::handle order,
                         nb::handle stream, nb::handle blocking, nb::handle mode) {
  const Device target = device.is_none() ? current_device() : device_from(device);
  const OnStream scope(target, given_stream(stream, target));
  nb::object host = nb::borrow(source);
  if (const auto wanted = optional_dtype_from(dtype)) {
    host = host.attr("astype")(host_dtype(*wanted), nb::arg("copy") = false);
  }
  return wrap(upload(host, target, order_from(order), options_from({stream, blocking, mode})));
}

nb::handle array_function() {
  static constinit KeptObject found;
  return found.get(
      [] { return nb::module_::import_("cupola._functions.creation.arrays").attr("array"); });
}

nb::object made_by_array(nb::handle a, nb::handle dtype, nb::handle order, nb::handle device,
                         nb::handle copy, nb::handle blocking, nb::handle stream,
                         nb::handle source) {
  const nb::object layout = order.is_none() ? nb::object(nb::str("K")) : nb::borrow(order);
  return array_function()(a, dtype, nb::arg("copy") = copy, nb::arg("order") = layout,
                          nb::arg("device") = device, nb::arg("blocking") = blocking,
                          nb::arg("stream") = stream, nb::arg("source") = source);
}

// Lists may contain themselves.
class Depth {
 public:
  Depth() {
    if (Py_EnterRecursiveCall(" while looking for arrays in a list") != 0) throw nb::python_error();
  }
  ~Depth() { Py_LeaveRecursiveCall(); }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
};

// Whether a list or tuple contains an array of ours, at any depth.
bool holds_array(nb::handle object) {
  const Depth depth;
  const bool is_list = PyList_Check(object.ptr());
  if (!is_list && !PyTuple_Check(object.ptr())) return false;
  const Py_ssize_t count = is_list ? PyList_Size(object.ptr()) : PyTuple_Size(object.ptr());
  for (Py_ssize_t i = 0; i < count; ++i) {
    const ListItem item = item_at(object, i);
    if (!item.is_valid()) break;
    if (PyFloat_CheckExact(item.ptr()) || PyLong_CheckExact(item.ptr())) continue;
    if (find_array(item) || holds_array(item)) return true;
  }
  return false;
}

nb::object asarray(nb::handle a, nb::handle dtype, nb::handle order, nb::handle device,
                   nb::handle copy, nb::handle blocking, nb::handle stream, nb::handle source,
                   nb::handle like) {
  if (!like.is_none()) {
    const nb::object place = nb::cast(*device_or_like(device, like));
    return asarray(a, dtype, order, find_array(a) ? device : nb::handle(place), copy, blocking,
                   stream, source, nb::none());
  }
  const auto wanted = optional_dtype_from(dtype);
  if (copy.is_none() && is_exactly_numpy_array(a) && wanted != DType::bfloat16) {
    return upload_object(a, dtype, device, order, stream, blocking, source);
  }
  const char layout = order_from(order);
  const bool as_it_is = !wanted && device.is_none() && (layout == 'K' || layout == 'A') &&
                        (copy.is_none() || copy.is(Py_False));
  if (as_it_is && find_array(a)) return nb::borrow(a);
  if (copy.is_none() && stream.is_none()) {
    options_from({stream, blocking, source});  // they make no difference, but may be wrong
    const auto place = [&] { return device.is_none() ? current_device() : device_from(device); };
    if (!wanted && is_plain_number(a)) return wrap(array_from_anything(a, place()));
    if (const auto numbers = layout == 'F' ? std::nullopt : numbers_from(a, wanted)) {
      return wrap(array_of(*numbers, place()));
    }
  }
  return made_by_array(a, dtype, order, device, copy, blocking, stream, source);
}

// Of the same shape and dtype, which the caller has checked.
void set_elements(nb::handle self, nb::handle source, nb::handle stream, nb::handle blocking,
                  nb::handle mode) {
  const Array array = array_from(self);
  const OnStream scope(array.device(), given_stream(stream, array.device()));
  TransferOptions options = options_from({stream, blocking, mode});
  const nb::object host = native_order(source);
  const std::shared_ptr<HostView> view = lend(host, array.dtype(), false);
  const Dims steps = view->byte_strides();
  if (is_kept(options.source, array.device())) options.owner = view;
  Unlocked unlocked;
  set_from_host(array, view->data(), steps, options);
}

nb::tuple tuple_of(const InFlight& things) { return nb::make_tuple(things.things, things.bytes); }

// What finished copies held; with `wait`, also what is in flight now.
nb::tuple flush(bool wait) {
  InFlight released;
  if (in_flight().things > 0) {
    Unlocked unlocked;
    released = drain();
    if (wait) {
      const InFlight waited = settle();
      released.things += waited.things;
      released.bytes += waited.bytes;
    }
  }
  return tuple_of(released);
}

void warn(const std::string& text) {
  run_with_interpreter(
      [](void* argument) {
        const std::unique_ptr<std::string> message(static_cast<std::string*>(argument));
        if (PyErr_WarnEx(PyExc_RuntimeWarning, message->c_str(), 1) != 0)
          PyErr_WriteUnraisable(nullptr);
      },
      new std::string(text));
}

nb::object move_to_device(nb::handle self, nb::handle device) {
  const Array array = array_from(self);
  const Device target = device_from(device);
  Array result;
  {
    Unlocked unlocked;
    result = to_device(array, target);
  }
  return is_same(result, array) ? nb::borrow(self) : wrap(std::move(result));
}

// From the outermost to the innermost, as order 'K' keeps them.
Dims axes_by_stride(const Dims& strides) {
  Dims axes = strides;
  std::iota(axes.begin(), axes.end(), std::int64_t{0});
  std::stable_sort(axes.begin(), axes.end(), [&](std::int64_t one, std::int64_t other) {
    return std::abs(strides[static_cast<std::size_t>(one)]) >
           std::abs(strides[static_cast<std::size_t>(other)]);
  });
  return axes;
}

Dims inverse_of(const Dims& axes) {
  Dims result = axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    result[static_cast<std::size_t>(axes[i])] = static_cast<std::int64_t>(i);
  }
  return result;
}

nb::object item_object(nb::handle self) {
  return scalar_object(item_of(array_from(self), "a.item()"));
}

}  // namespace

Array upload(nb::handle numpy_array, const Device& device, char order,
             const TransferOptions& options) {
  const auto plain = plain_dtype_of(numpy_array);
  const nb::object source = plain ? nb::borrow(numpy_array) : native_order(numpy_array);
  const DType dtype = plain ? *plain : dtype_from(source.attr("dtype"));
  const HostView view(source, dtype, false);
  const Dims shape = view.shape();
  const Dims steps = view.byte_strides();
  const bool is_c = is_packed(shape, steps, dtype, 'C');
  const bool fortran =
      order == 'F' || (order != 'C' && !is_c && is_packed(shape, steps, dtype, 'F'));
  if (order == 'K' && !fortran && !is_c) {
    const Dims axes = axes_by_stride(steps);
    const nb::object arranged = source.attr("transpose")(tuple_from(axes));
    return transpose(upload(arranged, device, 'C', options), inverse_of(axes));
  }
  TransferOptions with_owner = options;
  if (is_kept(options.source, device)) with_owner.owner = lend(source, dtype, false);
  Unlocked unlocked;
  return from_host(view.data(), dtype, shape, steps, device, fortran ? 'F' : 'C', with_owner);
}

Array array_from_anything(nb::handle object, const Device& device) {
  if (NdArray* found = find_array(object)) return found->array();
  if (const auto scalar = scalar_from(object)) {
    return from_host(scalar->data(), scalar->dtype(), {}, {}, device);
  }
  if (const auto numbers = numbers_from(object)) return array_of(*numbers, device);
  nb::object host = is_numpy_array(object) ? nb::borrow(object) : numpy().attr("array")(object);
  return upload(host, device);
}

nb::object download(const Array& array, char order, const char* asked_by,
                    const TransferOptions& options) {
  const AskedBy asked(asked_by);
  nb::object dtype = host_dtype(array.dtype());
  bool fortran = order == 'F';
  if (order == 'A' || order == 'K') {
    const Dims steps = strides(array);
    const bool c = array.rank() < 2 || is_c_contiguous(array.shape(), steps);
    fortran = !c && is_f_contiguous(array.shape(), steps);
    if (order == 'K' && !c && !fortran) {
      const Dims axes = axes_by_stride(steps);
      const nb::object arranged = download(transpose(array, axes), 'C', asked_by, options);
      return arranged.attr("transpose")(tuple_from(inverse_of(axes)));
    }
  }
  nb::object result =
      new_numpy_array(array.shape(), dtype, fortran, static_cast<std::size_t>(array.nbytes()));
  copy_to(array, result, options);
  return result;
}

void bind_transfers(nb::module_& m) {
  set_lent_report(warn);
  m.def("upload", upload_object, nb::arg("source").none(), nb::arg("dtype") = nb::none(),
        nb::arg("device") = nb::none(), nb::arg("order").none() = "C",
        nb::arg("stream") = nb::none(), nb::arg("blocking") = nb::none(),
        nb::arg("mode") = nb::none());
  DirectFunction<asarray>::define(
      m, {"asarray",
          "(a: Any, dtype: DTypeLike = None, order: OrderLike = 'K', *, "
          "device: DeviceLike = None, copy: bool | None = None, blocking: bool | None = None, "
          "stream: Any = None, source: SourceLike = 'snapshot', like: Any = None) -> ndarray",
          kAsarrayText});
  m.def("holds_array", holds_array, nb::arg("object").none());
  m.def("set_elements", set_elements, nb::arg("a").none(), nb::arg("source").none(),
        nb::arg("stream") = nb::none(), nb::arg("blocking") = nb::none(),
        nb::arg("mode") = nb::none());
  m.def("download", download_to, nb::arg("a").none(), nb::arg("order").none() = "C",
        nb::arg("out") = nb::none(), nb::arg("stream") = nb::none(),
        nb::arg("blocking") = nb::none());
  m.def(
      "download_to_print",
      [](nb::handle self) { return download(array_from(self), 'C', "print(a)"); }, nb::arg("a"));
  m.def("flush", flush, nb::arg("wait") = false);
  m.def("in_flight", [] { return tuple_of(in_flight()); });
  m.def("set_lent_checks", set_lent_checks, nb::arg("on"));
  m.def("lent_checks", lent_checks);
  m.def("to_device", move_to_device, nb::arg("a").none(), nb::arg("device").none());
  m.def("item", item_object, nb::arg("a").none());
  m.def(
      "as_array",
      [](nb::handle object, nb::handle device) -> nb::object {
        if (find_array(object)) return nb::borrow(object);
        if (device.is_none()) return wrap(array_like_from(object));
        const Device place = device_from(device);
        if (is_numpy_array(object)) return wrap(to_device(array_like_from(object), place));
        return wrap(array_from_anything(object, place));
      },
      nb::arg("object").none(), nb::arg("device") = nb::none(),
      "An array as it is; a number or list as a new array. TypeError for a NumPy array, unless it "
      "is a number.");
}

}  // namespace cupola::python
