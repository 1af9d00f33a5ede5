// Reductions, arg-reductions and running sums.

#include <limits>

#include "core/layout.h"
#include "cupola/error.h"
#include "cupola/ops/reduce.h"
#include "cupola/runtime.h"
#include "python/borders/foreign_operands.h"
#include "python/functions/direct_function.h"
#include "python/functions/nan_texts.h"
#include "python/functions/reduce_arguments.h"
#include "python/functions/reduction_texts.h"
#include "python/functions/ufunc.h"
#include "python/interpreter/deferred.h"

namespace cupola::python {
namespace {

using ReduceFunction = Array (*)(const Array&, const ReduceOptions&);
using ArgReduction = Array (*)(const Array&, std::optional<std::int64_t>, bool, const Array&);
using Scan = Array (*)(const Array&, std::optional<std::int64_t>, std::optional<DType>,
                       const Array&);

// An argument that was not given is false.
bool flag_from(nb::handle argument) {
  return is_given(argument) && nb::cast<bool>(nb::bool_(argument));
}

// Means divide by the sum of where=, which must be of numbers; those that leave out NaN by the sum
// of a mask. Without one they count along axes, of which an array of no dimension has none.
template <bool kSkipsNan>
void check_countable(nb::handle axis, nb::handle where, const Array& array) {
  if (kSkipsNan && is_inexact(array.dtype())) return;
  if (array.rank() == 0 && !axis.is_none() && (!is_given(where) || where.is(Py_True))) {
    const std::optional<Dims> axes = axis_or_tuple_from(axis);
    for (const std::int64_t each : *axes) normalize_axis(each, 0);
  }
  if (!is_given(where) || PyBool_Check(where.ptr()) || find_array(where)) return;
  nb::object host = nb::module_::import_("numpy").attr("asarray")(where);
  const std::string kind = nb::cast<std::string>(host.attr("dtype").attr("kind"));
  if (std::string("biufc").find(kind) != std::string::npos) return;
  if (kind == "O" && array.size() == 0) return;  // of no element
  throw TypeError(std::string("where= must be boolean, not ") + class_name(where.ptr()));
}

void warn(const char* text) {
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text, 1) != 0) throw nb::python_error();
}

// Whether the result can be made without a look at any element.
bool may_defer(const Array& array, const ReduceOptions& options) {
  return !options.out.has_value() && !options.where.has_value() && !options.initial &&
         is_laid_out(array);
}

// Means are NaN of no element.
template <ReduceFunction kFunction>
constexpr bool kIsMean = kFunction == ReduceFunction(cupola::mean) || kFunction ==
                                                                          ReduceFunction(nan_mean);

// Look at elements whatever the options.
template <ReduceFunction kFunction>
constexpr bool kReads =
    kFunction == ReduceFunction(nan_min) || kFunction == ReduceFunction(nan_max) ||
    kFunction == ReduceFunction(nan_mean);

// Of complex numbers the result is complex, too.
template <ReduceFunction kFunction>
constexpr bool kIsOfParts =
    kIsMean<kFunction> ||
    kFunction == ReduceFunction(cupola::sum) || kFunction == ReduceFunction(cupola::prod);

template <ReduceFunction kFunction>
void warn_of_lost_parts(DType from, const ReduceOptions& options) {
  const DType between = options.dtype.value_or(from);
  warn_of_lost_imaginary_parts(from, between);
  if (!kIsOfParts<kFunction> || !options.out.has_value()) return;
  warn_of_lost_imaginary_parts(between, options.out.dtype());
}

// The ufunc whose reduction it is, as NumPy has it; null where NaN are replaced first, or none is.
template <ReduceFunction kFunction>
constexpr const char* ufunc_of() {
  if (kFunction == ReduceFunction(cupola::sum)) return "add";
  if (kFunction == ReduceFunction(cupola::prod)) return "multiply";
  if (kFunction == ReduceFunction(cupola::min)) return "minimum";
  if (kFunction == ReduceFunction(cupola::max)) return "maximum";
  if (kFunction == ReduceFunction(nan_min)) return "fmin";
  if (kFunction == ReduceFunction(nan_max)) return "fmax";
  if (kFunction == ReduceFunction(cupola::any)) return "logical_or";
  if (kFunction == ReduceFunction(cupola::all)) return "logical_and";
  return nullptr;
}

// What the `__array_ufunc__` of `where` makes of it.
nb::object overridden(const char* ufunc, nb::handle a, const ReduceArguments& arguments,
                      nb::handle keepdims) {
  nb::dict given;
  given["axis"] = arguments.axis;
  given["dtype"] = arguments.dtype;
  given["where"] = arguments.where;
  if (!arguments.out.is_none()) given["out"] = arguments.out;
  if (is_given(keepdims)) given["keepdims"] = keepdims;
  if (arguments.initial.is_valid() && is_given(arguments.initial)) {
    given["initial"] = arguments.initial;
  }
  return numpys_function(ufunc).attr("reduce")(a, **given);
}

// What has none must be told of no element at the call.
template <ReduceFunction kFunction>
constexpr bool kHasIdentity =
    kFunction != ReduceFunction(cupola::min) && kFunction != ReduceFunction(cupola::max) &&
    kFunction != ReduceFunction(nan_min) && kFunction != ReduceFunction(nan_max);

template <typename Reduce>
Array reduced_unlocked(const Reduce& reduce) {
  Unlocked unlocked;
  return reduce();
}

template <ReduceFunction kFunction>
nb::object reduced(nb::handle a, nb::handle axis, nb::handle dtype, nb::handle out,
                   nb::handle keepdims, nb::handle initial, nb::handle where) {
  const bool keep = flag_from(keepdims);
  const ReduceArguments arguments{axis, dtype, out, keep, initial, where};
  if constexpr (ufunc_of<kFunction>() != nullptr) {
    if (is_given(where) && has_override(where)) {
      return overridden(ufunc_of<kFunction>(), a, arguments, keepdims);
    }
  }
  if constexpr (kHasIdentity<kFunction>) {
    if (const auto whole = whole_reduction(a, arguments)) {
      const auto& [values, options] = *whole;
      warn_of_lost_parts<kFunction>(values.dtype(), options);
      return wrap(reduced_unlocked([&] { return kFunction(values, options); }));
    }
  }
  const Array array = array_like_from(a);
  constexpr bool kSkipsNan = kFunction == ReduceFunction(nan_mean);
  if (kIsMean<kFunction>) check_countable<kSkipsNan>(axis, where, array);
  ReduceOptions options = reduce_options(array, arguments);
  if (kFunction == ReduceFunction(cupola::sum)) start_from_nothing(array, initial, options);
  warn_of_lost_parts<kFunction>(array.dtype(), options);
  if (kIsMean<kFunction> && !options.where.has_value() && count_along(array, options.axes) == 0) {
    warn("Mean of empty slice");
  }
  if (!kReads<kFunction> && may_defer(array, options)) {
    return wrap(make_deferred([&] { return kFunction(array, options); }));
  }
  return given_or(out, reduced_unlocked([&] { return kFunction(array, options); }));
}

// As numpy.nanmin and numpy.nanmax do it for what is no array: where all elements are NaN, or there
// are none, the result is NaN whatever `initial` is.
template <ReduceFunction kFunction>
nb::object extreme_or_nan(nb::handle a, const ReduceArguments& arguments) {
  const Array array = array_like_from(a);
  const ReduceOptions options = reduce_options(array, arguments);
  bool has_missing = false;
  Array result;
  {
    Unlocked unlocked;
    result = kFunction(array, options);
    if (is_inexact(array.dtype())) {
      const ReduceOptions kept{
          .axes = options.axes, .keepdims = options.keepdims, .where = options.where};
      const Operand element = array;
      const Array missing = cupola::all(apply_ufunc(UfuncId::isnan, {&element, 1}), kept);
      has_missing = item(cupola::any(missing)).get<bool>();
      const Scalar nan = Scalar(std::numeric_limits<double>::quiet_NaN());
      if (has_missing && !options.out.has_value()) result = copy(result);
      if (has_missing) assign(result, nan, Casting::unsafe_, missing);
    }
  }
  if (has_missing) warn("All-NaN axis encountered");
  return given_or(arguments.out, std::move(result));
}

template <ReduceFunction kFunction>
constexpr bool kLeavesOutNan = kFunction == ReduceFunction(nan_min) || kFunction ==
                                                                           ReduceFunction(nan_max);

// Without dtype=.
template <ReduceFunction kFunction>
nb::object extreme(nb::handle a, nb::handle axis, nb::handle out, nb::handle keepdims,
                   nb::handle initial, nb::handle where) {
  if constexpr (kLeavesOutNan<kFunction>) {
    if (is_given(initial) && !initial.is_none() && !find_array(a)) {
      return extreme_or_nan<kFunction>(
          a, {axis, nb::none(), out, flag_from(keepdims), initial, where});
    }
  }
  return reduced<kFunction>(a, axis, nb::none(), out, keepdims, initial, where);
}

// Without dtype= and initial=.
template <ReduceFunction kFunction>
nb::object truth(nb::handle a, nb::handle axis, nb::handle out, nb::handle keepdims,
                 nb::handle where) {
  return reduced<kFunction>(a, axis, nb::none(), out, keepdims, nb::handle(), where);
}

// Without initial=.
template <ReduceFunction kFunction>
nb::object averaged(nb::handle a, nb::handle axis, nb::handle dtype, nb::handle out,
                    nb::handle keepdims, nb::handle where) {
  return reduced<kFunction>(a, axis, dtype, out, keepdims, nb::handle(), where);
}

nb::object counted(nb::handle a, nb::handle axis, nb::handle keepdims) {
  return reduced<cupola::count_nonzero>(a, axis, nb::none(), nb::none(), keepdims, nb::handle(),
                                        nb::bool_(true));
}

template <bool kRoot, bool kSkipNan>
Array moment(const Array& a, const ReduceOptions& options, double correction,
             const std::optional<Operand>& mean) {
  if constexpr (kSkipNan) {
    return kRoot ? nan_std(a, options, correction, mean) : nan_var(a, options, correction, mean);
  } else {
    return kRoot ? cupola::std(a, options, correction, mean) : var(a, options, correction, mean);
  }
}

// A count, so that no integer is beyond those of counts. Counts less the lowest of them wrap around
// to negative numbers.
double count_from(nb::handle number) {
  if (PyUnicode_Check(number.ptr()) || PyBytes_Check(number.ptr())) {
    throw TypeError("ddof and correction are numbers, not texts");
  }
  if (PyLong_Check(number.ptr())) {
    const std::int64_t count = index_from(number);
    constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
    return count == kLowest ? std::numeric_limits<double>::infinity() : static_cast<double>(count);
  }
  return nb::cast<double>(nb::float_(number));
}

// `ddof` and `correction` are two names of one number.
double correction_from(nb::handle ddof, nb::handle correction) {
  const double number = count_from(ddof);
  if (!is_given(correction)) return number;
  if (number != 0) throw ValueError("ddof and correction can't be provided simultaneously.");
  return count_from(correction);
}

template <bool kRoot, bool kSkipNan>
nb::object moment_of(nb::handle a, nb::handle axis, nb::handle dtype, nb::handle out,
                     nb::handle ddof, nb::handle keepdims, nb::handle where, nb::handle mean,
                     nb::handle correction) {
  const double divided_less = correction_from(ddof, correction);
  const bool keep = flag_from(keepdims);
  const ReduceArguments arguments{axis, dtype, out, keep, nb::handle(), where};
  if (const auto whole = whole_reduction(a, arguments); whole && !is_given(mean)) {
    const auto& [values, options] = *whole;
    return wrap(reduced_unlocked(
        [&] { return moment<kRoot, kSkipNan>(values, options, divided_less, std::nullopt); }));
  }
  const Array array = array_like_from(a);
  check_countable<kSkipNan>(axis, where, array);
  const ReduceOptions options = reduce_options(array, arguments);
  std::optional<Operand> known_mean;
  // Where NaN is left out, None is subtracted like any object.
  const bool is_none = mean.is_none() && !(kSkipNan && is_inexact(array.dtype()));
  if (is_given(mean) && !is_none) known_mean = operand_from(mean, array.device());
  if (!options.where.has_value() &&
      static_cast<double>(count_along(array, options.axes)) <= divided_less) {
    warn(kSkipNan && is_inexact(array.dtype()) ? "Degrees of freedom <= 0 for slice."
                                               : "Degrees of freedom <= 0 for slice");
  }
  return given_or(out, reduced_unlocked([&] {
                    return moment<kRoot, kSkipNan>(array, options, divided_less, known_mean);
                  }));
}

// Positions in an output that argmin and argmax take as well.
Array delivered(Array positions, const Array& out) {
  if (!out.has_value()) return positions;
  if (out.shape() != positions.shape()) {
    throw ValueError("output array of shape " + to_string(out.shape()) +
                     " does not match the result's, " + to_string(positions.shape()));
  }
  if (!can_cast(out.dtype(), DType::int64)) {
    throw CastingError("Cannot cast array data from dtype('" + std::string(name_of(out.dtype())) +
                       "') to dtype('int64') according to the rule 'safe'");
  }
  assign(out, positions, Casting::unsafe_);
  return out;
}
Array nan_argmin_to(const Array& a, std::optional<std::int64_t> axis, bool keepdims,
                    const Array& out) {
  return delivered(nan_argmin(a, axis, keepdims), out);
}
Array nan_argmax_to(const Array& a, std::optional<std::int64_t> axis, bool keepdims,
                    const Array& out) {
  return delivered(nan_argmax(a, axis, keepdims), out);
}

template <ArgReduction kFunction>
nb::object place_of(nb::handle a, nb::handle axis, nb::handle out, nb::handle keepdims) {
  const Array array = array_like_from(a);
  const auto along = single_axis(array, axis);
  const bool keep = flag_from(keepdims);
  const Array target = optional_array_from(out);
  Array result;
  {
    Unlocked unlocked;
    result = kFunction(array, along, keep, target);
  }
  return given_or(out, std::move(result));
}

// The same as CuPy's, which may be of another integer dtype.
template <ArgReduction kFunction>
nb::object typed_place_of(nb::handle a, nb::handle axis, nb::handle out, nb::handle keepdims,
                          nb::handle dtype) {
  const auto type = optional_dtype_from(dtype);
  if (!type) return place_of<kFunction>(a, axis, out, keepdims);
  if (!is_integer(*type)) {
    throw TypeError("indices are integers, not of dtype " + std::string(name_of(*type)));
  }
  const Array array = array_like_from(a);
  const auto along = single_axis(array, axis);
  const bool keep = flag_from(keepdims);
  const Array target = optional_array_from(out);
  Array result;
  {
    Unlocked unlocked;
    result = delivered(astype(kFunction(array, along, keep, {}), *type), target);
  }
  return given_or(out, std::move(result));
}

template <Scan kFunction>
nb::object scanned(nb::handle a, nb::handle axis, nb::handle dtype, nb::handle out) {
  const Array array = array_like_from(a);
  const auto along = single_axis(array, axis);
  const auto type = optional_dtype_from(dtype);
  const Array target = optional_array_from(out);
  const DType between = type.value_or(array.dtype());
  warn_of_lost_imaginary_parts(array.dtype(), between);
  if (target.has_value()) warn_of_lost_imaginary_parts(between, target.dtype());
  Array result;
  {
    Unlocked unlocked;
    result = kFunction(array, along, type, target);
  }
  return given_or(out, std::move(result));
}

constexpr const char* kSums =
    "(a: ArrayLike, axis: AxisLike = None, dtype: DTypeLike = None, out: ndarray | None = None, "
    "keepdims: Any = <no value>, initial: Any = <no value>, where: Any = <no value>) -> ndarray";
constexpr const char* kExtremes =
    "(a: ArrayLike, axis: AxisLike = None, out: ndarray | None = None, keepdims: Any = <no value>, "
    "initial: Any = <no value>, where: Any = <no value>) -> ndarray";
constexpr const char* kTruths =
    "(a: ArrayLike, axis: AxisLike = None, out: ndarray | None = None, keepdims: Any = <no value>, "
    "*, where: Any = <no value>) -> ndarray";
constexpr const char* kMeans =
    "(a: ArrayLike, axis: AxisLike = None, dtype: DTypeLike = None, out: ndarray | None = None, "
    "keepdims: Any = <no value>, *, where: Any = <no value>) -> ndarray";
constexpr const char* kMoments =
    "(a: ArrayLike, axis: AxisLike = None, dtype: DTypeLike = None, out: ndarray | None = None, "
    "ddof: float = 0, keepdims: Any = <no value>, *, where: Any = <no value>, "
    "mean: Any = <no value>, correction: Any = <no value>) -> ndarray";
constexpr const char* kPlaces =
    "(a: ArrayLike, axis: int | None = None, out: ndarray | None = None, *, "
    "keepdims: Any = <no value>) -> ndarray";
constexpr const char* kTypedPlaces =
    "(a: ArrayLike, axis: int | None = None, out: ndarray | None = None, *, "
    "keepdims: Any = <no value>, dtype: DTypeLike = None) -> ndarray";
constexpr const char* kScans =
    "(a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None, "
    "out: ndarray | None = None) -> ndarray";

void define_sums(nb::module_& m) {
  DirectFunction<reduced<cupola::sum>>::define(m, {"sum", kSums, kSumText});
  DirectFunction<reduced<cupola::prod>>::define(m, {"prod", kSums, kProdText});
  DirectFunction<averaged<cupola::mean>>::define(m, {"mean", kMeans, kMeanText});
  DirectFunction<moment_of<false, false>>::define(m, {"var", kMoments, kVarText});
  DirectFunction<moment_of<true, false>>::define(m, {"std", kMoments, kStdText});
  DirectFunction<counted>::define(
      m,
      {"count_nonzero",
       "(a: ArrayLike, axis: AxisLike = None, *, keepdims: bool = False) -> ndarray", kCountText});
  DirectFunction<scanned<cupola::cumsum>>::define(m, {"cumsum", kScans, kCumsumText});
  DirectFunction<scanned<cupola::cumprod>>::define(m, {"cumprod", kScans, kCumprodText});
}

void define_extremes(nb::module_& m) {
  DirectFunction<extreme<cupola::min>>::define(m, {"min", kExtremes, kMinText});
  DirectFunction<extreme<cupola::max>>::define(m, {"max", kExtremes, kMaxText});
  DirectFunction<truth<cupola::any>>::define(m, {"any", kTruths, kAnyText});
  DirectFunction<truth<cupola::all>>::define(m, {"all", kTruths, kAllText});
  DirectFunction<typed_place_of<cupola::argmin>>::define(m, {"argmin", kTypedPlaces, kArgminText});
  DirectFunction<typed_place_of<cupola::argmax>>::define(m, {"argmax", kTypedPlaces, kArgmaxText});
}

void define_nan_forms(nb::module_& m) {
  DirectFunction<reduced<nan_sum>>::define(m, {"nansum", kSums, kNansumText});
  DirectFunction<reduced<nan_prod>>::define(m, {"nanprod", kSums, kNanprodText});
  DirectFunction<extreme<nan_min>>::define(m, {"nanmin", kExtremes, kNanminText});
  DirectFunction<extreme<nan_max>>::define(m, {"nanmax", kExtremes, kNanmaxText});
  DirectFunction<averaged<nan_mean>>::define(m, {"nanmean", kMeans, kNanmeanText});
  DirectFunction<moment_of<false, true>>::define(m, {"nanvar", kMoments, kNanvarText});
  DirectFunction<moment_of<true, true>>::define(m, {"nanstd", kMoments, kNanstdText});
  DirectFunction<place_of<nan_argmin_to>>::define(m, {"nanargmin", kPlaces, kNanargminText});
  DirectFunction<place_of<nan_argmax_to>>::define(m, {"nanargmax", kPlaces, kNanargmaxText});
}

}  // namespace

void bind_reductions(nb::module_& m) {
  define_sums(m);
  define_extremes(m);
  define_nan_forms(m);
}

}  // namespace cupola::python
