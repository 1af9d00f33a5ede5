// Arithmetic, comparison and logic operators, reflected and in-place ones included. This is the
// path of every small operation: no dictionaries, no keyword arguments, no Python calls.

#include <array>

#include "core/ufunc.h"
#include "cupola/error.h"
#include "cupola/ops/linalg.h"
#include "ops/elementwise/elements.h"
#include "ops/elementwise/uniform_operands.h"
#include "ops/linalg/matrix_product.h"
#include "python/array/operator_operands.h"
#include "python/array/slots.h"
#include "python/array/temporary.h"
#include "python/borders/foreign_operands.h"
#include "python/functions/ufunc.h"
#include "python/interpreter/deferred.h"

namespace cupola::python {
namespace {

nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }

std::vector<Array> call(UfuncId id, const Operand& a, const Operand& b,
                        const UfuncOptions& options = {}) {
  const std::array<Operand, 2> operands{a, b};
  Unlocked unlocked;
  return call_ufunc(id, operands, options);
}

std::vector<Array> call(UfuncId id, const Array& a, const UfuncOptions& options = {}) {
  const Operand operand(a);
  Unlocked unlocked;
  return call_ufunc(id, {&operand, 1}, options);
}

template <UfuncId kId>
nb::object unary(const NdArray& self) {
  if (self.is_uncounted()) {
    if (auto result = of_one_uncounted(kId, self)) return wrap(*std::move(result));
  }
  const Operand operand(self.array());
  return wrap(call_plain(kId, {&operand, 1}));
}

// The Python object of an operand.
nb::object object_of(const NdArray& self) {
  nb::object found = nb::find(self);
  return found.is_valid() ? found : wrap(self.array());
}

// The result where another library decides about `self name other`, or `other name self`; nothing
// where we do.
std::optional<nb::object> decided_by_other(std::string_view name, const NdArray& self,
                                           nb::handle other, bool reflected) {
  switch (decider_of(other, reflected)) {
    case Decider::array:
      return std::nullopt;
    case Decider::other:
      return not_implemented();
    case Decider::numpy:
      break;
  }
  nb::object own = object_of(self);
  return reflected ? call_numpy(name, {other, own}) : call_numpy(name, {own, other});
}

// The same of `self name= other`.
std::optional<nb::object> decided_in_place(std::string_view name, nb::handle self,
                                           nb::handle other) {
  if (decider_of(other, false, true) == Decider::array) return std::nullopt;
  return call_numpy(name, {self, other}, self);
}

std::string_view name_of_id(UfuncId id) { return ufunc_info(id).name; }

// Python would join the bytes of texts with those of an array, or repeat them, without a look at
// it.
void refuse_text(nb::handle other) {
  if (!PyUnicode_Check(other.ptr()) && !PyBytes_Check(other.ptr())) return;
  throw TypeError(std::string("unsupported operand type '") + class_name(other.ptr()) +
                  "': arrays hold numbers");
}

template <UfuncId kId, bool kReflected>
nb::object binary(const NdArray& self, nb::handle other) {
  const NdArray* const found = find_array(other);
  if (self.is_uncounted() || (found && found->is_uncounted())) {
    if (auto result = of_uncounted(kId, self, other, kReflected)) return wrap(*std::move(result));
  }
  if (found) {
    const Array& a = kReflected ? found->array() : self.array();
    const Array& b = kReflected ? self.array() : found->array();
    if (const UfuncLoop* loop = loop_for_uniform(kId, a, b)) {
      if (a.rank() == 0) {
        if (auto number = compute_element(kId, *loop, a, b)) return wrap(*std::move(number));
      }
      return wrap(make_deferred([&] { return call_uniform(kId, *loop, a, b); }));
    }
  }
  if (!found && self.array().rank() == 0) {
    if (auto number = of_element(kId, self.array(), other, kReflected)) {
      return wrap(*std::move(number));
    }
  }
  if (auto decided = decided_by_other(name_of_id(kId), self, other, kReflected)) return *decided;
  auto operand = other_operand(kId, self.device(), other, self.dtype());
  if (!operand) {
    if constexpr (kId == UfuncId::equal || kId == UfuncId::not_equal) {
      return compare_with_foreign(object_of(self), other, kId == UfuncId::not_equal);
    }
    refuse_text(other);
    return not_implemented();
  }
  const std::array<Operand, 2> operands =
      kReflected ? std::array{std::move(*operand), Operand(self.array())}
                 : std::array{Operand(self.array()), std::move(*operand)};
  return wrap(call_plain(kId, operands));
}

// The array, written to. What has no dimensions stands for a number, as an element or a sum does:
// where it cannot hold the result, the name gets a new one.
template <typename Write, typename Compute>
nb::object written_or_new(const nb::object& self, const Array& array, Write&& write,
                          Compute&& compute) {
  try {
    write();
    return self;
  } catch (const CastingError&) {
    if (array.rank() != 0) throw;
  }
  return compute();
}

template <UfuncId kId>
nb::object in_place(nb::object self, nb::handle other) {
  if (auto decided = decided_in_place(name_of_id(kId), self, other)) return *decided;
  if (const auto own = find_array(self)->uncounted()) {
    const auto result = of_uncounted(kId, *find_array(self), other, false);
    if (result && own->replace(*result)) return self;
  }
  const Array array = array_from(self);
  const auto operand = other_operand(kId, array.device(), other);
  if (!operand) return not_implemented();
  if (update_uniform(kId, array, *operand)) return self;
  const TemporaryOperand temporary(other, kOfOperator);
  UfuncOptions options;
  options.out.push_back(array);
  return written_or_new(
      self, array, [&] { call(kId, array, *operand, options); },
      [&] { return binary<kId, false>(nb::cast<const NdArray&>(self), other); });
}

template <bool kReflected>
nb::object quotient_and_remainder(const NdArray& self, nb::handle other) {
  if (auto decided = decided_by_other("divmod", self, other, kReflected)) return *decided;
  const auto operand = operator_operand_from(other, self.array().device());
  if (!operand) return not_implemented();
  const Operand own(self.array());
  return wrap_tuple(kReflected ? call(UfuncId::divmod, *operand, own)
                               : call(UfuncId::divmod, own, *operand));
}

// NumPy takes these exponents by a simpler function, whose special values differ
// ((-inf) ** 0.5 is NaN).
std::optional<UfuncId> simple_power(DType base, const Operand& exponent) {
  if (exponent.is_array() || !exponent.scalar().weak_kind()) return std::nullopt;
  const WeakKind kind = *exponent.scalar().weak_kind();
  if (kind != WeakKind::integer && kind != WeakKind::floating) return std::nullopt;
  const double value = exponent.scalar().to_complex().real();
  if (is_integer(base) || base == DType::bool_) {
    if (kind == WeakKind::integer && value == 2) return UfuncId::square;
    return std::nullopt;
  }
  if (!is_inexact(base)) return std::nullopt;
  if (value == 2) return UfuncId::square;
  if (value == 1) return UfuncId::positive;
  if (value == 0.5) return UfuncId::sqrt;
  if (value == -1) return UfuncId::reciprocal;
  return std::nullopt;
}

// By one of those.
std::optional<Uncounted> raised_uncounted(const NdArray& base, const Operand& exponent) {
  if (!base.is_uncounted()) return std::nullopt;
  const auto simple = simple_power(base.dtype(), exponent);
  return simple ? of_one_uncounted(*simple, base) : std::nullopt;
}

nb::object raised(const Array& base, const Operand& exponent) {
  const Operand operands[] = {base, exponent};
  if (const auto simple = simple_power(base.dtype(), exponent)) {
    return wrap(call_plain(*simple, {operands, 1}));
  }
  return wrap(call_plain(UfuncId::power, operands));
}

void raise_into(const Array& base, const Operand& exponent, const UfuncOptions& options) {
  if (const auto simple = simple_power(base.dtype(), exponent)) {
    call(*simple, base, options);
  } else {
    call(UfuncId::power, base, exponent, options);
  }
}

void refuse_modulus(nb::handle modulus) {
  if (!modulus.is_none()) throw TypeError("pow() with a modulus is not supported for arrays");
}

nb::object power(const NdArray& self, nb::handle other, nb::handle modulus) {
  refuse_modulus(modulus);
  if (auto decided = decided_by_other("power", self, other, false)) return *decided;
  const auto operand = other_operand(UfuncId::power, self.device(), other);
  if (!operand) return not_implemented();
  if (auto result = raised_uncounted(self, *operand)) return wrap(*std::move(result));
  return raised(self.array(), *operand);
}

nb::object reflected_power(const NdArray& self, nb::handle other, nb::handle modulus) {
  refuse_modulus(modulus);
  return binary<UfuncId::power, true>(self, other);
}

nb::object in_place_power(nb::object self, nb::handle other) {
  if (auto decided = decided_in_place("power", self, other)) return *decided;
  const Array array = array_from(self);
  const auto operand = other_operand(UfuncId::power, array.device(), other);
  if (!operand) return not_implemented();
  const TemporaryOperand temporary(other, kOfOperator);
  UfuncOptions options;
  options.out.push_back(array);
  return written_or_new(
      self, array, [&] { raise_into(array, *operand, options); },
      [&] { return raised(array, *operand); });
}

const Array& matrix_operand(const Operand& operand, int position) {
  if (operand.is_array()) return operand.array();
  throw ValueError("matmul: Input operand " + std::to_string(position) +
                   " does not have enough dimensions (has 0, gufunc core with signature "
                   "(n?,k),(k,m?)->(n?,m?) requires 1)");
}

template <bool kReflected>
nb::object matrix_product(const NdArray& self, nb::handle other) {
  if (auto decided = decided_by_other("matmul", self, other, kReflected)) return *decided;
  const auto operand = operator_operand_from(other, self.array().device());
  if (!operand) return not_implemented();
  const Array own = self.array();
  const Array& factor = matrix_operand(*operand, kReflected ? 0 : 1);
  Array result = kReflected ? product_of_few(factor, own) : product_of_few(own, factor);
  if (!result.has_value()) {
    Unlocked unlocked;
    result = kReflected ? matmul(factor, own) : matmul(own, factor);
  }
  return wrap(std::move(result));
}

nb::object in_place_matrix_product(nb::object self, nb::handle other) {
  if (auto decided = decided_in_place("matmul", self, other)) return *decided;
  const Array array = array_from(self);
  const auto operand = operator_operand_from(other, array.device());
  if (!operand) return not_implemented();
  const Array& factor = matrix_operand(*operand, 1);
  if (array.rank() > 0 && factor.rank() == 1) {
    throw ValueError(
        "inplace matrix multiplication requires the first operand to have at least one and the "
        "second at least two dimensions.");
  }
  {
    Unlocked unlocked;
    matmul(array, factor, array);
  }
  return self;
}

#ifndef Py_LIMITED_API

// Of two arrays, or an array and a number; nothing for all else.
template <UfuncId kId>
nb::object of_plain_operands(nb::handle left, nb::handle right) {
  const NdArray* const a = find_plain_array(left);
  const NdArray* const b = find_plain_array(right);
  if (a && (b || is_python_number(right))) return binary<kId, false>(*a, right);
  return b && is_python_number(left) ? binary<kId, true>(*b, left) : nb::object();
}

template <UfuncId kId>
struct ArithmeticSlots {
  // Python's own function for methods works only where it is the slot, so they are called here.
  static inline PyObject *forward_name, *reflected_name;
  static inline binaryfunc assigning_method;

  static PyObject* forward(PyObject* left, PyObject* right) noexcept {
    const auto call_method = [&] {
      return find_plain_array(left) ? PyObject_CallMethodOneArg(left, forward_name, right)
                                    : PyObject_CallMethodOneArg(right, reflected_name, left);
    };
    return short_or([&] { return of_plain_operands<kId>(left, right); }, call_method);
  }
  static PyObject* assigning(PyObject* self, PyObject* other) noexcept {
    const auto update = [&] {
      const NdArray* const a = find_plain_array(self);
      const NdArray* const b = find_plain_array(other);
      if (!a || !(b || is_python_number(other))) return nb::object();
      if (a->is_uncounted() || (b && b->is_uncounted())) return nb::object();
      const std::optional<Operand> operand =
          b ? Operand(b->array()) : other_operand(kId, a->device(), other);
      const bool is_done = operand && update_uniform(kId, a->array(), *operand);
      return is_done ? nb::borrow(self) : nb::object();
    };
    return short_or(update, [&] { return assigning_method(self, other); });
  }
  static void take(binaryfunc& forward_slot, binaryfunc& assigning_slot, const char* name) {
    const std::string stem(name);
    forward_name = PyUnicode_InternFromString(("__" + stem + "__").c_str());
    reflected_name = PyUnicode_InternFromString(("__r" + stem + "__").c_str());
    forward_slot = forward;
    take_slot(assigning_slot, binaryfunc(assigning), assigning_method);
  }
};

richcmpfunc comparing_method = nullptr;

PyObject* compare(PyObject* left, PyObject* right, int operation) noexcept {
  const auto compare_plain = [&] {
    switch (operation) {
      case Py_LT:
        return of_plain_operands<UfuncId::less>(left, right);
      case Py_LE:
        return of_plain_operands<UfuncId::less_equal>(left, right);
      case Py_EQ:
        return of_plain_operands<UfuncId::equal>(left, right);
      case Py_NE:
        return of_plain_operands<UfuncId::not_equal>(left, right);
      case Py_GT:
        return of_plain_operands<UfuncId::greater>(left, right);
      case Py_GE:
        return of_plain_operands<UfuncId::greater_equal>(left, right);
      default:
        return nb::object();
    }
  };
  return short_or(compare_plain, [&] { return comparing_method(left, right, operation); });
}

template <UfuncId kId>
struct UnarySlot {
  static inline unaryfunc method;

  static PyObject* call_plain_array(PyObject* self) noexcept {
    const auto call_it = [&] {
      const NdArray* const array = find_plain_array(self);
      return array ? unary<kId>(*array) : nb::object();
    };
    return short_or(call_it, [&] { return method(self); });
  }
  static void take(unaryfunc& slot) { take_slot(slot, unaryfunc(call_plain_array), method); }
};

// `operator.concat` asks for it, and Python where `+` has found no method that takes both.
PyObject* refuse_to_join(PyObject* left, PyObject* right) noexcept {
  PyErr_Format(PyExc_TypeError,
               "unsupported operand type(s) for +: '%.100s' and '%.100s' (cupola.concatenate joins "
               "arrays)",
               Py_TYPE(left)->tp_name, Py_TYPE(right)->tp_name);
  return nullptr;
}

void take_slots(PyTypeObject& type) {
  type.tp_as_sequence->sq_concat = refuse_to_join;
  PyNumberMethods& number = *type.tp_as_number;
  ArithmeticSlots<UfuncId::add>::take(number.nb_add, number.nb_inplace_add, "add");
  ArithmeticSlots<UfuncId::subtract>::take(number.nb_subtract, number.nb_inplace_subtract, "sub");
  ArithmeticSlots<UfuncId::multiply>::take(number.nb_multiply, number.nb_inplace_multiply, "mul");
  ArithmeticSlots<UfuncId::divide>::take(number.nb_true_divide, number.nb_inplace_true_divide,
                                         "truediv");
  ArithmeticSlots<UfuncId::floor_divide>::take(number.nb_floor_divide,
                                               number.nb_inplace_floor_divide, "floordiv");
  ArithmeticSlots<UfuncId::remainder>::take(number.nb_remainder, number.nb_inplace_remainder,
                                            "mod");
  ArithmeticSlots<UfuncId::left_shift>::take(number.nb_lshift, number.nb_inplace_lshift, "lshift");
  ArithmeticSlots<UfuncId::right_shift>::take(number.nb_rshift, number.nb_inplace_rshift, "rshift");
  ArithmeticSlots<UfuncId::bitwise_and>::take(number.nb_and, number.nb_inplace_and, "and");
  ArithmeticSlots<UfuncId::bitwise_or>::take(number.nb_or, number.nb_inplace_or, "or");
  ArithmeticSlots<UfuncId::bitwise_xor>::take(number.nb_xor, number.nb_inplace_xor, "xor");
  UnarySlot<UfuncId::negative>::take(number.nb_negative);
  UnarySlot<UfuncId::absolute>::take(number.nb_absolute);
  UnarySlot<UfuncId::invert>::take(number.nb_invert);
  take_slot(type.tp_richcompare, richcmpfunc(compare), comparing_method);
}

#endif

template <UfuncId kId>
void bind_arithmetic(ArrayClass& cls, const char* forward, const char* reflected,
                     const char* assigning) {
  cls.def(forward, binary<kId, false>, nb::arg("other").none());
  cls.def(reflected, binary<kId, true>, nb::arg("other").none());
  cls.def(assigning, in_place<kId>, nb::arg("other").none());
}

template <UfuncId kId>
void bind_comparison(ArrayClass& cls, const char* name) {
  cls.def(name, binary<kId, false>, nb::arg("other").none());
}

}  // namespace

void bind_operators(ArrayClass& cls) {
  bind_arithmetic<UfuncId::add>(cls, "__add__", "__radd__", "__iadd__");
  bind_arithmetic<UfuncId::subtract>(cls, "__sub__", "__rsub__", "__isub__");
  bind_arithmetic<UfuncId::multiply>(cls, "__mul__", "__rmul__", "__imul__");
  bind_arithmetic<UfuncId::divide>(cls, "__truediv__", "__rtruediv__", "__itruediv__");
  bind_arithmetic<UfuncId::floor_divide>(cls, "__floordiv__", "__rfloordiv__", "__ifloordiv__");
  bind_arithmetic<UfuncId::remainder>(cls, "__mod__", "__rmod__", "__imod__");
  bind_arithmetic<UfuncId::left_shift>(cls, "__lshift__", "__rlshift__", "__ilshift__");
  bind_arithmetic<UfuncId::right_shift>(cls, "__rshift__", "__rrshift__", "__irshift__");
  bind_arithmetic<UfuncId::bitwise_and>(cls, "__and__", "__rand__", "__iand__");
  bind_arithmetic<UfuncId::bitwise_or>(cls, "__or__", "__ror__", "__ior__");
  bind_arithmetic<UfuncId::bitwise_xor>(cls, "__xor__", "__rxor__", "__ixor__");
  bind_comparison<UfuncId::less>(cls, "__lt__");
  bind_comparison<UfuncId::less_equal>(cls, "__le__");
  bind_comparison<UfuncId::equal>(cls, "__eq__");
  bind_comparison<UfuncId::not_equal>(cls, "__ne__");
  bind_comparison<UfuncId::greater>(cls, "__gt__");
  bind_comparison<UfuncId::greater_equal>(cls, "__ge__");
  cls.def("__neg__", unary<UfuncId::negative>);
  cls.def("__pos__", unary<UfuncId::positive>);
  cls.def("__abs__", unary<UfuncId::absolute>);
  cls.def("__invert__", unary<UfuncId::invert>);
  cls.def("__divmod__", quotient_and_remainder<false>, nb::arg("other").none());
  cls.def("__rdivmod__", quotient_and_remainder<true>, nb::arg("other").none());
  cls.def("__pow__", power, nb::arg("other").none(), nb::arg("modulus") = nb::none());
  cls.def("__rpow__", reflected_power, nb::arg("other").none(), nb::arg("modulus") = nb::none());
  cls.def("__ipow__", in_place_power, nb::arg("other").none());
  cls.def("__matmul__", matrix_product<false>, nb::arg("other").none());
  cls.def("__rmatmul__", matrix_product<true>, nb::arg("other").none());
  cls.def("__imatmul__", in_place_matrix_product, nb::arg("other").none());
  cls.attr("__hash__") = nb::none();
#ifndef Py_LIMITED_API
  take_slots(type_of(cls));
#endif
}

}  // namespace cupola::python
