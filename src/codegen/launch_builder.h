#pragma once
// A plan and the arguments of its launch, from lowered steps and operands.

#include <cstddef>
#include <optional>
#include <vector>

#include "codegen/iteration.h"
#include "codegen/lower.h"
#include "codegen/planner.h"

namespace cupola {

// Extents or strides in the order of `order`.
Dims permuted(const Dims& dims, const Dims& order);
// All axes, those of `axes` last.
Dims axes_last(int rank, const Dims& axes);
// Whether each element of the iteration space has a place of its own in the output.
bool is_in_place(StoreKind store);

// Builds operands in step with their iteration strides.
class LaunchBuilder {
 public:
  LaunchBuilder(Dims extents, const Snapshot& snapshot) : snapshot_(snapshot), lowering_(snapshot) {
    iteration_.extents = std::move(extents);
  }

  const Snapshot& snapshot() const { return snapshot_; }
  Iteration& iteration() { return iteration_; }
  Lowering& lowering() { return lowering_; }
  KernelPlan& plan() { return launch_.plan; }
  LaunchArguments& arguments() { return launch_.arguments; }

  // Arrays that decide the order of dimensions, before the inputs, and are no operands.
  void add_layouts(const std::vector<Array>& arrays, const Dims& space, const Dims& order);
  // After lowering: gives every input its strides over `space`, taken in the order `order`.
  void add_inputs(const Dims& space, const Dims& order);
  void add_indexed_input(const Array& read);
  void add_output(const Array& target, const Dims& strides, OutputSpec spec);
  // `leading`: the operand whose strides decide the order of dimensions.
  PlannedLaunch finish(std::size_t leading);

  std::size_t first_output() const { return first_output_.value(); }
  std::size_t operand_count() const { return operands_.size(); }

 private:
  struct PendingOperand {
    Array array;
    bool indexed;
  };

  void add_operand(const Array& array, const Dims& strides, bool indexed);
  void turn_operand(const Dims& space, const Dims& order, const Dims& shifts);
  bool is_per_row(const OperandArgument& argument) const;
  void place_turns(const Dims& turns, std::size_t input, OperandSpec& spec);
  void place_operand(std::size_t i, bool is_output, bool is_reduced_output);

  const Snapshot& snapshot_;
  Iteration iteration_;
  std::size_t layout_count_ = 0;  // of add_layouts(), in front
  Lowering lowering_;
  PlannedLaunch launch_;
  std::vector<PendingOperand> operands_;
  std::optional<std::size_t> first_output_;
};

}  // namespace cupola
