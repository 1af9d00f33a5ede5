#include "platforms/cpu/interpreter/bands.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "core/layout.h"
#include "platforms/cpu/interpreter/strided.h"
#include "platforms/cpu/interpreter/tile_evaluator.h"
#include "platforms/cpu/interpreter/tile_runner.h"

namespace cupola::cpu {
namespace {

constexpr std::int64_t kLine = 64;               // bytes of a cache line
constexpr std::int64_t kRun = 256;               // bytes that are read of a column at a time
constexpr std::int64_t kBandBytes = 128 * 1024;  // of all operands of a band: a part of a core's L2
constexpr std::int64_t kShortSide = 8;
// Of a band of a copy: as much of a row in one go as leaves work for several threads.
constexpr std::int64_t kCopiedColumns = 4096;

bool is_walked(const KernelPlan& plan, std::size_t input) {
  return plan.inputs[input].layout == OperandLayout::strided && plan.inputs[input].turned == 0 &&
         std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
           return step.kind == StepKind::load && step.index == input;
         });
}

class Bands {
 public:
  Bands(const TileProgram& program, const LaunchArguments& arguments)
      : program_(program), arguments_(arguments), last_(arguments.extents.size() - 1) {
    find_dimension();
    if (any()) find_operands();
  }
  bool any() const { return across_ != last_; }

  void run(Stages& stages) {
    const std::int64_t row_parts = parts(arguments_.extents[across_], rows_);
    const std::int64_t column_parts = parts(arguments_.extents[last_], columns_);
    std::int64_t batches = 1;
    for (std::size_t d = 0; d < last_; ++d) {
      if (d != across_) batches *= arguments_.extents[d];
    }
    stages.loop(batches * row_parts * column_parts, 1, [&](std::int64_t first, std::int64_t last) {
      Scratch scratch;
      TileEvaluator evaluator(program_, arguments_, copies_ ? 1 : columns_, scratch);
      std::vector<char*> staged;
      for (const std::size_t input : operands_) {
        if (copies_) break;
        staged.push_back(scratch.take(static_cast<std::size_t>(rows_ * pitch(input))));
      }
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t row = i / column_parts % row_parts * rows_;
        run_band(evaluator, staged,
                 position_of(i / column_parts / row_parts, row, i % column_parts * columns_));
      }
    });
  }

 private:
  using Position = std::array<std::int64_t, kMaxRank>;

  static std::int64_t parts(std::int64_t count, std::int64_t part) {
    return (count + part - 1) / part;
  }
  std::int64_t item(std::size_t input) const {
    return static_cast<std::int64_t>(item_size(program_.plan.inputs[input].dtype));
  }
  // Bytes; not a power of two, so that rows do not meet in few sets of the cache.
  std::int64_t pitch(std::size_t input) const { return columns_ * item(input) + kLine; }

  bool runs_along(std::size_t input, std::size_t dimension) const {
    const Dims& strides = arguments_.inputs[input].strides;
    const std::int64_t along = std::abs(strides[dimension]), across = std::abs(strides[last_]);
    return along > 0 && along * item(input) < kLine && along * 4 <= across &&
           across * item(input) >= kLine;
  }

  void find_dimension() {
    if (arguments_.extents[last_] < kShortSide) return;
    std::int64_t most = 0;
    for (std::size_t d = 0; d < last_; ++d) {
      std::int64_t bytes = 0;
      for (std::size_t i = 0; i < program_.plan.inputs.size(); ++i) {
        if (is_walked(program_.plan, i) && runs_along(i, d)) bytes += item(i);
      }
      if (bytes <= most || arguments_.extents[d] < kShortSide) continue;
      most = bytes;
      across_ = d;
    }
  }

  void find_operands() {
    std::int64_t smallest = 16, bytes = 0;
    for (std::size_t i = 0; i < program_.plan.inputs.size(); ++i) {
      if (!is_walked(program_.plan, i) || !runs_along(i, across_)) continue;
      operands_.push_back(i);
      smallest = std::min(smallest, item(i));
      bytes += item(i);
    }
    // Nothing is computed: the results' rows are the target.
    copies_ = program_.steps.size() == 1 && program_.plan.outputs.size() == 1 &&
              arguments_.outputs[0].strides[last_] == 1;
    rows_ = std::min(kRun / smallest, arguments_.extents[across_]);
    columns_ = std::clamp<std::int64_t>(kBandBytes / (rows_ * bytes), 64, program_.tile_elements);
    if (copies_) columns_ = kCopiedColumns;
    columns_ = std::min(columns_, arguments_.extents[last_]);
  }

  Position position_of(std::int64_t batch, std::int64_t row, std::int64_t column) const {
    Position position{};
    for (std::size_t d = last_; d-- > 0;) {
      if (d == across_) continue;
      position[d] = batch % arguments_.extents[d];
      batch /= arguments_.extents[d];
    }
    position[across_] = row;
    position[last_] = column;
    return position;
  }

  char* place(const OperandArgument& operand, const Position& position, std::int64_t size) const {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d <= last_; ++d) offset += position[d] * operand.strides[d];
    return static_cast<char*>(operand.pointer) + offset * size;
  }

  void run_band(TileEvaluator& evaluator, const std::vector<char*>& staged,
                const Position& position) const {
    const std::int64_t rows = std::min(rows_, arguments_.extents[across_] - position[across_]);
    const std::int64_t columns = std::min(columns_, arguments_.extents[last_] - position[last_]);
    const auto transpose = [&](std::size_t input, char* target, std::int64_t target_pitch) {
      const OperandArgument& operand = arguments_.inputs[input];
      transpose_block(target, target_pitch, place(operand, position, item(input)),
                      operand.strides[across_], operand.strides[last_], rows, columns,
                      static_cast<std::size_t>(item(input)));
    };
    if (copies_) {
      const OperandArgument& output = arguments_.outputs[0];
      const std::int64_t size = item(operands_[0]);
      return transpose(operands_[0], place(output, position, size), output.strides[across_] * size);
    }
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      transpose(operands_[i], staged[i], pitch(operands_[i]));
    }
    std::int64_t number = 0, step = 1;
    for (std::size_t d = 0; d <= last_; ++d) {
      number = number * arguments_.extents[d] + position[d];
      if (d > across_) step *= arguments_.extents[d];
    }
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < operands_.size(); ++i) {
        evaluator.set_row(operands_[i], staged[i] + row * pitch(operands_[i]));
      }
      evaluator.evaluate({number + row * step, columns, static_cast<int>(last_)});
      for (std::size_t o = 0; o < program_.plan.outputs.size(); ++o) {
        evaluator.store(o, evaluator.value(program_.plan.outputs[o].value));
      }
    }
  }

  const TileProgram& program_;
  const LaunchArguments& arguments_;
  const std::size_t last_;
  std::size_t across_ = last_;         // the dimension along which the operands run; last_: none
  std::vector<std::size_t> operands_;  // inputs
  std::int64_t rows_ = 0;              // of a band, along across_
  std::int64_t columns_ = 0;
  bool copies_ = false;
};

}  // namespace

bool has_transposed_operands(const TileProgram& program, const LaunchArguments& arguments) {
  return arguments.extents.size() > 1 && Bands(program, arguments).any();
}

void run_bands(const TileProgram& program, const LaunchArguments& arguments, Stages& stages) {
  Bands(program, arguments).run(stages);
}

}  // namespace cupola::cpu
