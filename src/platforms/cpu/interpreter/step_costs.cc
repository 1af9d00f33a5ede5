#include "platforms/cpu/interpreter/step_costs.h"

#include <algorithm>
#include <vector>

#include "codegen/user/user_function.h"

namespace cupola::cpu {
namespace {

constexpr double kOfByte = 0.05;  // that is written, or read
constexpr double kOfFunction = 4, kOfComplexFunction = 128, kOfLoops = 64, kOfOrdering = 16;

// Functions of one instruction or a few, of numbers of a vector at a time.
bool goes_with_memory(UfuncId ufunc) {
  if (is_cheap(ufunc)) return true;
  switch (ufunc) {
    case UfuncId::rint:
    case UfuncId::floor:
    case UfuncId::ceil:
    case UfuncId::trunc:
    case UfuncId::reciprocal:
    case UfuncId::heaviside:
    case UfuncId::left_shift:
    case UfuncId::right_shift:
    case UfuncId::bitwise_count:
    case UfuncId::logical_xor:
    case UfuncId::isinf:
    case UfuncId::signbit:
    case UfuncId::copysign:
    case UfuncId::spacing:
    case UfuncId::degrees:
    case UfuncId::radians:
    case UfuncId::rad2deg:
    case UfuncId::deg2rad:
      return true;
    default:
      return false;
  }
}

double cost_of_function(UfuncId ufunc, DType dtype) {
  switch (ufunc) {
    case UfuncId::modf:
    case UfuncId::frexp:
    case UfuncId::ldexp:
      return dtype == DType::float16 ? 16 : 1;
    case UfuncId::gcd:
    case UfuncId::lcm:
    case UfuncId::nextafter:
      return 16;
    case UfuncId::fmod:
    case UfuncId::float_power:
    case UfuncId::logaddexp:
    case UfuncId::logaddexp2:
      return 48;
    default:
      return kOfFunction;
  }
}

// By one number the quotients are products.
double cost_of_integer_function(UfuncId ufunc, bool is_by_scalar, double bytes) {
  switch (ufunc) {
    case UfuncId::floor_divide:
    case UfuncId::remainder:
    case UfuncId::divmod:
    case UfuncId::fmod:
      return bytes * (is_by_scalar ? kOfByte : kOfFunction / 8);
    default:
      return cost_of_function(ufunc, DType::int64);
  }
}

double cost_of_complex_function(UfuncId ufunc) {
  switch (ufunc) {
    case UfuncId::sin:
    case UfuncId::cos:
    case UfuncId::tan:
    case UfuncId::sinh:
    case UfuncId::cosh:
    case UfuncId::tanh:
      return 16;
    case UfuncId::exp:
    case UfuncId::exp2:
    case UfuncId::sqrt:
    case UfuncId::sign:
      return 64;
    default:
      return goes_with_memory(ufunc) ? 2 : kOfComplexFunction;
  }
}

double cost_of_ufunc(UfuncId ufunc, DType operand, bool is_by_scalar, double bytes) {
  if (is_complex(operand)) return cost_of_complex_function(ufunc);
  if (goes_with_memory(ufunc)) return bytes * kOfByte;
  if (is_integer(operand)) return cost_of_integer_function(ufunc, is_by_scalar, bytes);
  return cost_of_function(ufunc, operand);
}

// Uniform steps run once for each tile, or row.
std::vector<bool> steps_of_elements(const TileProgram& program) {
  std::vector<bool> counts(program.steps.size(), true);
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const TileStep& step = program.steps[i];
    const bool is_taken = step.is_call() && step.is_part;
    const bool is_known = program.in_order && step.kind == StepKind::rank;
    if (step.uniform || is_taken || is_known) counts[i] = false;
    if (!step.may_follow) continue;  // else once for each row, with what it adds
    counts[i] = false;
    for (int a = 0; a < 2; ++a) counts[static_cast<std::size_t>(step.args[a])] = false;
  }
  return counts;
}

double cost_of_step(const TileProgram& program, std::size_t i, bool moves_gathered) {
  const TileStep& step = program.steps[i];
  const Step& planned = program.plan.steps[i];
  const auto bytes = static_cast<double>(std::min<std::size_t>(step.item_size, 8));
  switch (step.kind) {
    case StepKind::user: {
      const UserFunction& function = *program.plan.calls[planned.index].function;
      return function.is_short ? 1 : function.may_loop ? kOfLoops : kOfFunction;
    }
    case StepKind::ufunc: {
      const auto first = static_cast<std::size_t>(planned.args[0]);
      return cost_of_ufunc(planned.ufunc, program.plan.steps[first].dtype, step.scalar_args != 0,
                           bytes);
    }
    case StepKind::combine:
      if (planned.index != 0) return kOfFunction;  // of the user
      return goes_with_memory(planned.ufunc) ? bytes * kOfByte : kOfFunction;
    case StepKind::gather:
      if (!moves_gathered) return 1;
      [[fallthrough]];
    case StepKind::load:
    case StepKind::cast:
    case StepKind::select:
      return bytes * kOfByte;
    default:
      return 1;
  }
}

}  // namespace

double cost_of_element(const TileProgram& program) {
  const StoreKind store = program.plan.outputs[0].store;
  const bool moves_gathered = program.copies_rows || goes_by_mask_tiles(store);
  const std::vector<bool> counts = steps_of_elements(program);
  double cost = orders_rows(store) ? kOfOrdering : 0;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    if (counts[i]) cost += cost_of_step(program, i, moves_gathered);
  }
  return cost;
}

}  // namespace cupola::cpu
