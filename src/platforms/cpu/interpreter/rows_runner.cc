// PlanKind::rows: each step over a few whole rows, which stay in the cache.

#include <algorithm>
#include <cstring>

#include "base/mutant.h"
#include "codegen/row_program.h"
#include "platforms/cpu/interpreter/direct_loops.h"
#include "platforms/cpu/interpreter/strided.h"
#include "platforms/cpu/interpreter/tile_runner.h"
#include "platforms/cpu/reductions/row_source.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

// Rows shorter than this are not worth a tile of their own.
constexpr std::int64_t kLongRow = 256;

struct RowSpace {
  RowSpace(const TileProgram& program, const LaunchArguments& arguments) {
    const auto kept_rank =
        static_cast<std::size_t>(program.plan.rank - program.plan.reduced_rank());
    kept_extents = Dims(std::span(arguments.extents.data(), kept_rank));
    for (const std::int64_t extent : kept_extents) rows *= extent;
    for (std::size_t d = kept_rank; d < arguments.extents.size(); ++d) {
      length *= arguments.extents[d];
    }
    if (rows == 0 || length == 0) return;
    const bool by_row =
        !program.all_contiguous && program.plan.reduced_rank() == 1 && length >= kLongRow;
    axis = by_row ? program.plan.rank - 1 : -1;
    const std::int64_t fair = std::max<std::int64_t>(1, rows / (4 * pool_size()));
    rows_of_tile = by_row ? 1 : std::clamp<std::int64_t>(program.tile_elements / length, 1, fair);
  }
  Dims kept_strides(const OperandArgument& operand) const {
    return Dims(std::span(operand.strides.data(), kept_extents.size()));
  }
  Dims kept_extents;
  std::int64_t rows = 1;
  std::int64_t length = 1;
  std::int64_t rows_of_tile = 1;
  int axis = -1;
};

class RowEvaluator {
 public:
  RowEvaluator(const TileProgram& program, const LaunchArguments& arguments, const RowSpace& space,
               Scratch& scratch)
      : program_(program),
        arguments_(arguments),
        space_(space),
        scratch_(scratch),
        elements_(program, arguments, space.rows_of_tile * space.length, scratch) {
    const std::size_t count = program.steps.size();
    values_ = reinterpret_cast<char**>(scratch.take((count + 1) * sizeof(char*)));
    for (std::size_t i = 0; i < count; ++i) {
      const TileStep& step = program.steps[i];
      values_[i] = step.level == StepLevel::row
                       ? scratch.take(static_cast<std::size_t>(space.rows_of_tile) * step.item_size)
                       : nullptr;
    }
  }

  void run(std::int64_t first, std::int64_t count) {
    first_ = first;
    count_ = count;
    elements_.begin({first * space_.length, count * space_.length, space_.axis});
    for (std::size_t i = 0; i < program_.steps.size(); ++i) compute(static_cast<int>(i));
    for (std::size_t o = 0; o < program_.plan.outputs.size(); ++o) store(o);
  }

 private:
  void compute(int i) {
    const TileStep& step = program_.steps[static_cast<std::size_t>(i)];
    if (step.level == StepLevel::element) return elements_.compute(i);
    if (step.level == StepLevel::uniform) return;
    if (step.kind == StepKind::load) {
      load(step, values_[i]);
    } else if (step.kind == StepKind::combine) {
      combine(i, values_[i]);
    } else if (step.is_call()) {
      if (!step.is_part) call(program_.calls[step.index]);
    } else {
      const void* inputs[3];
      for (std::size_t a = 0; a < 3; ++a) {
        inputs[a] = step.args[a] < 0 ? nullptr : value_of_rows(step.args[a]);
      }
      step.loop(inputs, values_[i], count_);
    }
    if (step.spread) spread(step, i);
  }

  void call(const TileCall& call) {
    elements_.call(
        call, count_, [this](int argument) { return value_of_rows(argument); },
        [this](int result) { return values_[result]; });
  }

  // One value for each row of the tile.
  const void* value_of_rows(int i) const {
    return values_[i] != nullptr ? values_[i] : elements_.value(i);
  }

  void load(const TileStep& step, void* result) const {
    const OperandArgument& operand = arguments_.inputs[step.index];
    gather_range(result, operand.pointer, space_.kept_extents, space_.kept_strides(operand), first_,
                 count_, step.item_size);
  }

  void spread(const TileStep& step, int i) {
    char* const place = elements_.slot(i);
    const auto bytes = static_cast<std::size_t>(space_.length) * step.item_size;
    for (std::int64_t r = 0; r < count_; ++r) {
      const auto from = static_cast<std::size_t>(CUPOLA_MUTANT(one_row_for_all) ? 0 : r);
      fill_row(place + static_cast<std::size_t>(r) * bytes, values_[i] + from * step.item_size,
               space_.length, step.item_size);
    }
    elements_.set_value(i, place);
  }

  void combine(int i, char* results) {
    const TileStep& step = program_.steps[static_cast<std::size_t>(i)];
    const Combination combination = row_combination(program_, i);
    const Scratch::Scope scope(scratch_);
    TreeStack stack(step.reduce->combine, step.item_size, 1, kChunkDepth, scratch_);
    const auto* values = static_cast<const char*>(elements_.value(step.args[0]));
    const auto size = static_cast<std::int64_t>(step.item_size);
    const AnyOrderFunction any_order = combination.any_order_loop();
    const bool one_leaf = space_.length <= kLeaf || combination.in_any_order();
    for (std::int64_t r = 0; r < count_; ++r) {
      const char* const row = values + r * space_.length * size;
      char* const result = results + r * size;
      if (any_order != nullptr && any_order(row, space_.length, result)) continue;
      if (one_leaf) {
        step.reduce->tree(row, space_.length, result);
        continue;
      }
      for (std::int64_t leaf = 0; leaf < space_.length; leaf += kLeaf) {
        step.reduce->tree(row + leaf * size, std::min(kLeaf, space_.length - leaf), stack.next());
        stack.push();
      }
      std::memcpy(result, stack.fold(), step.item_size);
    }
    if (step.starts_from_zero) add_zeros(step, results);
  }

  void add_zeros(const TileStep& step, char* sums) {
    const auto bytes = static_cast<std::size_t>(count_) * step.item_size;
    char* const zeros = scratch_.take(bytes);
    std::memset(zeros, 0, bytes);
    const void* inputs[2] = {zeros, sums};
    step.reduce->combine(inputs, sums, count_);
  }

  void store(std::size_t o) {
    const OutputSpec& spec = program_.plan.outputs[o];
    if (!spec.operand.per_row) return elements_.store(o, elements_.value(spec.value));
    const OperandArgument& output = arguments_.outputs[o];
    scatter_range(output.pointer, value_of_rows(spec.value), space_.kept_extents,
                  space_.kept_strides(output), first_, count_, item_size(spec.operand.dtype));
  }

  const TileProgram& program_;
  const LaunchArguments& arguments_;
  const RowSpace& space_;
  Scratch& scratch_;
  TileEvaluator elements_;
  char** values_;  // by step: one for each row of the tile; null: not of rows
  std::int64_t first_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace

void run_rows(const TileProgram& program, const LaunchArguments& arguments, Stages& stages) {
  const RowSpace space(program, arguments);
  if (space.rows == 0 || space.length == 0) return;
  if (program.separate && (arguments.is_outer.value_or(false) || space.length > kMaxOfRow)) {
    return run_separate_reductions(program, arguments, stages);
  }
  const std::int64_t tiles = (space.rows + space.rows_of_tile - 1) / space.rows_of_tile;
  const auto run = [&](std::int64_t first, std::int64_t last) {
    Scratch scratch;
    RowEvaluator evaluator(program, arguments, space, scratch);
    for (std::int64_t tile = first; tile < last; ++tile) {
      const std::int64_t row = tile * space.rows_of_tile;
      evaluator.run(row, std::min(space.rows_of_tile, space.rows - row));
    }
  };
  stages.loop(tiles,
              grain_for(space.rows_of_tile * space.length *
                        static_cast<std::int64_t>(program.steps.size())),
              run);
}

}  // namespace cupola::cpu
