// ufunc.reduce, .accumulate, .reduceat, .outer and .at.

#include "core/layout.h"
#include "cupola/error.h"
#include "cupola/ops/creation.h"
#include "cupola/ops/index.h"
#include "cupola/ops/manip.h"
#include "cupola/runtime.h"
#include "python/reduce_arguments.h"
#include "python/ufunc.h"

namespace cupola::python {
namespace {

Array input_from(nb::handle object) { return array_from_anything(object, current_device()); }

// A tuple of one stands for its only element.
nb::handle single_output(nb::handle out) {
  return PyTuple_Check(out.ptr()) && PyTuple_GET_SIZE(out.ptr()) == 1
             ? nb::handle(PyTuple_GET_ITEM(out.ptr(), 0))
             : out;
}

nb::object reduce(const Ufunc& self, nb::handle a, nb::handle axis, nb::handle dtype,
                  nb::handle out_argument, bool keepdims, nb::handle initial, nb::handle where) {
  const nb::handle out = single_output(out_argument);
  const Array array = input_from(a);
  const ReduceOptions options = reduce_options(array, {axis, dtype, out, keepdims, initial, where});
  Array result;
  {
    Unlocked unlocked;
    result = reduce_ufunc(self.id, array, options);
  }
  return given_or(out, std::move(result));
}

nb::object accumulate(const Ufunc& self, nb::handle a, nb::handle axis, nb::handle dtype,
                      nb::handle out_argument) {
  const nb::handle out = single_output(out_argument);
  const Array array = input_from(a);
  const std::int64_t along = index_from(axis);
  const auto type = optional_dtype_from(dtype);
  const Array target = optional_array_from(out);
  Array result;
  {
    Unlocked unlocked;
    result = accumulate_ufunc(self.id, array, along, type, target);
  }
  return given_or(out, std::move(result));
}

nb::object reduceat(const Ufunc& self, nb::handle a, nb::handle indices, nb::handle axis,
                    nb::handle dtype, nb::handle out_argument) {
  const nb::handle out = single_output(out_argument);
  const Array array = input_from(a);
  const Array starts = array_from_anything(indices, array.device());
  const std::int64_t along = index_from(axis);
  const auto type = optional_dtype_from(dtype);
  const Array target = optional_array_from(out);
  Array result;
  {
    Unlocked unlocked;
    result = reduceat_ufunc(self.id, array, starts, along, type, target);
  }
  return given_or(out, std::move(result));
}

nb::object outer_of_all(const Ufunc& self, nb::handle a, nb::handle b, nb::handle out_argument,
                        nb::handle where, nb::handle dtype, nb::handle casting, nb::handle order,
                        nb::handle signature) {
  const nb::handle out = single_output(out_argument);
  const Operand left = operand_from(a);
  const Operand right = operand_from(b);
  UfuncOptions options;
  if (!out.is_none()) options.out.push_back(array_from(out));
  options.where = where_from(where);
  options.dtype = optional_dtype_from(dtype);
  options.casting = casting_from(casting);
  options.order = order_from(order);
  UfuncSignature types;
  if (!signature.is_none()) types = signature_from(self.info(), signature);
  Array result;
  {
    Unlocked unlocked;
    result = outer_ufunc_with(self.id, left, right, types, options);
  }
  return given_or(out, std::move(result));
}

// An index array for the first dimension is what the library takes; every other index becomes
// the numbers of the elements that it selects, on a flat view.
void at_general(UfuncId id, const Array& array, const Index& index,
                const std::optional<Operand>& operand) {
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
  const Array array = array_from(a);
  if ((self.info().input_count == 2) == b.is_none()) {
    throw ValueError(b.is_none() ? "second operand needed for ufunc"
                                 : "second operand provided when ufunc is unary");
  }
  std::optional<Operand> operand;
  if (!b.is_none()) operand = operand_from(b, array.device());
  const Index index = index_expression(indices, array.device());
  Unlocked unlocked;
  if (index.size() == 1 && std::holds_alternative<Array>(index[0])) {
    at_ufunc(self.id, array, std::get<Array>(index[0]), operand);
  } else {
    at_general(self.id, array, index, operand);
  }
}

}  // namespace

void bind_ufunc_methods(UfuncClass& cls) {
  cls.def("reduce", reduce, nb::arg("array"), nb::arg("axis").none() = 0,
          nb::arg("dtype") = nb::none(), nb::arg("out") = nb::none(), nb::arg("keepdims") = false,
          nb::arg("initial").none() = no_value(), nb::arg("where") = true,
          "Combines all elements along `axis` (None: all axes).");
  cls.def("accumulate", accumulate, nb::arg("array"), nb::arg("axis") = 0,
          nb::arg("dtype") = nb::none(), nb::arg("out") = nb::none(),
          "The running combination along `axis`.");
  cls.def("reduceat", reduceat, nb::arg("array"), nb::arg("indices"), nb::arg("axis") = 0,
          nb::arg("dtype") = nb::none(), nb::arg("out") = nb::none(),
          "Combinations of the slices that start at `indices`.");
  cls.def("outer", outer_of_all, nb::arg("A"), nb::arg("B"), nb::kw_only(),
          nb::arg("out") = nb::none(), nb::arg("where") = true, nb::arg("dtype") = nb::none(),
          nb::arg("casting") = "same_kind", nb::arg("order") = "K",
          nb::arg("signature") = nb::none(), "Applies to every pair of elements of A and B.");
  cls.def("at", at, nb::arg("a"), nb::arg("indices").none(), nb::arg("b") = nb::none(),
          "Works in place on the elements at `indices`, repeated ones repeatedly.");
}

}  // namespace cupola::python
