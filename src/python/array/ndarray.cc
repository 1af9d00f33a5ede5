// The class `cupola.ndarray`: handles, properties.

#include <memory>

#include "core/array_state.h"
#include "cupola/error.h"
#include "cupola/ops/creation.h"
#include "cupola/ops/manip.h"
#include "cupola/runtime.h"
#include "cupola/transfer.h"
#include "python/array/class_texts.h"
#include "python/bindings.h"
#include "python/memory/memory.h"

namespace cupola::python {
namespace {

PyTypeObject* array_type = nullptr;

nb::object make_instance(NdArray value) {
  nb::object object = nb::inst_alloc(nb::handle(reinterpret_cast<PyObject*>(array_type)));
  std::construct_at(nb::inst_ptr<NdArray>(object), std::move(value));
  nb::inst_mark_ready(object);
  return object;
}

bool shares_storage(const Array& a, const Array& b) {
  return is_stored(a) && is_stored(b) && a.state().storage == b.state().storage;
}

template <auto kFunction>
nb::object view_of(nb::handle self) {
  const Array array = array_from(self);
  if (is_stored(array)) return wrap_view(kFunction(array), self);  // it waits for nothing
  Array result;
  {
    Unlocked unlocked;
    result = kFunction(array);
  }
  return wrap_view(std::move(result), self);
}

Array transposed(const Array& array) { return transpose(array); }
Array matrix_transposed(const Array& array) {
  if (array.rank() < 2) {
    throw ValueError("matrix transpose with ndim < 2 is undefined, found ndim " +
                     std::to_string(array.rank()));
  }
  return swapaxes(array, -1, -2);
}
Array real_part(const Array& array) { return real(array); }
nb::object real_view(nb::handle self) {
  return is_complex(array_from(self).dtype()) ? view_of<real_part>(self) : nb::borrow(self);
}
Array imaginary_part(const Array& array) { return imag(array); }
nb::object imaginary_view(nb::handle self) {
  const Array array = array_from(self);
  if (is_complex(array.dtype())) return view_of<imaginary_part>(self);
  Array zeros;
  {
    Unlocked unlocked;
    zeros = imag(array);
  }
  return wrap(std::move(zeros));
}

// New memory for as many elements as the shape has, laid over it by strides in bytes.
Array strided(const Dims& shape, DType dtype, nb::handle byte_strides,
              const std::optional<Device>& device) {
  Layout layout{strides_from(byte_strides, shape, dtype), 0};
  const std::int64_t count = element_count(shape);
  const Extent touched = touched_extent(shape, layout);
  if (count > 0 && (touched.first < 0 || touched.last >= count)) {
    throw ValueError("strides is incompatible with shape of requested array and size of buffer");
  }
  return make_view(empty({count}, dtype, device), shape, std::move(layout));
}

// In the memory of an object with the buffer protocol, which NumPy checks and lays out.
NdArray lying_in(nb::handle buffer, nb::handle shape, nb::handle dtype, nb::handle offset,
                 nb::handle strides, char order, const Device& device) {
  if (device.platform() != PlatformKind::cpu || device.is_set()) {
    throw TypeError("an array on " + device.to_string() +
                    " cannot lie in a buffer, which is memory of the host: cupola.frombuffer and "
                    "cupola.asarray copy it to the device");
  }
  const DType type = dtype.is_none() ? DType::float64 : dtype_from(dtype);
  const nb::object host_dtype = dtype_object(type == DType::bfloat16 ? DType::uint16 : type);
  const nb::object host = nb::module_::import_("numpy").attr("ndarray")(
      shape, host_dtype, buffer, offset, strides, std::string(1, order));
  const Dims extents = shape_from(host.attr("shape"));
  const nb::object flags = host.attr("flags");
  const auto address = nb::cast<std::uintptr_t>(host.attr("ctypes").attr("data"));
  return NdArray(from_foreign(reinterpret_cast<void*>(address), type, extents,
                              strides_from(host.attr("strides"), extents, type), device,
                              share_reference(host), nb::cast<bool>(flags.attr("writeable"))),
                 host.attr("base"));
}

// With `memptr` (a MemoryPointer) or `buffer` a view of that memory, else new memory.
void construct(NdArray* self, nb::handle shape, nb::handle dtype, nb::handle memptr,
               nb::handle strides, nb::handle order, nb::handle device, nb::handle buffer,
               nb::handle offset) {
  const char layout = order_from(order) == 'F' ? 'F' : 'C';
  if (!buffer.is_none()) {
    if (!memptr.is_none()) throw TypeError("an array lies in `memptr` or in `buffer`, not in both");
    const Device place = device.is_none() ? current_device() : device_from(device);
    new (self) NdArray(lying_in(buffer, shape, dtype, offset, strides, layout, place));
    return;
  }
  if (!memptr.is_none()) {
    if (!nb::hasattr(memptr, "_place")) {
      throw TypeError("memptr must be a MemoryPointer, not " + class_name(memptr.ptr()) +
                      "; memory of the host is given as buffer=");
    }
    const auto place = value_from<nb::tuple>(memptr.attr("_place")(), "memptr", "a MemoryPointer");
    Array array =
        array_on_memory(block_of(place[0]), index_from(place[1]), shape, dtype, strides, layout);
    new (self) NdArray(std::move(array));
    return;
  }
  const DType type = dtype.is_none() ? DType::float64 : dtype_from(dtype);
  Array array = strides.is_none()
                    ? empty(shape_from(shape), type, optional_device_from(device), layout)
                    : strided(shape_from(shape), type, strides, optional_device_from(device));
  new (self) NdArray(std::move(array));
}

// Whether so many elements can have that shape, of which one extent may be -1.
bool counts_fit(std::int64_t size, const Dims& shape) {
  std::int64_t known = 1;
  for (const std::int64_t extent : shape) {
    if (extent >= 0 && __builtin_mul_overflow(known, extent, &known)) return false;
  }
  const auto open =
      std::count_if(shape.begin(), shape.end(), [](auto extent) { return extent < 0; });
  return open == 0 ? known == size : open == 1 && known != 0 && size % known == 0;
}

void set_shape(NdArray& self, nb::handle value) {
  const Dims shape = shape_from(value);
  try {
    self.set_array(reshape(self.array(), shape, 'C', false));
  } catch (const ValueError&) {
    if (!counts_fit(self.array().size(), shape)) throw;
    throw nb::attribute_error(
        "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the "
        "desired shape.");
  }
}

void set_real(NdArray& self, nb::handle value) {
  const Operand operand = operand_from(value, self.array().device());
  const Array array = self.array();
  Unlocked unlocked;
  assign(real(array), operand, Casting::unsafe_);
}

void set_imag(NdArray& self, nb::handle value) {
  if (!is_complex(self.array().dtype())) {
    throw TypeError("array of dtype " + std::string(name_of(self.array().dtype())) +
                    " does not have imaginary part to set");
  }
  const Operand operand = operand_from(value, self.array().device());
  const Array array = self.array();
  Unlocked unlocked;
  assign(imag(array), operand, Casting::unsafe_);
}

// NumPy gives new arrays without elements strides of zero.
Dims byte_strides(Array array, bool is_view) {
  if (array.size() == 0 && !is_view) return Dims(array.shape().size(), 0);
  Unlocked unlocked;
  return cupola::byte_strides(strides(array), array.dtype());
}

// is the memory contiguous in row-major and in column-major order; is it writable
nb::tuple layout_flags(const NdArray& self) {
  const Array array = self.array();
  Dims steps;
  {
    Unlocked unlocked;
    steps = strides(array);
  }
  return nb::make_tuple(is_c_contiguous(array.shape(), steps),
                        is_f_contiguous(array.shape(), steps), array.writable());
}

// Views have their own flag; those that are made later take over the present one.
void set_writable(NdArray& self, bool writable) {
  const Array array = self.array();
  {
    Unlocked unlocked;
    data_pointer(array);  // a flag of stored arrays
  }
  const NdArray* base = self.base.is_valid() ? find_array(self.base) : nullptr;
  const bool is_lent = !array.state().storage->writable() || (base && !base->array().writable());
  if (writable && !array.writable() &&
      (is_lent || overlaps_itself(array.shape(), strides_of(array)))) {
    throw ValueError("cannot set WRITEABLE flag to True of this array");
  }
  array.state().writable = writable;
}

}  // namespace

NdArray::Read NdArray::counted() const {
  if (const std::optional<Uncounted> selection = uncounted()) {
    Array elements;
    {
      const Unlocked unlocked;
      elements = selection->elements();
    }
    const std::lock_guard lock(mutex_);
    if (!array_.has_value()) array_ = std::move(elements);
  }
  const std::lock_guard lock(mutex_);
  return array_;
}

void NdArray::set_array(Array array) {
  std::unique_ptr<Uncounted> selection;  // what was there ends without the mutex
  const std::lock_guard lock(mutex_);
  std::swap(array_, array);
  selection.swap(uncounted_);
}

DType NdArray::dtype() const {
  const std::optional<Uncounted> selection = uncounted();
  return selection ? selection->dtype() : array().dtype();
}

Device NdArray::device() const {
  const std::optional<Uncounted> selection = uncounted();
  return selection ? selection->device() : array().device();
}

int NdArray::rank() const { return is_uncounted() ? 1 : array().rank(); }

std::optional<Uncounted> NdArray::uncounted() const {
  const std::lock_guard lock(mutex_);
  return uncounted_ ? std::optional(*uncounted_) : std::nullopt;
}

nb::object wrap(Array array) { return make_instance(NdArray(std::move(array))); }
nb::object wrap(Uncounted selection) { return make_instance(NdArray(std::move(selection))); }

nb::object wrap_view(Array array, nb::handle owner) {
  NdArray* source = find_array(owner);
  if (!source || !shares_storage(array, source->array())) return wrap(std::move(array));
  nb::object base = source->base.is_valid() ? source->base : nb::borrow(owner);
  return make_instance(NdArray(std::move(array), std::move(base)));
}

nb::object given_or(nb::handle out, Array result) {
  return out.is_none() ? wrap(std::move(result)) : nb::borrow(out);
}

nb::object wrap_list(std::vector<Array> arrays) {
  nb::list result;
  for (Array& array : arrays) result.append(wrap(std::move(array)));
  return result;
}

nb::object wrap_tuple(std::vector<Array> arrays) { return nb::tuple(wrap_list(std::move(arrays))); }

NdArray* find_array(nb::handle object) {
  PyTypeObject* type = Py_TYPE(object.ptr());
  if (type != array_type && !PyType_IsSubtype(type, array_type)) return nullptr;
  return nb::inst_ready(object) ? nb::inst_ptr<NdArray>(object) : nullptr;
}

NdArray* find_plain_array(nb::handle object) {
  const bool is_plain = Py_TYPE(object.ptr()) == array_type && nb::inst_ready(object);
  return is_plain ? nb::inst_ptr<NdArray>(object) : nullptr;
}

Array array_from(nb::handle object) {
  if (NdArray* found = find_array(object)) return found->array();
  const char* advice =
      is_numpy_array(object) ? " (cupola.asarray copies a NumPy array to a device)" : "";
  throw TypeError(std::string("a cupola.ndarray is needed, not ") + class_name(object.ptr()) +
                  advice);
}

Array optional_array_from(nb::handle object) {
  return object.is_none() ? Array() : array_from(object);
}

std::vector<Array> arrays_from(nb::handle sequence) {
  std::vector<Array> result;
  for (nb::handle item : nb::iter(sequence)) result.push_back(array_from(item));
  return result;
}

ArrayClass bind_ndarray(nb::module_& m) {
  PyType_Slot* slots = buffer_slots();
  ArrayClass cls(m, "ndarray", nb::type_slots(slots), nb::is_weak_referenceable(), nb::pooled(),
                 kNdarrayText);
  array_type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  cls.attr("__module__") = "cupola";
  cls.attr("__array_priority__") = 100;
  cls.attr("__hash__") = nb::none();
  // ndarray[shape, dtype] in annotations.
  cls.attr("__class_getitem__") =
      nb::module_::import_("builtins")
          .attr("classmethod")(nb::module_::import_("types").attr("GenericAlias"));

  cls.def("__init__", construct, nb::arg("shape").none(), nb::arg("dtype") = nb::none(),
          nb::arg("memptr") = nb::none(), nb::arg("strides") = nb::none(),
          nb::arg("order").none() = "C", nb::arg("device") = nb::none(), nb::kw_only(),
          nb::arg("buffer") = nb::none(), nb::arg("offset").none() = 0,
          "An array whose elements are not set, usually made by `cupola.empty`; with `memptr` or "
          "`buffer`, one that lies in that memory.");
  cls.def_prop_rw(
      "shape", [](const NdArray& self) { return tuple_from(self.array().shape()); }, set_shape,
      nb::for_getter(nb::sig("def shape(self) -> tuple[int, ...]")),
      "Extents, a tuple of ints; assigning reshapes without a copy.");
  cls.def_prop_ro(
      "dtype", [](const NdArray& self) { return dtype_object(self.dtype()); },
      "The elements' type, a numpy.dtype.");
  cls.def_prop_ro(
      "ndim", [](const NdArray& self) { return self.rank(); }, "Number of dimensions.");
  cls.def_prop_ro(
      "size", [](const NdArray& self) { return self.array().size(); }, "Number of elements.");
  cls.def_prop_ro(
      "nbytes", [](const NdArray& self) { return self.array().nbytes(); },
      "Bytes of all elements.");
  cls.def_prop_ro(
      "itemsize", [](const NdArray& self) { return self.array().item_size(); },
      "Bytes of one element.");
  cls.def_prop_ro(
      "strides",
      [](const NdArray& self) {
        return tuple_from(byte_strides(self.array(), self.base.is_valid()));
      },
      "Bytes from one element to the next, per dimension.");
  cls.def_prop_ro(
      "device", [](const NdArray& self) { return self.device(); },
      "The device that holds the elements.");
  cls.def_prop_ro(
      "base", [](const NdArray& self) { return self.base.is_valid() ? self.base : nb::none(); },
      "The array whose memory this one views, or None.");
  cls.def_prop_ro("T", view_of<transposed>, "View with reversed axes.");
  cls.def_prop_ro("mT", view_of<matrix_transposed>, "View with the last two axes exchanged.");
  cls.def_prop_rw(
      "real", real_view, [](NdArray& self, nb::handle value) { set_real(self, value); },
      "Real part: a view of complex arrays, else the array itself.");
  cls.def_prop_rw(
      "imag", imaginary_view, [](NdArray& self, nb::handle value) { set_imag(self, value); },
      "Imaginary part; a view for complex arrays, zeros for others.");
  cls.def_prop_ro("_layout_flags", layout_flags);
  cls.def("_set_writable", set_writable, nb::arg("writable"));
  cls.def_prop_ro("_pointer", [](const NdArray& self) {
    const Array array = self.array();
    Unlocked unlocked;
    return reinterpret_cast<std::uintptr_t>(data_pointer(array));
  });
  return cls;
}

}  // namespace cupola::python
