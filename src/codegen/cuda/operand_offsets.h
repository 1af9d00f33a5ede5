#pragma once
// Where operands with strides have an element, in generated text.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cupola {

struct StridedOperand {
  std::string name;          // "in1", "out0"
  std::uint32_t turned = 0;  // OperandSpec::turned
};
// Statements that add to the variable `offset_<operand>` of each of the operands the place of
// element `flat` in dimensions [first, last) of the iteration space.
std::string cuda_offsets(const std::vector<StridedOperand>& operands, const std::string& flat,
                         int first, int last, const std::string& target, std::string_view indent);

}  // namespace cupola
