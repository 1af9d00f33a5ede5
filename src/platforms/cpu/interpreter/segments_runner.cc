// PlanKind::segment_reduce. Inputs are re-based to the first element of each segment, whose
// elements then are one row.

#include <algorithm>
#include <cstring>

#include "core/layout.h"
#include "platforms/cpu/interpreter/strided.h"
#include "platforms/cpu/interpreter/tile_runner.h"
#include "platforms/cpu/reductions/reduction.h"

namespace cupola::cpu {
namespace {

class Segments {
 public:
  Segments(const TileProgram& program, const LaunchArguments& arguments)
      : program_(program), outer_(arguments) {
    row_.extents = {0};
    row_.outputs = arguments.outputs;
    row_.scalars = arguments.scalars;
    row_.inputs = arguments.inputs;
    const std::size_t count = arguments.inputs.size();
    first_ = static_cast<const std::int64_t*>(arguments.inputs[count - 2].pointer);
    last_ = static_cast<const std::int64_t*>(arguments.inputs[count - 1].pointer);
  }

  // Segment number `i` in row-major order of the output.
  void run(std::int64_t i) {
    const std::int64_t segments = outer_.extents.back();
    const std::int64_t s = i % segments;
    const std::int64_t first = first_[s];
    row_.extents[0] = last_[s] - first;
    Scratch scratch;
    if (row_.extents[0] <= 0) {
      store_results(program_, outer_, {i, 1}, identity_of(*program_.plan.combine()).data(),
                    scratch);
      return;
    }
    move_inputs(i - s, first);
    const std::int64_t tile = std::min(program_.tile_elements, row_.extents[0]);
    TileEvaluator evaluator(program_, row_, tile, scratch);
    void* result = program_.tree ? tree(evaluator, scratch) : fold(evaluator, scratch);
    store_results(program_, outer_, {i, 1}, result, scratch);
  }

 private:
  // `start` is the flat number of segment 0 in this row.
  void move_inputs(std::int64_t start, std::int64_t first) {
    for (std::size_t n = 0; n < row_.inputs.size(); ++n) {
      const OperandSpec& spec = program_.plan.inputs[n];
      if (spec.layout == OperandLayout::indexed) continue;
      const OperandArgument& operand = outer_.inputs[n];
      const std::int64_t stride = operand.strides.back();
      const std::int64_t offset =
          strided_offset(outer_.extents, operand.strides, start) + first * stride;
      row_.inputs[n].pointer = static_cast<char*>(operand.pointer) +
                               offset * static_cast<std::int64_t>(item_size(spec.dtype));
      row_.inputs[n].strides = {stride};
    }
  }

  template <typename Function>
  void for_tiles(TileEvaluator& evaluator, const Function& function) {
    const std::int64_t length = row_.extents[0];
    for (std::int64_t begin = 0; begin < length; begin += program_.tile_elements) {
      const std::int64_t count = std::min(program_.tile_elements, length - begin);
      evaluator.evaluate({begin, count, 0});
      function(static_cast<const char*>(evaluator.value(program_.value)), begin, count);
    }
  }

  void* tree(TileEvaluator& evaluator, Scratch& scratch) {
    const std::size_t size = item_size(program_.plan.combine()->accumulator);
    TreeStack stack(program_.reduce.combine, size, 1, kFullDepth, scratch);
    for_tiles(evaluator, [&](const char* values, std::int64_t, std::int64_t count) {
      for (std::int64_t leaf = 0; leaf < count; leaf += kLeaf) {
        program_.reduce.tree(values + static_cast<std::size_t>(leaf) * size,
                             std::min(kLeaf, count - leaf), stack.next());
        stack.push();
      }
    });
    return stack.fold();
  }

  void* fold(TileEvaluator& evaluator, Scratch& scratch) {
    const std::size_t size = item_size(program_.plan.combine()->accumulator);
    void* accumulator = scratch.take(16);
    for_tiles(evaluator, [&](const char* values, std::int64_t begin, std::int64_t count) {
      const std::int64_t skip = begin == 0 ? 1 : 0;
      if (skip == 1) std::memcpy(accumulator, values, size);
      if (count > skip) {
        program_.reduce.fold(values + static_cast<std::size_t>(skip) * size, count - skip,
                             accumulator);
      }
    });
    return accumulator;
  }

  const TileProgram& program_;
  const LaunchArguments& outer_;
  LaunchArguments row_;
  const std::int64_t* first_;
  const std::int64_t* last_;
};

}  // namespace

void run_segments(const TileProgram& program, const LaunchArguments& arguments, Stages& stages) {
  const std::int64_t total = element_count(arguments.extents);
  if (total == 0) return;
  stages.loop(total, 256, [&](std::int64_t first, std::int64_t last) {
    Segments segments(program, arguments);
    for (std::int64_t i = first; i < last; ++i) segments.run(i);
  });
}

}  // namespace cupola::cpu
