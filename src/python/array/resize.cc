// `ndarray.resize`: another size in place.

#include <algorithm>

#include "core/layout.h"
#include "cupola/error.h"
#include "cupola/ops/creation.h"
#include "cupola/ops/index.h"
#include "cupola/ops/manip.h"
#include "cupola/runtime.h"
#include "python/bindings.h"

namespace cupola::python {
namespace {

// Whether the elements lie in C or in Fortran order; nothing where they have gaps.
std::optional<char> order_in_memory(const Array& array) {
  const Dims steps = strides(array);
  if (is_c_contiguous(array.shape(), steps)) return 'C';
  if (is_f_contiguous(array.shape(), steps)) return 'F';
  return std::nullopt;
}

// The elements of `array` as they lie in memory, zeros after them, in another shape.
Array resized(const Array& array, const Dims& shape, char order) {
  const Array result = zeros(shape, array.dtype(), array.device(), order);
  const Index kept{Slice{0, std::min(result.size(), array.size()), 1}};
  assign(get_index(ravel(result, order), kept), get_index(ravel(array, order), kept));
  return result;
}

void check_resizable(nb::handle self, const Array& array, bool refcheck) {
  constexpr Py_ssize_t kNamed = 2;  // the caller's name and the call itself
  const NdArray& own = *find_array(self);
  if (own.base.is_valid() || !array.writable()) {
    throw ValueError("cannot resize this array: it does not own its data");
  }
  if (refcheck && Py_REFCNT(self.ptr()) > kNamed) {
    throw ValueError(
        "cannot resize an array that references or is referenced by another array in this way.\n"
        "Use the cp.resize function or refcheck=False");
  }
}

void resize_in_place(nb::handle self, const nb::args& new_shape, bool refcheck) {
  if (new_shape.size() == 0 || (new_shape.size() == 1 && new_shape[0].is_none())) return;
  const Dims shape = shape_from(new_shape.size() == 1 ? new_shape[0] : nb::object(new_shape));
  if (std::any_of(shape.begin(), shape.end(), [](auto extent) { return extent < 0; })) {
    throw ValueError("negative dimensions not allowed");
  }
  const Array array = array_from(self);
  const bool same_size = element_count(shape) == array.size();
  if (!same_size) check_resizable(self, array, refcheck);
  Array result;
  {
    Unlocked unlocked;
    const auto order = order_in_memory(array);
    if (!order) throw ValueError("resize only works on single-segment arrays");
    result = same_size ? reshape(array, shape, *order, false) : resized(array, shape, *order);
  }
  find_array(self)->set_array(std::move(result));
}

}  // namespace

void bind_resize(ArrayClass& cls) {
  cls.def("resize", resize_in_place, nb::arg("new_shape"), nb::arg("refcheck") = true,
          "Another shape and size, in place: zeros follow the elements.\n\n"
          "The elements stay in the order in which they lie in memory.\n\n"
          "Parameters\n----------\n"
          "*new_shape : ints, or one tuple of ints\n"
          "refcheck : bool\n"
          "    False: also where other objects refer to the array; its views keep the old "
          "elements.\n\n"
          "Raises\n------\n"
          "ValueError\n"
          "    If the array is a view, or is referred to and `refcheck` is true.\n\n"
          "Examples\n--------\n>>> import cupola as cp\n>>> a = cp.arange(3)\n"
          ">>> a.resize((2, 2))\n>>> a.tolist()\n[[0, 1], [2, 0]]");
}

}  // namespace cupola::python
