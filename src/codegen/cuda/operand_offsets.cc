#include "codegen/cuda/operand_offsets.h"

#include <fmt/format.h>

#include "codegen/plan.h"

namespace cupola {
namespace {

// The variable of one dimension's position, and its step along the operands.
void add_steps(std::string& text, const std::vector<StridedOperand>& operands, int dimension,
               const std::string& target, std::string_view indent) {
  for (const StridedOperand& operand : operands) {
    text += fmt::format("{}  {}{} += at * p.stride_{}_{};\n", indent, target, operand.name,
                        operand.name, dimension);
    if (!is_turned_along(operand.turned, dimension)) continue;
    text += fmt::format("{0}  if (at >= p.turn_{2}_{3}) {1}{2} += p.jump_{2}_{3};\n", indent,
                        target, operand.name, dimension);
  }
}

}  // namespace

std::string cuda_offsets(const std::vector<StridedOperand>& operands, const std::string& flat,
                         int first, int last, const std::string& target, std::string_view indent) {
  if (operands.empty() || first >= last) return {};
  std::string text = fmt::format("{}{{\n{}  Flat rest = {};\n", indent, indent, flat);
  for (int d = last - 1; d > first; --d) {
    text += fmt::format(
        "{0}  {{\n{0}  const Flat next = quotient(rest, p.extent{1});\n"
        "{0}  const Index at = static_cast<Index>(rest - next * p.extent{1}.divisor);\n",
        indent, d);
    add_steps(text, operands, d, target, indent);
    text += fmt::format("{0}  rest = next;\n{0}  }}\n", indent);
  }
  text += fmt::format("{}  const Index at = static_cast<Index>(rest);\n", indent);
  add_steps(text, operands, first, target, indent);
  return text + fmt::format("{}}}\n", indent);
}

}  // namespace cupola
