#pragma once
// From nodes to the steps of a kernel.

#include <unordered_map>
#include <vector>

#include "base/containers/hash_index.h"
#include "codegen/plan.h"
#include "graph/snapshot.h"

namespace cupola {

// Lowers elementwise and rolled nodes over one iteration space, and reductions of its rows for
// plans of kind `rows`. Every pending node below must be one of these (see find_region,
// find_row_group). Equal nodes and equal loads become one step; so do those that differ only in
// which of two equal scalars they take, whose plan depends on these being equal.
class Lowering {
 public:
  explicit Lowering(const Snapshot& snapshot) : snapshot_(snapshot) {}

  struct Input {
    Array array;
    bool indexed;
    Dims shifts{};  // rolled: by so many elements along each of its dimensions
  };

  // The number of the step that computes `array`, broadcast to the iteration space. Throws
  // StaleSnapshot where something else is below it.
  std::int16_t lower(const Array& array);
  // The same, converted.
  std::int16_t lower_as(const Array& array, DType dtype);
  // Of a stored array of one dimension, the element whose number is the rank, converted.
  std::int16_t lower_ranked(const Array& values, DType dtype);
  // Takes an array, pending or not, for the first input.
  void bind(const Array& array);
  // The number of the call, which no step has to be made for.
  std::uint16_t add_call(UserStep call);

  std::vector<Step> steps;
  std::vector<Input> inputs;
  std::vector<Scalar> scalars;
  std::vector<UserStep> calls;

 private:
  std::int16_t add(const Step& step);
  Step with_first_values(Step step) const;
  std::int16_t lower_roll(const Array& array, const Node& node);
  std::int16_t lower_user(const Array& array, const Node& node);
  std::int16_t lower_node(const Array& array, const Node& node);
  std::uint16_t input_number(const Array& read, bool indexed, const Dims& shifts = {});

  const Snapshot& snapshot_;
  std::unordered_map<const ArrayState*, std::int16_t> done_;
  // Of each step: itself, or the first scalar of its value.
  std::vector<std::int16_t> first_values_;
  HashIndex known_steps_, known_scalars_;
};

}  // namespace cupola
