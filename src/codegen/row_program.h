#pragma once
// The steps of a plan of kind `rows`, sorted by when they can be computed.

#include <cstdint>
#include <vector>

#include "codegen/plan.h"
#include "graph/fusion.h"

namespace cupola {

// How often a step's value has to be computed: once, once for each row, for each element.
enum class StepLevel : std::uint8_t { uniform, row, element };

// One walk over the elements of a row. Lists of steps are ascending.
struct RowStage {
  std::vector<int> combined;  // steps whose values are known after it; empty: the last stage
  std::vector<int> wanted;    // values of elements that it combines, or stores
  // If the values of elements stay where they are from one stage to the next: those that are
  // computed in this stage, with what is uniform, and those that are there already.
  std::vector<int> steps;
  std::vector<int> held;
  // If they do not stay.
  std::vector<int> all_steps;
};

// Stage k combines what is known after k combinations one upon the other; the last stage stores.
struct RowProgram {
  std::vector<StepLevel> levels;  // by step
  std::vector<int> depths;        // by step: the combinations below it, one upon the other
  std::vector<RowStage> stages;
  int held_bytes = 0;  // of an element's values that stay from one stage to the next, at most

  bool is_held(int step) const;
  // One walk, and nothing is stored but values of rows: several reductions of the same elements.
  // Such plans have rows of any length, combined as `reduce` does.
  bool is_reduction = false;
};

RowProgram row_program(const KernelPlan& plan);

}  // namespace cupola
