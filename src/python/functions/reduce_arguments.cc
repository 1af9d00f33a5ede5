#include "python/functions/reduce_arguments.h"

#include "core/layout.h"
#include "cupola/error.h"
#include "python/array/temporary.h"
#include "python/functions/ufunc.h"
#include "python/interpreter/kept_object.h"

namespace cupola::python {

namespace {

// Without an initial value, not even the ufunc's own, every result needs an element: none is left
// out, and there are some.
void check_elements(const Array& array, const ReduceOptions& options) {
  if (options.where.has_value()) {
    throw ValueError(
        "a reduction with initial=None does not have an identity, so to use a where mask one has "
        "to specify 'initial'");
  }
  if (count_along(array, options.axes) == 0) {
    throw ValueError("zero-size array to reduction operation, which has no identity");
  }
}

// Whether all elements of one dimension make one value.
bool is_of_all(const ReduceArguments& arguments) {
  const bool is_plain = arguments.out.is_none() && !arguments.keepdims &&
                        !(arguments.initial.is_valid() && is_given(arguments.initial)) &&
                        (!is_given(arguments.where) || arguments.where.ptr() == Py_True);
  if (!is_plain || arguments.axis.is_none()) return is_plain;
  if (!PyLong_CheckExact(arguments.axis.ptr())) return false;
  const std::int64_t axis = index_from(arguments.axis);
  return axis == 0 || axis == -1;
}

}  // namespace

bool is_given(nb::handle argument) {
  static constinit KeptObject none_given;
  return argument.ptr() != none_given.get(no_value).ptr();
}

std::int64_t count_along(const Array& array, const std::optional<Dims>& axes) {
  std::int64_t count = axes ? 1 : array.size();
  for (const std::int64_t axis : axes.value_or(Dims{})) {
    count *= array.shape()[static_cast<std::size_t>(normalize_axis(axis, array.rank()))];
  }
  return count;
}

nb::object no_value() { return nb::module_::import_("numpy").attr("_NoValue"); }

std::optional<Dims> reduce_axes(const Array& array, nb::handle axis) {
  auto axes = axis_or_tuple_from(axis);
  if (axes && array.rank() == 0 && PyTuple_Check(axis.ptr())) {
    for (const std::int64_t each : *axes) normalize_axis(each, 0);
  }
  if (axes && array.rank() == 0 && axes->size() == 1 && ((*axes)[0] == 0 || (*axes)[0] == -1)) {
    return Dims{};
  }
  return axes;
}

std::optional<std::int64_t> single_axis(const Array& array, nb::handle axis) {
  auto along = optional_index_from(axis);
  if (along && array.rank() == 0 && (*along == 0 || *along == -1)) return std::nullopt;
  return along;
}

ReduceOptions reduce_options(const Array& array, const ReduceArguments& arguments) {
  ReduceOptions options;
  options.axes = reduce_axes(array, arguments.axis);
  options.keepdims = arguments.keepdims;
  options.dtype = optional_dtype_from(arguments.dtype);
  if (!arguments.out.is_none() && !find_array(arguments.out)) {
    throw TypeError("output must be an array");
  }
  options.out = optional_array_from(arguments.out);
  if (is_given(arguments.where)) options.where = where_from(arguments.where);
  if (!arguments.initial.is_valid() || !is_given(arguments.initial)) return options;
  if (arguments.initial.is_none()) {
    check_elements(array, options);
  } else {
    const bool is_host_array = is_numpy_array(arguments.initial);
    options.initial = is_host_array ? Operand(upload(arguments.initial, array.device()))
                                    : operand_from(arguments.initial, array.device());
  }
  return options;
}

void start_from_nothing(const Array& array, nb::handle initial, ReduceOptions& options) {
  if (!initial.is_valid() || !initial.is_none() || options.dtype || options.out.has_value()) return;
  if (kind_of(array.dtype()) == DTypeKind::floating) options.initial = Scalar::weak(-0.0);
}

std::optional<WholeReduction> whole_reduction(nb::handle a, const ReduceArguments& arguments) {
  const NdArray* const array = find_array(a);
  const auto selection = array ? array->uncounted() : std::nullopt;
  if (!selection || !is_temporary(a, kOfOperator)) return std::nullopt;
  if (!is_of_all(arguments)) return std::nullopt;
  std::optional<Uncounted::Whole> whole = selection->whole();
  if (!whole) return std::nullopt;
  ReduceOptions options;
  options.dtype = optional_dtype_from(arguments.dtype);
  options.where = std::move(whole->mask);
  return WholeReduction{std::move(whole->values), std::move(options)};
}

}  // namespace cupola::python
