#pragma once
// Parts of the Body of kernels that combine along rows.

#include <string>
#include <string_view>
#include <vector>

#include "codegen/cuda/operand_offsets.h"
#include "codegen/plan.h"

namespace cupola {

// Row and row(), which knows where each operand's part of a row begins, with further members that
// the statements set.
std::string row_struct_text(const KernelPlan& plan, const std::vector<StridedOperand>& operands,
                            std::string_view members, std::string_view statements);

// The step whose value is combined.
const Step& combined_step(const KernelPlan& plan);
bool output_is_strided(const KernelPlan& plan);

// What elements become, to be combined.
struct RowState {
  std::string members;  // State, kUnroll, combine() and append()
  std::string made;     // the expression of an element's
};
// Values of the accumulator's type.
RowState combining_state(const KernelPlan& plan);

// Row, row(), load(), the state's members, state(), at() and quad(). `walks_output`: each row knows
// where its part of a strided output begins.
std::string row_text(const KernelPlan& plan, const RowState& state, bool walks_output = false);
// finish(): stores `value` of a row's `state`, cast to the output's type, in the place of `number`
// in so many dimensions, after some statements.
std::string finish_text(const KernelPlan& plan, int dimensions, std::string_view steps,
                        std::string_view value);

}  // namespace cupola
