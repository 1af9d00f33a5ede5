#pragma once
// The order of numbers, and the choice of the larger or smaller one, without branches, for the
// compiler to vectorise. Values are those of codegen/device/compare.cuh.

#include "platforms/cpu/kernels/rows.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

// What numbers of a type consist of: one of them, or two.
template <typename T>
struct PartOf {
  using type = T;
};
template <typename T>
struct PartOf<complex<T>> {
  using type = T;
};
template <typename T>
using part_t = typename PartOf<T>::type;

template <typename T>
[[gnu::always_inline]] inline bool is_unordered(complex<T> a) {
  return (a.re != a.re) | (a.im != a.im);
}

// less(a, b) of complex.
template <typename T>
[[gnu::always_inline]] inline bool is_less(complex<T> a, complex<T> b) {
  const bool by_re = (a.re < b.re) & (a.im == a.im) & (b.im == b.im);
  return by_re | ((a.re == b.re) & (a.im < b.im));
}

// The ufuncs that choose one of two values by their order.
enum class Choice { none, maximum, minimum, fmax, fmin };

constexpr Choice choice_of(cupola::UfuncId id) {
  using cupola::UfuncId;
  if (id == UfuncId::maximum) return Choice::maximum;
  if (id == UfuncId::minimum) return Choice::minimum;
  if (id == UfuncId::fmax) return Choice::fmax;
  return id == UfuncId::fmin ? Choice::fmin : Choice::none;
}

constexpr bool is_largest(Choice choice) {
  return choice == Choice::maximum || choice == Choice::fmax;
}

// Whether maximum(a, b), or another choice, is `a`.
template <Choice Of, typename T>
[[gnu::always_inline]] inline bool takes_first(complex<T> a, complex<T> b) {
  constexpr bool kNumbers = Of == Choice::fmax || Of == Choice::fmin;
  const bool beyond = is_largest(Of) ? b.re < a.re : a.re < b.re;
  const bool not_behind = is_largest(Of) ? b.im <= a.im : a.im <= b.im;
  const bool by_re = beyond & (a.im == a.im) & (b.im == b.im);
  return is_unordered(kNumbers ? b : a) | by_re | ((a.re == b.re) & not_behind);
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
