// Shapes, arrangement, joining, dtype conversion.

#include "cupola/ops/manip.h"

#include <cstdint>
#include <vector>

#include "core/array_state.h"
#include "cupola/error.h"
#include "cupola/ops/strides.h"
#include "ops/few_elements.h"
#include "python/functions/direct_function.h"
#include "python/functions/manipulation_texts.h"

namespace cupola::python {
namespace {

// Runs `function` without the interpreter lock; the result may be a view of `owner`.
template <typename Function>
nb::object view_or_copy(nb::handle owner, const Function& function) {
  Array result;
  {
    Unlocked unlocked;
    result = function();
  }
  return wrap_view(std::move(result), owner);
}

// The same of what makes a view, which waits for nothing where the array is stored.
template <typename Function>
nb::object view(nb::handle owner, const Array& array, const Function& function) {
  return is_stored(array) ? wrap_view(function(), owner) : view_or_copy(owner, function);
}

std::optional<bool> copying_from(nb::handle copy) {
  if (copy.is_none()) return std::nullopt;
  if (PyUnicode_Check(copy.ptr())) {
    throw ValueError("strings are not allowed for 'copy' keyword. Use True/False/None instead.");
  }
  return nb::cast<bool>(nb::bool_(copy));
}

// The order in which elements are read: C where none is given.
char row_major_unless(nb::handle order) { return order.is_none() ? 'C' : order_from(order); }

// Whether its elements, read in that order, are those that lie there.
bool lies_in_order(const Array& array, char order) {
  return order != 'F' && is_stored(array) && is_c_contiguous(array);
}

nb::object reshape_of(nb::handle object, nb::handle shape, nb::handle order, nb::handle copy) {
  const nb::object a = array_object_from(object);
  const Array array = array_from(a);
  const Dims extents = shape_from(shape);
  const char layout = row_major_unless(order);
  if (layout == 'K') throw ValueError("order 'K' is not permitted for reshaping");
  const std::optional<bool> copying = copying_from(copy);
  const auto function = [&] { return reshape(array, extents, layout, copying); };
  const bool is_view = copying != true && lies_in_order(array, layout);
  return is_view ? view(a, array, function) : view_or_copy(a, function);
}

nb::object ravel_of(nb::handle object, nb::handle order) {
  const nb::object a = array_object_from(object);
  const Array array = array_from(a);
  const char layout = row_major_unless(order);
  const auto function = [&] { return ravel(array, layout); };
  return lies_in_order(array, layout) ? view(a, array, function) : view_or_copy(a, function);
}

nb::object transpose_of(nb::handle object, nb::handle axes) {
  const nb::object a = array_object_from(object);
  const Array array = array_from(a);
  const auto order = optional_axes_from(axes);
  return view(a, array, [&] { return transpose(array, order); });
}

nb::object moveaxis_of(nb::handle object, nb::handle source, nb::handle destination) {
  const nb::object a = array_object_from(object);
  const Array array = array_from(a);
  const Dims from = axes_from(source);
  const Dims to = axes_from(destination);
  return view(a, array, [&] { return moveaxis(array, from, to); });
}

nb::object swapaxes_of(nb::handle object, nb::handle axis1, nb::handle axis2) {
  const nb::object a = array_object_from(object);
  const Array array = array_from(a);
  const std::int64_t first = index_from(axis1);
  const std::int64_t second = index_from(axis2);
  return view(a, array, [&] { return swapaxes(array, first, second); });
}

nb::object squeeze_of(nb::handle object, nb::handle axis) {
  const nb::object a = array_object_from(object);
  const Array array = array_from(a);
  const auto axes = axis_or_tuple_from(axis);
  return view(a, array, [&] { return squeeze(array, axes); });
}

nb::object expand_dims_of(nb::handle object, nb::handle axis) {
  const nb::object a = array_object_from(object);
  const Array array = array_from(a);
  const Dims axes = axes_from(axis);
  return view(a, array, [&] { return expand_dims(array, axes); });
}

nb::object broadcast_to_of(nb::handle object, nb::handle shape) {
  const nb::object a = array_object_from(object);
  const Array array = array_from(a);
  const Dims extents = shape_from(shape);
  return view(a, array, [&] { return broadcast_to(array, extents); });
}

nb::object strided_view_of(nb::handle object, nb::handle shape, nb::handle strides) {
  const Array array = array_from(object);
  const Dims extents = shape_from(shape);
  const Dims steps = axes_from(strides);
  return view(object, array, [&] { return strided_view(array, extents, steps); });
}

nb::object broadcast_arrays_of(nb::handle arrays) {
  std::vector<Array> results = broadcast_arrays(arrays_from(arrays));
  nb::list objects;
  std::size_t i = 0;
  for (nb::handle owner : nb::iter(arrays)) objects.append(wrap_view(results[i++], owner));
  return nb::tuple(objects);
}

nb::object view_as_of(nb::handle a, nb::handle dtype) {
  const Array array = array_from(a);
  const DType type = dtype.is_none() ? array.dtype() : dtype_from(dtype);
  return view(a, array, [&] { return view_as(array, type); });
}

nb::object diagonal_of(nb::handle object, nb::handle offset, nb::handle axis1, nb::handle axis2) {
  const nb::object a = array_object_from(object);
  const Array array = array_from(a);
  const std::int64_t k = index_from(offset);
  const std::int64_t first = index_from(axis1);
  const std::int64_t second = index_from(axis2);
  return view(a, array, [&] { return diagonal(array, k, first, second); });
}

nb::object flip_of(nb::handle object, nb::handle axis) {
  const nb::object a = array_object_from(object);
  const Array array = array_from(a);
  const auto axes = optional_axes_from(axis);
  return view(a, array, [&] { return flip(array, axes); });
}

// Of what is joined in a dtype, or in an array.
void warn_of_parts_lost_in_join(std::span<const Array> parts, std::optional<DType> type,
                                const Array& target, Casting casting) {
  if (!type && !target.has_value()) return;
  const DType to = target.has_value() ? target.dtype() : *type;
  for (const Array& part : parts) {
    if (can_cast(part.dtype(), to, casting)) warn_of_lost_imaginary_parts(part.dtype(), to);
  }
}

nb::object concatenate_of(nb::handle arrays, nb::handle axis, nb::handle out, nb::handle dtype,
                          nb::handle casting) {
  const std::vector<Array> parts = arrays_from(arrays);
  const auto along = optional_index_from(axis);
  const Array target = optional_array_from(out);
  const auto type = optional_dtype_from(dtype);
  const Casting rule = casting_from(casting);
  warn_of_parts_lost_in_join(parts, type, target, rule);
  Array result;
  if (along && !target.has_value() && !type) result = concatenate_at_call(parts, *along);
  if (!result.has_value()) {
    Unlocked unlocked;
    result = concatenate(parts, along, target, type, rule);
  }
  return given_or(out, std::move(result));
}

nb::object stack_of(nb::handle arrays, nb::handle axis, nb::handle out, nb::handle dtype,
                    nb::handle casting) {
  const std::vector<Array> parts = arrays_from(arrays);
  const std::int64_t along = index_from(axis);
  const Array target = optional_array_from(out);
  const auto type = optional_dtype_from(dtype);
  const Casting rule = casting_from(casting);
  warn_of_parts_lost_in_join(parts, type, target, rule);
  Array result;
  {
    Unlocked unlocked;
    result = stack(parts, along, target, type, rule);
  }
  return given_or(out, std::move(result));
}

nb::object split_at_of(nb::handle a, nb::handle points, nb::handle axis) {
  const Array array = array_from(a);
  const std::vector<Array> parts = split_at(array, counts_from(points), index_from(axis));
  nb::list objects;
  for (const Array& part : parts) objects.append(wrap_view(part, a));
  return objects;
}

nb::object roll_of(nb::handle a, nb::handle shifts, nb::handle axis) {
  const Array array = array_from(a);
  const Dims steps = axes_from(shifts);
  const auto axes = optional_axes_from(axis);
  return view_or_copy(a, [&] { return roll(array, steps, axes); });
}

nb::object tile_of(nb::handle object, nb::handle repetitions) {
  const nb::object a = array_object_from(object);
  const Array array = array_from(a);
  const Dims counts = axes_from(repetitions);
  return view_or_copy(a, [&] { return tile(array, counts); });
}

nb::object repeat_of(nb::handle object, nb::handle counts, nb::handle axis) {
  const nb::object a = array_object_from(object);
  const Array array = array_from(a);
  const std::vector<std::int64_t> numbers = counts_from(counts);
  const auto along = optional_index_from(axis);
  return view_or_copy(a, [&] { return repeat(array, numbers, along); });
}

// `warns`: as NumPy where imaginary parts are lost.
nb::object astype_of(nb::handle a, nb::handle dtype, nb::handle order, nb::handle casting,
                     bool copying, bool warns) {
  const Array array = array_from(a);
  const DType type = dtype.is_none() ? DType::float64 : dtype_from(dtype);
  if (warns) warn_of_lost_imaginary_parts(array.dtype(), type);
  const char layout = order_from(order);
  const Casting rule = casting_from(casting);
  Array result;
  if (can_cast(array.dtype(), type, rule)) result = astype_at_call(array, type, layout, copying);
  if (!result.has_value()) {
    Unlocked unlocked;
    result = astype(array, type, rule, layout, copying);
  }
  return is_same(result, array) ? nb::borrow(a) : wrap_view(std::move(result), a);
}

nb::object copy_of(nb::handle object, nb::handle order) {
  const nb::object a = array_object_from(object);
  const Array array = array_from(a);
  const char layout = order_from(order);
  if (Array now = astype_at_call(array, array.dtype(), layout, true); now.has_value()) {
    return wrap(std::move(now));
  }
  return view_or_copy(a, [&] { return copy(array, layout); });
}

void define_views(nb::module_& m) {
  DirectFunction<reshape_of>::define(
      m, {"reshape",
          "(a: ArrayLike, /, shape: ShapeLike, order: OrderLike = 'C', *, "
          "copy: bool | None = None) -> ndarray",
          kReshapeText});
  DirectFunction<ravel_of>::define(
      m, {"ravel", "(a: ArrayLike, order: OrderLike = 'C') -> ndarray", kRavelText});
  DirectFunction<transpose_of>::define(
      m, {"transpose", "(a: ArrayLike, axes: AxisLike = None) -> ndarray", kTransposeText});
  DirectFunction<moveaxis_of>::define(
      m, {"moveaxis", "(a: ArrayLike, source: AxisLike, destination: AxisLike) -> ndarray",
          kMoveaxisText});
  DirectFunction<swapaxes_of>::define(
      m, {"swapaxes", "(a: ArrayLike, axis1: int, axis2: int) -> ndarray", kSwapaxesText});
  DirectFunction<diagonal_of>::define(
      m, {"diagonal", "(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ndarray",
          kDiagonalText});
  DirectFunction<flip_of>::define(
      m, {"flip", "(m: ArrayLike, axis: AxisLike = None) -> ndarray", kFlipText});
  DirectFunction<tile_of>::define(m, {"tile", "(A: ArrayLike, reps: Any) -> ndarray", kTileText});
}

}  // namespace

void bind_manipulation(nb::module_& m) {
  define_views(m);
  m.def("squeeze", squeeze_of, nb::arg("a").none(), nb::arg("axis") = nb::none());
  m.def("expand_dims", expand_dims_of, nb::arg("a").none(), nb::arg("axis").none());
  m.def("broadcast_to", broadcast_to_of, nb::arg("a").none(), nb::arg("shape").none());
  m.def("strided_view", strided_view_of, nb::arg("a"), nb::arg("shape").none(),
        nb::arg("strides").none(), "A view whose strides, in elements, keep it in a's memory.");
  m.def("broadcast_arrays", broadcast_arrays_of, nb::arg("arrays").none());
  m.def("view_as", view_as_of, nb::arg("a").none(), nb::arg("dtype") = nb::none());
  m.def("concatenate", concatenate_of, nb::arg("arrays").none(), nb::arg("axis").none() = 0,
        nb::arg("out") = nb::none(), nb::arg("dtype") = nb::none(),
        nb::arg("casting").none() = "same_kind");
  m.def("stack", stack_of, nb::arg("arrays").none(), nb::arg("axis").none() = 0,
        nb::arg("out") = nb::none(), nb::arg("dtype") = nb::none(),
        nb::arg("casting").none() = "same_kind");
  m.def("split_at", split_at_of, nb::arg("a").none(), nb::arg("points").none(),
        nb::arg("axis").none() = 0);
  m.def("roll", roll_of, nb::arg("a").none(), nb::arg("shifts").none(),
        nb::arg("axis") = nb::none());
  m.def("repeat", repeat_of, nb::arg("a").none(), nb::arg("counts").none(),
        nb::arg("axis") = nb::none());
  m.def("astype", astype_of, nb::arg("a").none(), nb::arg("dtype").none(),
        nb::arg("order").none() = "K", nb::arg("casting").none() = "unsafe", nb::arg("copy") = true,
        nb::arg("warns") = false);
  m.def("copy", copy_of, nb::arg("a").none(), nb::arg("order").none() = "C");
}

}  // namespace cupola::python
