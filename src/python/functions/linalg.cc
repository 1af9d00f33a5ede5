// Products of vectors and matrices.

#include "cupola/ops/linalg.h"

#include "ops/linalg/matrix_product.h"
#include "python/functions/direct_function.h"

namespace cupola::python {
namespace {

constexpr const char* kDotText =
    R"(Sum of products over the last dimension of `a` and the last but one of `b`.

Parameters
----------
a, b : array_like
out : ndarray, optional

Returns
-------
ndarray
    The product of matrices; of vectors their inner product; of more dimensions the sum over the
    last axis of `a` and the last but one of `b`.

Raises
------
ValueError
    For extents that do not fit.

Examples
--------
>>> import cupola as cp
>>> float(cp.dot([1.0, 2.0], [3.0, 4.0]))
11.0)";

void warn_of_parts_lost_in_product(std::initializer_list<Array> factors, const Array& out,
                                   std::optional<DType> dtype) {
  DType product = DType::bool_;
  for (const Array& factor : factors) {
    product = promote_types(product, factor.dtype());
    if (dtype) warn_of_lost_imaginary_parts(factor.dtype(), *dtype);
  }
  if (out.has_value()) warn_of_lost_imaginary_parts(dtype.value_or(product), out.dtype());
}

nb::object matmul_of(nb::handle a, nb::handle b, nb::handle out, nb::handle dtype,
                     nb::handle casting) {
  const Array left = array_from(a);
  const Array right = array_from(b);
  const Array target = optional_array_from(out);
  const auto type = optional_dtype_from(dtype);
  const Casting rule = casting_from(casting);
  if (rule == Casting::unsafe_) warn_of_parts_lost_in_product({left, right}, target, type);
  Array result;
  {
    Unlocked unlocked;
    result = matmul(left, right, target, type, rule);
  }
  return given_or(out, std::move(result));
}

template <Array (*kFunction)(const Operand&, const Operand&, const Array&)>
nb::object product_to(nb::handle a, nb::handle b, nb::handle out) {
  const Operand left = operand_from(a);
  const Operand right = operand_from(b);
  const Array target = optional_array_from(out);
  Array result;
  {
    Unlocked unlocked;
    result = kFunction(left, right, target);
  }
  return given_or(out, std::move(result));
}

nb::object dot_of(nb::handle a, nb::handle b, nb::handle out) {
  const NdArray *const left = find_array(a), *const right = find_array(b);
  if (left && right && out.is_none()) {
    if (Array few = product_of_few(left->array(), right->array()); few.has_value()) {
      return wrap(std::move(few));
    }
  }
  return product_to<cupola::dot>(array_object_from(a), array_object_from(b), out);
}

nb::object vdot_of(nb::handle a, nb::handle b) {
  const Array left = array_from(a);
  const Array right = array_from(b);
  Array result;
  {
    Unlocked unlocked;
    result = vdot(left, right);
  }
  return wrap(std::move(result));
}

nb::object inner_of(nb::handle a, nb::handle b) {
  const Operand left = operand_from(a);
  const Operand right = operand_from(b);
  Array result;
  {
    Unlocked unlocked;
    result = inner(left, right);
  }
  return wrap(std::move(result));
}

nb::object tensordot_of(nb::handle a, nb::handle b, nb::handle axes_a, nb::handle axes_b) {
  const Array left = array_from(a);
  const Array right = array_from(b);
  const Dims left_axes = axes_from(axes_a);
  const Dims right_axes = axes_from(axes_b);
  Array result;
  {
    Unlocked unlocked;
    result = tensordot(left, right, left_axes, right_axes);
  }
  return wrap(std::move(result));
}

}  // namespace

void bind_linalg(nb::module_& m) {
  m.def("matmul", matmul_of, nb::arg("a").none(), nb::arg("b").none(), nb::arg("out") = nb::none(),
        nb::arg("dtype") = nb::none(), nb::arg("casting").none() = "same_kind");
  DirectFunction<dot_of>::define(
      m, {"dot", "(a: ArrayLike, b: ArrayLike, out: ndarray | None = None) -> ndarray", kDotText});
  m.def("outer", product_to<cupola::outer>, nb::arg("a").none(), nb::arg("b").none(),
        nb::arg("out") = nb::none());
  m.def("vdot", vdot_of, nb::arg("a").none(), nb::arg("b").none());
  m.def("inner", inner_of, nb::arg("a").none(), nb::arg("b").none());
  m.def("tensordot", tensordot_of, nb::arg("a").none(), nb::arg("b").none(),
        nb::arg("axes_a").none(), nb::arg("axes_b").none());
}

}  // namespace cupola::python
