// Solutions, determinants and factorisations of matrices.

#include "cupola/ops/factorisations.h"

#include "cupola/error.h"
#include "python/bindings.h"

namespace cupola::python {
namespace {

// What `compute` returns; others may run meanwhile, also while it waits for the device.
template <typename Function>
auto unlocked(const Function& compute) {
  Unlocked lock;
  return compute();
}

template <Array (*kFunction)(const Array&)>
nb::object array_of(nb::handle a) {
  const Array array = array_like_from(a);
  return wrap(unlocked([&] { return kFunction(array); }));
}

Triangle triangle_from(bool upper) { return upper ? Triangle::upper : Triangle::lower; }

OnFailure on_failure_from(bool nan) { return nan ? OnFailure::nan : OnFailure::error; }

nb::object solve_of(nb::handle a, nb::handle b, bool or_nan) {
  const Array left = array_from(a);
  const Array right = array_from(b);
  return wrap(unlocked([&] { return solve(left, right, on_failure_from(or_nan)); }));
}

nb::object slogdet_of(nb::handle a) {
  const Array array = array_like_from(a);
  const SignAndLogarithm result = unlocked([&] { return slogdet(array); });
  return wrap_tuple({result.sign, result.logarithm});
}

nb::object inv_of(nb::handle a, bool or_nan) {
  const Array array = array_like_from(a);
  return wrap(unlocked([&] { return inv(array, on_failure_from(or_nan)); }));
}

nb::object cholesky_of(nb::handle a, bool upper, bool or_nan) {
  const Array array = array_like_from(a);
  return wrap(
      unlocked([&] { return cholesky(array, triangle_from(upper), on_failure_from(or_nan)); }));
}

nb::object qr_of(nb::handle a, bool complete) {
  const Array array = array_like_from(a);
  const QrMode mode = complete ? QrMode::complete : QrMode::reduced;
  const QFactors result = unlocked([&] { return qr(array, mode); });
  return wrap_tuple({result.q, result.r});
}

Array r_of_qr(const Array& a) { return qr(a, QrMode::r).r; }

nb::object qr_reflectors_of(nb::handle a) {
  const Array array = array_like_from(a);
  const Reflectors result = unlocked([&] { return qr_reflectors(array); });
  return wrap_tuple({result.h, result.tau});
}

nb::object eigh_of(nb::handle a, bool upper) {
  const Array array = array_like_from(a);
  const EigenPairs result = unlocked([&] { return eigh(array, triangle_from(upper)); });
  return wrap_tuple({result.values, result.vectors});
}

nb::object eigvalsh_of(nb::handle a, bool upper) {
  const Array array = array_like_from(a);
  return wrap(unlocked([&] { return eigvalsh(array, triangle_from(upper)); }));
}

nb::object eig_of(nb::handle a) {
  const Array array = array_like_from(a);
  const EigenPairs result = unlocked([&] { return eig(array); });
  return wrap_tuple({result.values, result.vectors});
}

nb::object svd_of(nb::handle a, bool full_matrices) {
  const Array array = array_like_from(a);
  const SingularVectors result = unlocked([&] { return svd(array, full_matrices); });
  return wrap_tuple({result.u, result.s, result.vh});
}

}  // namespace

void bind_factorisations(nb::module_& m) {
  m.def("solve", solve_of, nb::arg("a").none(), nb::arg("b").none(), nb::arg("or_nan") = false);
  m.def("inv", inv_of, nb::arg("a").none(), nb::arg("or_nan") = false);
  m.def("det", array_of<det>, nb::arg("a").none());
  m.def("slogdet", slogdet_of, nb::arg("a").none());
  m.def("cholesky", cholesky_of, nb::arg("a").none(), nb::arg("upper") = false,
        nb::arg("or_nan") = false);
  m.def("qr", qr_of, nb::arg("a").none(), nb::arg("complete") = false);
  m.def("qr_r", array_of<r_of_qr>, nb::arg("a").none());
  m.def("qr_reflectors", qr_reflectors_of, nb::arg("a").none());
  m.def("eigh", eigh_of, nb::arg("a").none(), nb::arg("upper") = false);
  m.def("eigvalsh", eigvalsh_of, nb::arg("a").none(), nb::arg("upper") = false);
  m.def("eig", eig_of, nb::arg("a").none());
  m.def("eigvals", array_of<eigvals>, nb::arg("a").none());
  m.def("svd", svd_of, nb::arg("a").none(), nb::arg("full_matrices") = true);
  m.def("svdvals", array_of<svdvals>, nb::arg("a").none());
}

}  // namespace cupola::python
