// Arrays in memory that several processes map, for cupola.multiprocessing.

#include "cupola/sharing.h"

#include <algorithm>
#include <string_view>

#include "cupola/error.h"
#include "cupola/runtime.h"
#include "python/functions/direct_function.h"
#include "python/memory/memory.h"

namespace cupola::python {
namespace {

nb::object share_object(nb::handle a) {
  const Array array = array_from(a);
  Array result;
  {
    Unlocked unlocked;
    result = share(array);
  }
  return is_same(result, array) ? nb::borrow(a) : wrap(std::move(result));
}

nb::object is_shared_object(nb::handle a) {
  const Array array = array_from(a);
  bool found = false;
  {
    Unlocked unlocked;
    found = is_shared(array);
  }
  return nb::bool_(found);
}

nb::object empty_object(nb::handle shape, nb::handle dtype, nb::handle order, nb::handle device) {
  const Device target = device.is_none() ? current_device() : device_from(device);
  const DType type = dtype.is_none() ? DType::float64 : dtype_from(dtype);
  const char layout = order.is_none() ? 'C' : order_from(order);
  return wrap(empty_shared(type, shape_from(shape), target, layout));
}

// (block, bytes of the block, descriptor, offset, strides); elements, not bytes.
nb::tuple place_of(nb::handle a) {
  const Array array = array_from(a);
  SharedPlace place;
  {
    Unlocked unlocked;
    place = shared_place(array);
  }
  return nb::make_tuple(
      nb::bytes(reinterpret_cast<const char*>(place.block.data()), place.block.size()),
      place.block_bytes, place.descriptor, place.offset, tuple_from(place.strides));
}

nb::object attach_object(nb::tuple place, nb::handle shape, nb::handle dtype, nb::handle device,
                         bool writable) {
  const auto block = value_from<nb::bytes>(place[0], "a block's name", "bytes");
  SharedPlace result;
  if (block.size() != result.block.size()) throw ValueError("a block has 16 bytes of name");
  std::copy_n(static_cast<const unsigned char*>(block.data()), block.size(), result.block.begin());
  result.block_bytes = size_from(place[1]);
  result.descriptor = value_from<int>(place[2], "a descriptor", "an int");
  result.offset = index_from(place[3]);
  result.strides = axes_from(place[4]);
  return wrap(
      attach_shared(result, dtype_from(dtype), shape_from(shape), device_from(device), writable));
}

constexpr const char* kModule = "cupola.multiprocessing";
constexpr const char* kShareText = R"(Give the array in memory that other processes can map.

Parameters
----------
a : ndarray
    On any device.

Returns
-------
ndarray
    `a` itself where its memory is shared already, else a copy on the same device.

See Also
--------
empty_shared : The same without a copy.

Notes
-----
Sending an array shares it in this way by itself. To see what other processes write, keep and
send the array that this function returns.

Examples
--------
>>> import cupola as cp
>>> from cupola import multiprocessing as mp
>>> mp.share(cp.arange(3))
array([0, 1, 2]))";
constexpr const char* kIsSharedText =
    R"(Tell whether other processes can map the memory of the array.

Parameters
----------
a : ndarray

Returns
-------
bool

Examples
--------
>>> import cupola as cp
>>> from cupola import multiprocessing as mp
>>> mp.is_shared(cp.arange(3)), mp.is_shared(mp.share(cp.arange(3)))
(False, True))";
constexpr const char* kEmptyText =
    R"(Make an uninitialised array in memory that other processes can map.

Parameters
----------
shape : int or tuple of ints
    Extents.
dtype : dtype, optional
    Of the elements; float64 by default.
order : {'C', 'F'}, optional
    Row- or column-major.
device : device, optional
    The current one by default.

Returns
-------
ndarray
    It can be sent to other processes without a copy.

Raises
------
OutOfMemoryError
    The device has not that much memory.

Examples
--------
>>> from cupola import multiprocessing as mp
>>> a = mp.empty_shared((2, 3), "float32")
>>> a.shape, mp.is_shared(a)
((2, 3), True))";

}  // namespace

void bind_sharing(nb::module_& m) {
  DirectFunction<share_object>::define(m,
                                       {"share", "(a: ndarray) -> ndarray", kShareText, kModule});
  DirectFunction<is_shared_object>::define(
      m, {"is_shared", "(a: ndarray) -> bool", kIsSharedText, kModule});
  DirectFunction<empty_object>::define(
      m, {"empty_shared",
          "(shape: ShapeLike, dtype: DTypeLike = 'float64', order: str = 'C', *, "
          "device: DeviceLike = None) -> ndarray",
          kEmptyText, kModule});
  m.def("shared_place", place_of, nb::arg("a"));
  m.def("attach_shared", attach_object, nb::arg("place"), nb::arg("shape"), nb::arg("dtype"),
        nb::arg("device"), nb::arg("writable"));
  m.def(
      "set_default_device", [](nb::handle device) { set_default_device(device_from(device)); },
      nb::arg("device"));
}

}  // namespace cupola::python
