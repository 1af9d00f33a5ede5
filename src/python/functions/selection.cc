// Choosing elements: where, clip, take, put, choose, select, nonzero; copyto.

#include <iterator>
#include <utility>

#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "ops/few_elements.h"
#include "ops/support.h"
#include "python/array/indexing.h"
#include "python/functions/direct_function.h"
#include "python/functions/ufunc.h"

namespace cupola::python {
namespace {

// NumPy's numbers of modes.
IndexMode numbered_mode(nb::handle object) {
  nb::object number =
      PyBool_Check(object.ptr()) ? nb::object() : nb::steal(PyNumber_Index(object.ptr()));
  PyErr_Clear();
  int overflow = 0;
  const long value = number.is_valid() ? PyLong_AsLongAndOverflow(number.ptr(), &overflow) : 0;
  if (!number.is_valid() || overflow != 0 || !std::in_range<std::int32_t>(value)) {
    throw TypeError("clipmode not understood: " + shown(object));
  }
  constexpr IndexMode kModes[] = {IndexMode::clip, IndexMode::wrap, IndexMode::raise};
  if (value >= 0 && value < std::ssize(kModes)) return kModes[value];
  throw ValueError("integer clipmode must be 0 (clip), 1 (wrap) or 2 (raise), not " +
                   std::to_string(value));
}

// The mode argument of take, put and choose.
IndexMode mode_from(nb::handle object) {
  if (object.is_none()) return IndexMode::raise;
  const bool is_bytes = PyBytes_Check(object.ptr());
  if (!is_bytes && !PyUnicode_Check(object.ptr())) return numbered_mode(object);
  const std::string text = is_bytes ? PyBytes_AsString(object.ptr()) : shown(object);
  if (text == "raise") return IndexMode::raise;
  if (text == "wrap") return IndexMode::wrap;
  if (text == "clip") return IndexMode::clip;
  throw ValueError("clipmode must be one of 'clip', 'raise', or 'wrap' (got '" + text + "')");
}

Array index_array(nb::handle object, const Device& device) {
  if (!find_array(object) && !is_numpy_array(object)) {
    // Numbers in lists are converted as by int().
    nb::object host =
        nb::module_::import_("numpy").attr("array")(object, nb::arg("dtype") = "int64");
    return upload(host, device);
  }
  Array array = array_from_anything(object, device);
  if (!can_cast(array.dtype(), DType::int64, Casting::same_kind)) {
    throw TypeError("Cannot cast array data from dtype('" + std::string(name_of(array.dtype())) +
                    "') to dtype('int64') according to the rule 'safe'");
  }
  return array.dtype() == DType::bool_ ? astype(array, DType::int64) : array;
}

nb::object where_of(nb::handle condition, nb::handle x, nb::handle y) {
  const Operand test = operand_from(condition);
  const Operand yes = operand_from(x);
  const Operand no = operand_from(y);
  Array result;
  {
    Unlocked unlocked;
    result = where(test, yes, no);
  }
  return wrap(std::move(result));
}

nb::object clip_of(nb::handle a, nb::handle low, nb::handle high, nb::handle out,
                   nb::handle where_argument, nb::handle dtype, nb::handle casting) {
  const Operand array = operand_from(a);
  const auto least = optional_operand_from(low);
  const auto most = optional_operand_from(high);
  UfuncOptions options;
  if (!out.is_none()) options.out.push_back(array_from(out));
  options.where = where_from(where_argument);
  options.dtype = optional_dtype_from(dtype);
  options.casting = casting_from(casting);
  if (options.casting == Casting::unsafe_) {
    const DType from = dtype_of_operand(array);
    warn_of_lost_imaginary_parts(from, options.dtype.value_or(from));
    if (!options.out.empty()) {
      warn_of_lost_imaginary_parts(options.dtype.value_or(from), options.out[0].dtype());
    }
  }
  Array result;
  {
    Unlocked unlocked;
    result = clip(array, least, most, options);
  }
  return given_or(out, std::move(result));
}

// A copy is what is asked for: memory of the host will do as well.
bool is_host_memory(nb::handle source) {
  if (is_numpy_array(source)) return true;
  if (find_array(source) || is_numpy_scalar(source)) return false;
  const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(source.ptr())));
  return nb::hasattr(type, "__array__") && !nb::hasattr(type, "_cupola_operand") &&
         !nb::hasattr(source, "__cuda_array_interface__");
}

void copyto(nb::handle target, nb::handle source, nb::handle casting, nb::handle where_argument) {
  const Array array = array_from(target);
  if (array.dtype() == DType::bool_) scalar_from(source);  // throws for large integers
  const Operand value = is_host_memory(source) ? array_from_anything(source, array.device())
                                               : operand_from(source, array.device());
  const Casting rule = casting_from(casting);
  const Array mask = where_from(where_argument);
  if (can_cast(dtype_of_operand(value), array.dtype(), rule)) {  // else assign refuses
    warn_of_lost_imaginary_parts(dtype_of_operand(value), array.dtype());
  }
  Unlocked unlocked;
  assign(array, value, rule, mask);
}

nb::object take_of(nb::handle a, nb::handle indices, nb::handle axis, nb::handle out,
                   nb::handle mode) {
  const Array array = array_like_from(a);
  const Array index = index_array(indices, array.device());
  const auto along = optional_index_from(axis);
  const IndexMode rule = mode_from(mode);
  const Array target = optional_array_from(out);
  Array result;
  {
    Unlocked unlocked;
    result = take(array, index, along, rule, target);
  }
  return given_or(out, std::move(result));
}

void put_of(nb::handle a, nb::handle indices, nb::handle values, nb::handle mode) {
  const Array array = array_from(a);
  const Array index = index_array(indices, array.device());
  const Operand operand = operand_from(values, array.device());
  const IndexMode rule = mode_from(mode);
  warn_of_lost_imaginary_parts(dtype_of_operand(operand), array.dtype());
  Unlocked unlocked;
  put(array, index, operand, rule);
}

nb::object take_along_axis_of(nb::handle a, nb::handle indices, nb::handle axis) {
  const Array array = array_from(a);
  const Array index = array_from(indices);
  const auto along = optional_index_from(axis);
  Array result;
  {
    Unlocked unlocked;
    result = take_along_axis(array, index, along);
  }
  return wrap(std::move(result));
}

void put_along_axis_of(nb::handle a, nb::handle indices, nb::handle values, nb::handle axis) {
  const Array array = array_from(a);
  const Array index = array_from(indices);
  const Operand operand = chosen_value_from(values, array, index);
  const auto along = optional_index_from(axis);
  Unlocked unlocked;
  put_along_axis(array, index, operand, along);
}

nb::object choose_of(nb::handle selector, nb::handle choices, nb::handle out, nb::handle mode) {
  const Array numbers = array_from(selector);
  const std::vector<Array> arrays = arrays_from(choices);
  const IndexMode rule = mode_from(mode);
  const Array target = optional_array_from(out);
  Array result;
  {
    Unlocked unlocked;
    result = choose(numbers, arrays, rule, target);
  }
  return given_or(out, std::move(result));
}

nb::object select_of(nb::handle conditions, nb::handle choices, nb::handle otherwise) {
  const std::vector<Array> tests = arrays_from(conditions);
  std::vector<Operand> operands;
  for (nb::handle choice : nb::iter(choices)) operands.push_back(operand_from(choice));
  const Operand fallback = operand_from(otherwise);
  Array result;
  {
    Unlocked unlocked;
    result = select(tests, operands, fallback);
  }
  return wrap(std::move(result));
}

nb::object nonzero_of(nb::handle a) {
  const Array array = array_from(a);
  std::vector<Array> results;
  {
    Unlocked unlocked;
    results = nonzero(array);
  }
  return wrap_tuple(std::move(results));
}

nb::object bincount_of(nb::handle numbers, nb::handle length) {
  const Array array = array_from(numbers);
  const std::int64_t count = index_from(length);
  Array result;
  {
    Unlocked unlocked;
    result = bincount(array, count);
  }
  return wrap(std::move(result));
}

// None: it is for launches, or an error to be told.
nb::object bincount_of_few(nb::handle numbers, nb::handle length) {
  const Array array = array_from(numbers);
  const std::int64_t count = index_from(length);
  Array result;
  {
    Unlocked unlocked;
    result = count_on_host(array, count);
  }
  return result.has_value() ? wrap(std::move(result)) : nb::none();
}

nb::object sums_of_parts_of(nb::handle numbers, nb::handle weights, nb::handle length,
                            nb::handle part_log) {
  const Array array = array_from(numbers);
  const Array values = array_from(weights);
  const std::int64_t count = index_from(length);
  const auto part = static_cast<int>(index_from(part_log));
  Array result;
  {
    Unlocked unlocked;
    result = sums_of_parts(array, values, count, part);
  }
  return wrap(std::move(result));
}

nb::object flat_nonzero_of(nb::handle a) {
  const Array array = array_from(a);
  Array result;
  {
    Unlocked unlocked;
    result = flat_nonzero(array);
  }
  return wrap(std::move(result));
}

constexpr const char* kTakeText = R"(Elements at `indices` along `axis`, or of the flattened array.

Parameters
----------
a : array_like
indices : array_like of ints
axis : int, optional
    Default: `a` is flattened.
out : ndarray, optional
    Takes the result.
mode : {'raise', 'wrap', 'clip'}
    What happens to an index out of bounds.

Returns
-------
ndarray
    With the shape of `indices` in the place of `axis`.

Raises
------
IndexError
    For an index out of bounds with mode 'raise'.

Examples
--------
>>> import cupola as cp
>>> cp.take(cp.asarray([[1, 2, 3], [4, 5, 6]]), [2, 0], axis=1).tolist()
[[3, 1], [6, 4]])";

// ValueError if any element is true: at the call, or where values are observed.
void report_any_of(nb::handle is_wrong, const std::string& message) {
  const Array wrong = array_from(is_wrong);
  Unlocked unlocked;
  report_any(wrong, [message] { throw ValueError(message); });
}

}  // namespace

void bind_selection(nb::module_& m) {
  DirectFunction<take_of>::define(
      m, {"take",
          "(a: ArrayLike, indices: Any, axis: int | None = None, out: ndarray | None = None, "
          "mode: ModeLike = 'raise') -> ndarray",
          kTakeText});
  m.def("where", where_of, nb::arg("condition").none(), nb::arg("x").none(), nb::arg("y").none());
  m.def("clip", clip_of, nb::arg("a").none(), nb::arg("a_min") = nb::none(),
        nb::arg("a_max") = nb::none(), nb::arg("out") = nb::none(), nb::arg("where").none() = true,
        nb::arg("dtype") = nb::none(), nb::arg("casting").none() = "same_kind");
  m.def("copyto", copyto, nb::arg("dst").none(), nb::arg("src").none(),
        nb::arg("casting").none() = "same_kind", nb::arg("where").none() = true);
  m.def("put", put_of, nb::arg("a").none(), nb::arg("ind").none(), nb::arg("v").none(),
        nb::arg("mode").none() = "raise");
  m.def("take_along_axis", take_along_axis_of, nb::arg("arr").none(), nb::arg("indices").none(),
        nb::arg("axis") = nb::none());
  m.def("put_along_axis", put_along_axis_of, nb::arg("arr").none(), nb::arg("indices").none(),
        nb::arg("values").none(), nb::arg("axis") = nb::none());
  m.def("choose", choose_of, nb::arg("a").none(), nb::arg("choices").none(),
        nb::arg("out") = nb::none(), nb::arg("mode").none() = "raise");
  m.def("select", select_of, nb::arg("condlist").none(), nb::arg("choicelist").none(),
        nb::arg("default").none());
  m.def("nonzero", nonzero_of, nb::arg("a").none());
  m.def("bincount", bincount_of, nb::arg("numbers").none(), nb::arg("length").none());
  m.def("bincount_of_few", bincount_of_few, nb::arg("numbers").none(), nb::arg("length").none());
  m.def("sums_of_parts", sums_of_parts_of, nb::arg("numbers").none(), nb::arg("weights").none(),
        nb::arg("length").none(), nb::arg("part_log").none());
  m.def("flatnonzero", flat_nonzero_of, nb::arg("a").none());
  m.def("report_any", report_any_of, nb::arg("is_wrong"), nb::arg("message"));
}

}  // namespace cupola::python
