#include "python/array/operator_operands.h"

#include <array>
#include <utility>

#include "ops/elementwise/elements.h"
#include "ops/elementwise/uniform_operands.h"
#include "python/functions/ufunc.h"

namespace cupola::python {

std::optional<Operand> other_operand(UfuncId id, const Device& device, nb::handle other,
                                     std::optional<DType> beside) {
  if (const auto unfit = unfit_integer_from(other, id, beside)) return *unfit;
  return operator_operand_from(other, device);
}

std::optional<Uncounted> of_one_uncounted(UfuncId id, const NdArray& self) {
  const auto selection = self.uncounted();
  if (!selection) return std::nullopt;
  const UncountedOperand operand = *selection;
  Unlocked unlocked;
  return Uncounted::apply(id, {&operand, 1});
}

std::optional<Uncounted> of_uncounted(UfuncId id, const NdArray& self, nb::handle other,
                                      bool reflected) {
  const NdArray* const found = find_array(other);
  if (!found && !is_python_number(other) && !is_numpy_scalar(other)) return std::nullopt;
  const auto operand_of = [](const NdArray& array) {
    const auto selection = array.uncounted();
    return selection ? UncountedOperand(*selection) : Operand(array.array());
  };
  const auto number = found ? std::nullopt : other_operand(id, self.device(), other, self.dtype());
  if (!found && !number) return std::nullopt;
  std::array<UncountedOperand, 2> operands{operand_of(self),
                                           found ? operand_of(*found) : UncountedOperand(*number)};
  if (reflected) std::swap(operands[0], operands[1]);
  Unlocked unlocked;
  return Uncounted::apply(id, operands);
}

std::optional<Array> of_element(UfuncId id, const Array& element, nb::handle other,
                                bool reflected) {
  int overflow = 0;
  if (PyLong_CheckExact(other.ptr())) PyLong_AsLongLongAndOverflow(other.ptr(), &overflow);
  const bool is_plain = PyFloat_CheckExact(other.ptr()) || PyLong_CheckExact(other.ptr());
  if (!is_plain || overflow) return std::nullopt;
  const std::optional<Scalar> number = weak_scalar_from(other);
  const UfuncLoop* const loop = number ? loop_for_number(id, element, *number) : nullptr;
  return loop ? compute_element(id, *loop, element, *number, reflected) : std::nullopt;
}

}  // namespace cupola::python
