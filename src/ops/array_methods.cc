// The methods of arrays: each is a call of the function that does it.

#include <optional>

#include "core/array_state.h"
#include "cupola/array.h"
#include "cupola/error.h"
#include "cupola/ops/functions.h"
#include "cupola/ops/index.h"
#include "cupola/ops/linalg.h"
#include "cupola/ops/manip.h"
#include "cupola/ops/reduce.h"
#include "cupola/transfer.h"
#include "ops/indexing/uncounted.h"
#include "ops/support.h"

namespace cupola {

namespace {

template <typename Self>
decltype(auto) resolve(const ArrayMethods<Self>& methods) {
  return detail::resolved(static_cast<const Self&>(methods));
}

template <typename Function>
Array reduce(const Array& array, const ReduceOptions& options, const Function& function) {
  return function(array, options);
}
// The elements of a[mask] need no count where all of them make one value.
template <typename Function>
Array reduce(const Selection& selection, const ReduceOptions& options, const Function& function) {
  if (!options.axes && !options.keepdims) {
    const auto uncounted = Uncounted::select(selection.base(), selection.index());
    if (const auto whole = uncounted ? uncounted->whole() : std::nullopt) {
      return function(whole->values, {.where = whole->mask});
    }
  }
  return function(selection.array(), options);
}

// a[mask] op= b, b being the same for all elements, which need no count either.
bool update_uncounted(const Selection& selection, UfuncId ufunc, const Operand& b) {
  std::optional<Uncounted> elements = Uncounted::select(selection.base(), selection.index());
  if (!elements) return false;
  {
    const UncountedOperand operands[] = {*elements, b};
    const std::optional<Uncounted> result = Uncounted::apply(ufunc, operands);
    if (!result || !elements->replace(*result)) return false;
  }
  std::move(*elements).store(selection.base(), selection.index());
  return true;
}

void compute_into(const Array& a, UfuncId ufunc, const Operand& b) {
  std::optional<Passing> passing;  // as in `a += b * c`
  if (b.is_array() && b.array().handle().use_count() == 1) passing.emplace(b.array());
  const Operand operands[] = {a, b};
  call_ufunc(ufunc, operands, {.out = {a}});
}

}  // namespace

namespace detail {

const Array& resolved(const Array& array) { return array; }
Array resolved(const Selection& selection) { return selection.array(); }

}  // namespace detail

template <typename Self>
Selection ArrayMethods<Self>::operator[](const Index& index) const {
  return Selection(resolve(*this), index);
}
template <typename Self>
ArrayIterator ArrayMethods<Self>::begin() const {
  return ArrayIterator(resolve(*this));
}
template <typename Self>
ArrayMethods<Self>::operator bool() const {
  const Array& array = resolve(*this);
  if (array.size() != 1) {
    throw ValueError("the truth of an array of shape " + to_string(array.shape()) +
                     " is ambiguous: use any() or all()");
  }
  return cupola::item(array).cast(DType::bool_).get<bool>();
}

// PARAMETERS as declared, and the ARGUMENTS of the function behind the array.
#define CUPOLA_METHOD(NAME, PARAMETERS, ...)                        \
  template <typename Self>                                          \
  Array ArrayMethods<Self>::NAME PARAMETERS const {                 \
    return cupola::NAME(resolve(*this) __VA_OPT__(, ) __VA_ARGS__); \
  }
#define CUPOLA_REDUCTION_METHOD(NAME)                                                    \
  template <typename Self>                                                               \
  Array ArrayMethods<Self>::NAME(const Axes& axes, bool keepdims) const {                \
    return reduce(static_cast<const Self&>(*this), {.axes = axes, .keepdims = keepdims}, \
                  [](const Array& array, const ReduceOptions& options) {                 \
                    return cupola::NAME(array, options);                                 \
                  });                                                                    \
  }
CUPOLA_REDUCTION_METHOD(sum)
CUPOLA_REDUCTION_METHOD(prod)
CUPOLA_REDUCTION_METHOD(any)
CUPOLA_REDUCTION_METHOD(all)
CUPOLA_REDUCTION_METHOD(mean)
CUPOLA_REDUCTION_METHOD(var)
CUPOLA_REDUCTION_METHOD(std)
#undef CUPOLA_REDUCTION_METHOD
CUPOLA_METHOD(min, (const Axes& axes, bool keepdims),
              ReduceOptions{.axes = axes, .keepdims = keepdims})
CUPOLA_METHOD(max, (const Axes& axes, bool keepdims),
              ReduceOptions{.axes = axes, .keepdims = keepdims})
CUPOLA_METHOD(argmin, (std::optional<std::int64_t> axis, bool keepdims), axis, keepdims)
CUPOLA_METHOD(argmax, (std::optional<std::int64_t> axis, bool keepdims), axis, keepdims)
CUPOLA_METHOD(cumsum, (std::optional<std::int64_t> axis, std::optional<DType> dtype), axis, dtype)
CUPOLA_METHOD(cumprod, (std::optional<std::int64_t> axis, std::optional<DType> dtype), axis, dtype)
CUPOLA_METHOD(reshape, (const Dims& shape, char order), shape, order)
CUPOLA_METHOD(ravel, (char order), order)
CUPOLA_METHOD(transpose, (const Axes& axes), axes)
CUPOLA_METHOD(swapaxes, (std::int64_t axis1, std::int64_t axis2), axis1, axis2)
CUPOLA_METHOD(squeeze, (const Axes& axes), axes)
CUPOLA_METHOD(diagonal, (std::int64_t offset, std::int64_t axis1, std::int64_t axis2), offset,
              axis1, axis2)
CUPOLA_METHOD(real, ())
CUPOLA_METHOD(imag, ())
CUPOLA_METHOD(astype, (DType dtype, Casting casting), dtype, casting)
CUPOLA_METHOD(copy, (char order), order)
CUPOLA_METHOD(take, (const Array& indices, std::optional<std::int64_t> axis), indices, axis)
CUPOLA_METHOD(clip, (const Operand& low, const Operand& high), low, high)
CUPOLA_METHOD(dot, (const Operand& b), b)
#undef CUPOLA_METHOD

template <typename Self>
Array ArrayMethods<Self>::T() const {
  return cupola::transpose(resolve(*this));
}
template <typename Self>
Array ArrayMethods<Self>::conj() const {
  return cupola::conjugate(resolve(*this));
}
template <typename Self>
Array ArrayMethods<Self>::view(DType dtype) const {
  return cupola::view_as(resolve(*this), dtype);
}
template <typename Self>
Array ArrayMethods<Self>::to(const Device& device) const {
  return cupola::to_device(resolve(*this), device);
}
template <typename Self>
void ArrayMethods<Self>::fill(const Operand& value) const {
  (*this)[Ellipsis{}] = value;
}
template <typename Self>
Scalar ArrayMethods<Self>::item() const {
  return cupola::item(resolve(*this));
}

template class ArrayMethods<Array>;
template class ArrayMethods<Selection>;

#define CUPOLA_COMPOUND_OPERATOR(SIGN, NAME)               \
  Array& Array::operator SIGN(const Operand& b) {          \
    compute_into(*this, UfuncId::NAME, b);                 \
    return *this;                                          \
  }                                                        \
  void Selection::operator SIGN(const Operand& b) const {  \
    if (update_uncounted(*this, UfuncId::NAME, b)) return; \
    const Array selected = array();                        \
    compute_into(selected, UfuncId::NAME, b);              \
    if (!is_view()) set_index(base_, index_, selected);    \
  }
CUPOLA_COMPOUND_OPERATOR(+=, add)
CUPOLA_COMPOUND_OPERATOR(-=, subtract)
CUPOLA_COMPOUND_OPERATOR(*=, multiply)
CUPOLA_COMPOUND_OPERATOR(/=, divide)
CUPOLA_COMPOUND_OPERATOR(%=, remainder)
CUPOLA_COMPOUND_OPERATOR(&=, bitwise_and)
CUPOLA_COMPOUND_OPERATOR(|=, bitwise_or)
CUPOLA_COMPOUND_OPERATOR(^=, bitwise_xor)
CUPOLA_COMPOUND_OPERATOR(<<=, left_shift)
CUPOLA_COMPOUND_OPERATOR(>>=, right_shift)
#undef CUPOLA_COMPOUND_OPERATOR

Operand::Operand(const Selection& selection) : array_(selection.array()) {}
IndexTerm::IndexTerm(const Selection& indices) : variant(indices.array()) {}
IndexTerm::IndexTerm(const IndexTerm& other) = default;
IndexTerm::IndexTerm(IndexTerm&& other) noexcept = default;
IndexTerm& IndexTerm::operator=(const IndexTerm& other) = default;
IndexTerm& IndexTerm::operator=(IndexTerm&& other) noexcept = default;
IndexTerm::~IndexTerm() = default;

Array Selection::array() const { return get_index(base_, index_); }
void Selection::operator=(const Operand& value) const&& { set_index(base_, index_, value); }
void Selection::operator=(const Selection& value) const&& {
  set_index(base_, index_, value.array());
}
bool Selection::is_view() const {
  return std::ranges::none_of(
      index_, [](const IndexTerm& term) { return std::holds_alternative<Array>(term); });
}

ArrayIterator::ArrayIterator(Array array) : array_(std::move(array)) {
  if (array_.rank() == 0) throw TypeError("iteration over an array without axes");
  extent_ = array_.shape()[0];
}
Array ArrayIterator::operator*() const { return get_index(array_, position_); }

}  // namespace cupola
