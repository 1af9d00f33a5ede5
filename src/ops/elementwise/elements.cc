#include "ops/elementwise/elements.h"

#include <array>

#include "cupola/evaluation.h"
#include "exec/evaluation/deferral.h"
#include "exec/host/host_element.h"
#include "graph/node.h"
#include "ops/elementwise/uniform_operands.h"
#include "ops/operands.h"

namespace cupola {

namespace {

// The operand as the loop reads it. Nothing: its value is not known, or a kernel has to convert it.
std::optional<Scalar> loop_element(UfuncId ufunc, const Operand& operand, DType dtype) {
  if (!operand.is_array()) return loop_value(ufunc, operand.scalar(), dtype);
  const Array& array = operand.array();
  if (!can_cast(array.dtype(), dtype)) return std::nullopt;
  const std::optional<Scalar> element = known_element(array);
  if (!element || array.dtype() == dtype) return element;
  return element->cast(dtype);
}

// Numbers alone are left to kernels, which have a device of the program's choice.
bool has_only_elements(std::span<const Operand> operands) {
  bool has_array = false;
  for (const Operand& operand : operands) {
    if (!operand.is_array()) continue;
    if (operand.array().rank() != 0) return false;
    has_array = true;
  }
  return has_array;
}

// That NumPy takes instead of the power.
bool is_square_root(UfuncId ufunc, const Scalar& exponent) {
  return ufunc == UfuncId::power && exponent.to_complex() == 0.5;
}

std::optional<Scalar> result_of(UfuncId ufunc, const UfuncLoop& loop,
                                std::span<const Scalar> inputs, const Device& device) {
  if (inputs.size() > 1 && is_square_root(ufunc, inputs[1])) return std::nullopt;
  return compute_host_element(device, ufunc, loop, inputs);
}

std::optional<Array> as_array(const std::optional<Scalar>& number, const Device& device) {
  return number ? std::optional(make_number(*number, device)) : std::nullopt;
}

std::optional<Scalar> result_of(UfuncId ufunc, const UfuncLoop& loop, const Array& a,
                                const Scalar& number, bool is_first) {
  const std::optional<Scalar> own = known_element(a);
  if (!own) return std::nullopt;
  const Scalar other = number.cast(a.dtype());
  const std::array inputs = is_first ? std::array{other, *own} : std::array{*own, other};
  return result_of(ufunc, loop, inputs, a.device());
}

}  // namespace

std::optional<Array> compute_elements(UfuncId ufunc, const UfuncLoop& loop,
                                      std::span<const Operand> operands, const Device& device) {
  std::array<Scalar, 3> inputs;
  if (loop.output_count != 1 || is_eager() || !has_only_elements(operands)) return std::nullopt;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto input = loop_element(ufunc, operands[i], loop.input(static_cast<int>(i)));
    if (!input) return std::nullopt;
    inputs[i] = *input;
  }
  return as_array(result_of(ufunc, loop, std::span(inputs).first(operands.size()), device), device);
}

std::optional<Array> compute_element(UfuncId ufunc, const UfuncLoop& loop, const Array& a) {
  const std::optional<Scalar> own = is_eager() ? std::nullopt : known_element(a);
  return own ? as_array(result_of(ufunc, loop, {&*own, 1}, a.device()), a.device()) : std::nullopt;
}

std::optional<Array> compute_element(UfuncId ufunc, const UfuncLoop& loop, const Array& a,
                                     const Array& b) {
  if (is_eager()) return std::nullopt;
  const std::optional<Scalar> other = known_element(b);
  return other ? as_array(result_of(ufunc, loop, a, *other, false), a.device()) : std::nullopt;
}

std::optional<Array> compute_element(UfuncId ufunc, const UfuncLoop& loop, const Array& a,
                                     const Scalar& number, bool is_first) {
  if (is_eager()) return std::nullopt;
  return as_array(result_of(ufunc, loop, a, number, is_first), a.device());
}

bool update_element(UfuncId ufunc, const Array& a, const Operand& b) {
  if (a.rank() != 0 || !a.writable() || is_eager()) return false;
  const UfuncLoop* const loop =
      b.is_array() ? loop_for_uniform(ufunc, a, b.array()) : loop_for_number(ufunc, a, b.scalar());
  if (!loop || loop->output(0) != a.dtype()) return false;
  const std::optional<Scalar> other = b.is_array() ? known_element(b.array()) : b.scalar();
  if (!other) return false;
  const Scalar second = other->cast(a.dtype());
  return !is_square_root(ufunc, second) && update_known_element(a, ufunc, *loop, second);
}

bool store_element(const Array& result, const Array& out) {
  if (result.rank() != 0 || out.rank() != 0 || result.dtype() != out.dtype()) return false;
  if (is_stored(result)) return false;
  const std::optional<Scalar> value = known_element(result);
  return value && set_known_element(out, *value);
}

}  // namespace cupola
