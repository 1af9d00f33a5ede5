// choose and select: chains of selections in one kernel.

#include <fmt/format.h>

#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "ops/indexing/index_plan.h"
#include "ops/operands.h"
#include "ops/support.h"

namespace cupola {

namespace {

// The selector as int64 within 0 .. count-1, where it chooses anything. choose() counts nothing
// from the end.
Array chosen_number(const Array& selector, std::int64_t count, IndexMode mode, const Dims& shape) {
  if (mode != IndexMode::raise) return bounded_positions(selector, count, 0, mode);
  const Array number = make_cast(selector, DType::int64);
  if (element_count(shape) == 0) return number;
  const auto constant = [&](std::int64_t value) {
    return make_constant(value, DType::int64, selector.device());
  };
  const Array is_bad = make_ufunc(UfuncId::logical_or,
                                  {make_ufunc(UfuncId::less, {number, constant(0)}),
                                   make_ufunc(UfuncId::greater_equal, {number, constant(count)})});
  report_any(is_bad, [count] {
    throw ValueError(fmt::format("invalid entry in choice array: not within 0 and {}", count - 1));
  });
  return number;
}

}  // namespace

Array choose(const Array& selector, std::span<const Array> choices, IndexMode mode,
             const Array& out) {
  if (choices.empty()) throw ValueError("0-length sequence: choose needs at least one choice");
  check_cast(selector.dtype(), DType::int64, Casting::safe);
  std::vector<DType> types;
  std::vector<Dims> shapes{selector.shape()};
  for (const Array& choice : choices) {
    types.push_back(choice.dtype());
    shapes.push_back(choice.shape());
  }
  const DType dtype = result_type(types, {});
  const Dims shape = broadcast_shapes(shapes);
  check_output(out, selector.device());
  if (out.has_value() && out.shape() != shape) {
    throw ValueError("choose: the output has shape " + to_string(out.shape()) +
                     ", the result has shape " + to_string(shape));
  }
  const Array number = chosen_number(selector, std::ssize(choices), mode, shape);
  Array result = make_cast(choices.back(), dtype);
  for (std::size_t i = choices.size() - 1; i-- > 0;) {
    const Array is_this = make_ufunc(
        UfuncId::equal,
        {number, make_constant(static_cast<std::int64_t>(i), DType::int64, selector.device())});
    result = make_select(is_this, make_cast(choices[i], dtype), result);
  }
  // One choice alone need not have the selector's shape.
  const Array everywhere = make_scalar(Scalar(true), shape, selector.device());
  result = make_select(everywhere, result, result);
  lay_out(result, c_strides(shape));
  return finish(result, out);
}

Array select(std::span<const Array> conditions, std::span<const Operand> choices,
             const Operand& otherwise) {
  if (conditions.size() != choices.size()) {
    throw ValueError("list of cases must be same length as list of conditions");
  }
  if (conditions.empty()) {
    throw ValueError("select with an empty condition list is not possible");
  }
  std::vector<Operand> operands(choices.begin(), choices.end());
  operands.push_back(otherwise);
  const DType dtype = result_dtype(operands);
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    if (conditions[i].dtype() != DType::bool_) {
      throw TypeError(fmt::format("invalid entry {} in condlist: should be boolean ndarray", i));
    }
    operands.push_back(conditions[i]);
  }
  const Device device = operand_device(operands, {});
  Array result = as_node(otherwise, dtype, device);
  for (std::size_t i = conditions.size(); i-- > 0;) {
    result = make_select(as_node(conditions[i], DType::bool_, device),
                         as_node(choices[i], dtype, device), result);
  }
  lay_out(result, c_strides(result.shape()));
  return evaluate(result);
}

}  // namespace cupola
