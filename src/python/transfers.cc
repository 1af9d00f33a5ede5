// NumPy arrays and nested lists -> device, and back.

#include "cupola/transfer.h"

#include "core/layout.h"
#include "cupola/error.h"
#include "cupola/runtime.h"
#include "python/bindings.h"

namespace cupola::python {
namespace {

nb::module_ numpy() { return nb::module_::import_("numpy"); }

// The memory of a NumPy array for as long as it lives.
class HostView {
 public:
  // NumPy lends no buffer of bfloat16: its bits are lent instead.
  HostView(nb::handle array, DType dtype, bool writable) {
    nb::object source = nb::borrow(array);
    if (dtype == DType::bfloat16) source = source.attr("view")("uint16");
    const int flags = PyBUF_STRIDES | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(source.ptr(), &buffer_, flags) != 0) throw nb::python_error();
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
  if (nb::cast<bool>(dtype.attr("isnative"))) return nb::borrow(array);
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

void copy_to(const Array& array, nb::handle target) {
  HostView view(target, array.dtype(), true);
  const Dims steps = view.byte_strides();
  Unlocked unlocked;
  to_host(array, view.data(), steps);
}

void check_target(const Array& array, nb::handle out) {
  if (!is_numpy_array(out)) {
    throw TypeError(std::string("out must be a numpy.ndarray, not ") + Py_TYPE(out.ptr())->tp_name);
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

nb::object download_to(nb::handle self, nb::handle order, nb::handle out) {
  const Array array = array_from(self);
  if (out.is_none()) return download(array, order_from(order));
  check_target(array, out);
  copy_to(array, out);
  return nb::borrow(out);
}

nb::object upload_object(nb::handle source, nb::handle dtype, nb::handle device, nb::handle order) {
  const Device target = device.is_none() ? current_device() : device_from(device);
  nb::object host = nb::borrow(source);
  if (const auto wanted = optional_dtype_from(dtype)) {
    host = host.attr("astype")(host_dtype(*wanted), nb::arg("copy") = false);
  }
  return wrap(upload(host, target, order_from(order)));
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

nb::object item_object(nb::handle self) { return scalar_object(item_of(array_from(self))); }

}  // namespace

Array upload(nb::handle numpy_array, const Device& device, char order) {
  const nb::object source = native_order(numpy_array);
  const DType dtype = dtype_from(source.attr("dtype"));
  HostView view(source, dtype, false);
  const Dims shape = view.shape();
  const Dims steps = view.byte_strides();
  const bool fortran = order == 'F' || (order != 'C' && shape.size() > 1 &&
                                        nb::cast<bool>(source.attr("flags").attr("fnc")));
  Unlocked unlocked;
  return from_host(view.data(), dtype, shape, steps, device, fortran ? 'F' : 'C');
}

Array array_from_anything(nb::handle object, const Device& device) {
  if (NdArray* found = find_array(object)) return found->array;
  if (const auto scalar = scalar_from(object)) {
    return from_host(scalar->data(), scalar->dtype(), {}, {}, device);
  }
  nb::object host = is_numpy_array(object) ? nb::borrow(object) : numpy().attr("array")(object);
  return upload(host, device);
}

nb::object download(const Array& array, char order) {
  nb::object dtype = host_dtype(array.dtype());
  bool fortran = order == 'F';
  if (order == 'A' || order == 'K') {
    const Dims steps = strides(array);
    fortran = array.rank() > 1 && !is_c_contiguous(array.shape(), steps) &&
              is_f_contiguous(array.shape(), steps);
  }
  nb::object result = numpy().attr("empty")(tuple_from(array.shape()), dtype, fortran ? "F" : "C");
  copy_to(array, result);
  return result;
}

void bind_transfers(nb::module_& m) {
  m.def("upload", upload_object, nb::arg("source"), nb::arg("dtype") = nb::none(),
        nb::arg("device") = nb::none(), nb::arg("order") = "C");
  m.def("download", download_to, nb::arg("a"), nb::arg("order") = "C", nb::arg("out") = nb::none());
  m.def("to_device", move_to_device, nb::arg("a"), nb::arg("device"));
  m.def("item", item_object, nb::arg("a"));
  m.def(
      "as_array",
      [](nb::handle object, nb::handle device) -> nb::object {
        if (find_array(object)) return nb::borrow(object);
        return wrap(
            array_from_anything(object, device.is_none() ? current_device() : device_from(device)));
      },
      nb::arg("object").none(), nb::arg("device") = nb::none(),
      "An array as it is; a number, list or NumPy array as a new array.");
}

}  // namespace cupola::python
