// ufunc.reduce, .accumulate, .reduceat and .at; .outer takes the arguments of a call (ufunc.cc).

#include "core/layout.h"
#include "cupola/error.h"
#include "cupola/ops/creation.h"
#include "cupola/ops/index.h"
#include "cupola/ops/manip.h"
#include "cupola/runtime.h"
#include "ops/operands.h"
#include "ops/reductions/reduction.h"
#include "python/borders/foreign_operands.h"
#include "python/functions/reduce_arguments.h"
#include "python/functions/ufunc.h"
#include "python/functions/ufunc_texts.h"

namespace cupola::python {
namespace {

Array input_from(nb::handle object) { return array_from_anything(object, current_device()); }

// A tuple of one stands for its only element. `...` asks for an array, which every result is.
nb::handle single_output(nb::handle out) {
  if (out.ptr() == Py_Ellipsis) return nb::none();
  return PyTuple_Check(out.ptr()) && NB_TUPLE_GET_SIZE(out.ptr()) == 1
             ? nb::handle(NB_TUPLE_GET_ITEM(out.ptr(), 0))
             : out;
}

// The axis of a method that works along one: a tuple of one stands for it, None for all there are.
std::int64_t only_axis(const Array& array, nb::handle axis, const std::string& method) {
  if (!axis.is_none() && !PyTuple_Check(axis.ptr())) index_from(axis);
  const ReducedAxes axes(array.shape(), reduce_axes(array, axis));
  if (array.rank() == 0) throw TypeError("cannot " + method + " on a scalar");
  if (axes.axes().size() != 1) throw ValueError(method + " does not allow multiple axes");
  return axes.axes()[0];
}

// A sequence becomes positions as each of its numbers does; arrays are cast by the caller.
Array positions_from(nb::handle object, const Device& device) {
  if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr())) {
    return array_from_anything(object, device);
  }
  nb::object host = nb::module_::import_("numpy").attr("array")(object, nb::arg("dtype") = "int64");
  return upload(host, device);
}

// The arguments that are not what they are by default.
class GivenArguments {
 public:
  GivenArguments& add(const char* name, nb::handle value, const nb::object& usual = nb::none()) {
    if (!value.is(usual)) given_[name] = value;
    return *this;
  }
  const nb::dict& get() const { return given_; }

 private:
  nb::dict given_;
};

// Sums start from the output, whose dtype the elements get.
void warn_of_parts_lost_in_reduction(const Ufunc& self, const Array& array,
                                     std::optional<DType> dtype, const Array& out) {
  if (!is_complex(array.dtype())) return;
  const Reduction reduction = resolve_reduction(self.id, array.dtype(), dtype, out, "reduce");
  warn_of_lost_imaginary_parts(array.dtype(), reduction.input);
  if (out.has_value()) warn_of_lost_imaginary_parts(reduction.result, out.dtype());
}

nb::object reduce(const Ufunc& self, nb::handle a, nb::handle axis, nb::handle dtype,
                  nb::handle out_argument, bool keepdims, nb::handle initial, nb::handle where) {
  if (has_override(a) || has_override(out_argument) || has_override(where)) {
    GivenArguments given;
    given.add("axis", axis, nb::int_(0)).add("dtype", dtype).add("out", out_argument);
    given.add("keepdims", nb::bool_(keepdims), nb::bool_(false));
    given.add("initial", initial, no_value()).add("where", where, nb::bool_(true));
    return numpys_function(self.info().name).attr("reduce")(a, **given.get());
  }
  check_combines(self.id, "reduce");
  const nb::handle out = single_output(out_argument);
  const Array array = input_from(a);
  ReduceOptions options = reduce_options(array, {axis, dtype, out, keepdims, initial, where});
  if (self.id == UfuncId::add) start_from_nothing(array, initial, options);
  warn_of_parts_lost_in_reduction(self, array, options.dtype, options.out);
  Array result;
  {
    Unlocked unlocked;
    result = reduce_ufunc(self.id, array, options);
  }
  return given_or(out, std::move(result));
}

nb::object accumulate(const Ufunc& self, nb::handle a, nb::handle axis, nb::handle dtype,
                      nb::handle out_argument) {
  if (has_override(a) || has_override(out_argument)) {
    GivenArguments given;
    given.add("axis", axis, nb::int_(0)).add("dtype", dtype).add("out", out_argument);
    return numpys_function(self.info().name).attr("accumulate")(a, **given.get());
  }
  check_combines(self.id, "accumulate");
  const nb::handle out = single_output(out_argument);
  const Array array = input_from(a);
  const std::int64_t along = only_axis(array, axis, "accumulate");
  const auto type = optional_dtype_from(dtype);
  const Array target = optional_array_from(out);
  warn_of_parts_lost_in_reduction(self, array, type, target);
  Array result;
  {
    Unlocked unlocked;
    result = accumulate_ufunc(self.id, array, along, type, target);
  }
  return given_or(out, std::move(result));
}

nb::object reduceat(const Ufunc& self, nb::handle a, nb::handle indices, nb::handle axis,
                    nb::handle dtype, nb::handle out_argument) {
  if (has_override(a) || has_override(out_argument)) {
    GivenArguments given;
    given.add("axis", axis, nb::int_(0)).add("dtype", dtype).add("out", out_argument);
    return numpys_function(self.info().name).attr("reduceat")(a, indices, **given.get());
  }
  check_combines(self.id, "reduceat");
  const nb::handle out = single_output(out_argument);
  const Array array = input_from(a);
  const Array starts = positions_from(indices, array.device());
  const std::int64_t along = only_axis(array, axis, "reduceat");
  const auto type = optional_dtype_from(dtype);
  const Array target = optional_array_from(out);
  warn_of_parts_lost_in_reduction(self, array, type, target);
  Array result;
  {
    Unlocked unlocked;
    result = reduceat_ufunc(self.id, array, starts, along, type, target);
  }
  return given_or(out, std::move(result));
}

// An index array for the first dimension is what the library takes; every other index becomes
// the numbers of the elements that it selects, on a flat view.
void at_general(UfuncId id, const Array& array, const Index& index,
                const std::optional<Operand>& operand) {
  if (array.writable()) {  // else at_ufunc() refuses it; types are looked at before indices
    std::vector<Operand> operands{array};
    if (operand) operands.push_back(*operand);
    resolve_ufunc(id, operand_types(operands));
  }
  const Scalar zero = Scalar::weak(std::int64_t{0});
  const Scalar one = Scalar::weak(std::int64_t{1});
  const Array numbers = arange(zero, Scalar::weak(array.size()), one, DType::int64, array.device());
  const Array selected = get_index(reshape(numbers, array.shape()), index);
  std::optional<Operand> values = operand;
  if (values && values->is_array()) {
    values = Operand(ravel(broadcast_to(values->array(), selected.shape())));
  }
  const Array contiguous = is_c_contiguous(array.shape(), strides(array)) ? array : copy(array);
  at_ufunc(id, reshape(contiguous, Dims{array.size()}), ravel(selected), values);
  if (!is_same(contiguous, array)) assign(array, contiguous);
}

void at(const Ufunc& self, nb::handle a, nb::handle indices, nb::handle b) {
  if (self.info().output_count != 1) {
    throw ValueError("Only single output ufuncs supported at this time");
  }
  if (has_override(a) || has_override(b)) {
    nb::object method = numpys_function(self.info().name).attr("at");
    b.is_none() ? method(a, indices) : method(a, indices, b);
    return;
  }
  const Array array = array_from(a);
  if ((self.info().input_count == 2) == b.is_none()) {
    throw ValueError(b.is_none() ? "second operand needed for ufunc"
                                 : "second operand provided when ufunc is unary");
  }
  std::optional<Operand> operand;
  if (!b.is_none()) operand = operand_from(b, array.device());
  const Index index = index_expression(indices, array.device());
  if (operand && is_complex(dtype_of_operand(*operand)) && !is_complex(array.dtype())) {
    const Operand operands[] = {array, *operand};
    const UfuncLoop& loop = resolve_ufunc(self.id, operand_types(operands));
    warn_of_lost_imaginary_parts(loop.output(0), array.dtype());
  }
  Unlocked unlocked;
  if (index.size() == 1 && std::holds_alternative<Array>(index[0])) {
    at_ufunc(self.id, array, std::get<Array>(index[0]), operand);
  } else {
    at_general(self.id, array, index, operand);
  }
}

}  // namespace

void bind_ufunc_methods(UfuncClass& cls) {
  cls.def("reduce", reduce, nb::arg("array").none(), nb::arg("axis").none() = 0,
          nb::arg("dtype") = nb::none(), nb::arg("out") = nb::none(), nb::arg("keepdims") = false,
          nb::arg("initial").none() = no_value(), nb::arg("where").none() = true, kUfuncReduceText);
  cls.def("accumulate", accumulate, nb::arg("array").none(), nb::arg("axis").none() = 0,
          nb::arg("dtype") = nb::none(), nb::arg("out") = nb::none(), kUfuncAccumulateText);
  cls.def("reduceat", reduceat, nb::arg("array").none(), nb::arg("indices").none(),
          nb::arg("axis").none() = 0, nb::arg("dtype") = nb::none(), nb::arg("out") = nb::none(),
          kUfuncReduceatText);
  cls.def("at", at, nb::arg("a").none(), nb::arg("indices").none(), nb::arg("b") = nb::none(),
          kUfuncAtText);
}

}  // namespace cupola::python
