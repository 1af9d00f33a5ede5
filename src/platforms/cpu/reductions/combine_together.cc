// Several reductions of the same elements where rows lie side by side: rows of kept elements are
// computed once, and combined by each of them in the order of run_reduce().

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "platforms/cpu/interpreter/tile_runner.h"
#include "platforms/cpu/reductions/deviations.h"
#include "platforms/cpu/reductions/row_source.h"

namespace cupola::cpu {
namespace {

class TogetherInTile {
 public:
  TogetherInTile(const TileProgram& program, const LaunchArguments& arguments,
                 const ReductionShape& shape, std::span<const int> combined, KeptTile kept,
                 Scratch& scratch)
      : shape_(shape), kept_(kept), evaluator_(program, arguments, kept.count, scratch) {
    for (const int i : combined) {
      const TileStep& step = program.steps[static_cast<std::size_t>(i)];
      const LoopFunction loop = step.reduce->combine;
      const Combination combination = row_combination(program, i);
      parts_.push_back({.combination = combination,
                        .rows = {program, arguments, shape, combination, evaluator_, kept, scratch},
                        .bytes = static_cast<std::size_t>(kept.count) * step.item_size,
                        .lanes = {loop, step.item_size, kept.count, kChunkDepth, scratch},
                        .leaves = {loop, step.item_size, kept.count, kChunkDepth, scratch}});
    }
    lie_there_ = std::none_of(parts_.begin(), parts_.end(),
                              [](const Part& part) { return part.rows.is_computed(); });
    in_any_order_ = std::all_of(parts_.begin(), parts_.end(),
                                [](const Part& part) { return part.combination.in_any_order(); });
    if (parts_.size() == 2) {
      deviations_ =
          Deviations(program, arguments, shape, parts_[0].combination, parts_[1].combination, kept);
    }
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
      const TileStep& step = program.steps[i];
      if (step.depth > 0 || step.uniform) continue;
      (step.level == StepLevel::row ? steps_of_rows_ : steps_).push_back(static_cast<int>(i));
    }
  }

  // Elements [begin, end) of the rows; the results are under result().
  void combine(std::int64_t begin, std::int64_t end) {
    if (lie_there_ && in_any_order_) return add_as_they_lie(begin, end);
    if (!lie_there_) {
      start_at(begin);
      for (const int step : steps_of_rows_) evaluator_.compute(step);
    }
    for (std::int64_t first = begin; first < end; first += kLeaf) {
      add_leaf(first, std::min(kLeaf, end - first));
    }
  }
  std::size_t count() const { return parts_.size(); }
  std::size_t bytes(std::size_t part) const { return parts_[part].bytes; }
  const void* result(std::size_t part) { return parts_[part].leaves.fold(); }

 private:
  struct Part {
    Combination combination;
    RowSource rows;
    std::size_t bytes;
    TreeStack lanes, leaves;
  };

  void start_at(std::int64_t r) {
    evaluator_.begin({kept_.first * shape_.reduced + r, kept_.count, shape_.kept_rank - 1});
  }

  // A few rows at a time, so that they come from memory once.
  void add_as_they_lie(std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t kRows = 8;
    for (std::int64_t first = begin; first < end; first += kRows) {
      const std::int64_t count = std::min(kRows, end - first);
      for (Part& part : parts_) {
        void* const result = part.leaves.next();
        if (first == begin) {
          part.rows.combine(first, 1, count, result);
        } else {
          part.rows.add(first, 1, count, result);
        }
      }
    }
    for (Part& part : parts_) part.leaves.push();
  }

  // Elements first, first + step, ... in order, into the next entry of the stacks.
  void add_in_order(std::int64_t first, std::int64_t step, std::int64_t count,
                    TreeStack Part::*stack) {
    if (deviations_.any()) {
      deviations_.combine(first, step, count, evaluator_, kept_.count, (parts_[0].*stack).next(),
                          (parts_[1].*stack).next());
    } else {
      add_each_in_order(first, step, count, stack);
    }
    for (Part& part : parts_) (part.*stack).push();
  }

  void add_each_in_order(std::int64_t first, std::int64_t step, std::int64_t count,
                         TreeStack Part::*stack) {
    for (Part& part : parts_) {
      if (lie_there_) part.rows.combine(first, step, count, (part.*stack).next());
    }
    for (std::int64_t i = 0; i < count && !lie_there_; ++i) {
      start_at(first + i * step);
      for (const int number : steps_) evaluator_.compute(number);
      for (Part& part : parts_) {
        void* const sum = (part.*stack).next();
        const void* inputs[2] = {sum, evaluator_.value(part.combination.value)};
        if (i == 0) {
          std::memcpy(sum, inputs[1], part.bytes);
        } else {
          part.combination.loops->combine(inputs, sum, kept_.count);
        }
      }
    }
  }

  void add_leaf(std::int64_t first, std::int64_t count) {
    if (count < kLanes) return add_in_order(first, 1, count, &Part::leaves);
    for (std::int64_t i = 0; i < kLanes; ++i) {
      const std::int64_t lane = bit_reversed_lane(i);
      add_in_order(first + lane, kLanes, (count - lane + kLanes - 1) / kLanes, &Part::lanes);
    }
    for (Part& part : parts_) {
      std::memcpy(part.leaves.next(), part.lanes.fold(), part.bytes);
      part.leaves.push();
    }
  }

  const ReductionShape& shape_;
  const KeptTile kept_;
  TileEvaluator evaluator_;
  std::vector<Part> parts_;
  Deviations deviations_;
  std::vector<int> steps_, steps_of_rows_;
  bool lie_there_ = false;     // rows of all parts, or what they are cast of
  bool in_any_order_ = false;  // all parts
};

// Sums of floating-point numbers start from 0.
void finish(const TileStep& step, char* values, std::int64_t count) {
  if (!step.starts_from_zero) return;
  const std::vector<char> zeros(static_cast<std::size_t>(count) * step.item_size);
  const void* inputs[2] = {zeros.data(), values};
  step.reduce->combine(inputs, values, count);
}

}  // namespace

bool combine_together(const TileProgram& program, const LaunchArguments& arguments,
                      std::span<const int> combined, std::span<char* const> results,
                      Stages& stages) {
  const ReductionShape shape(program, arguments);
  // Long rows have parts of their own, which are joined later.
  if (!shape.across || shape.chunks() > 1) return false;
  const KeptTiles tiles(shape);
  const auto run = [&](std::int64_t first, std::int64_t last) {
    Scratch scratch;
    for (std::int64_t i = first; i < last; ++i) {
      const Scratch::Scope scope(scratch);
      const KeptTile kept = tiles[i];
      TogetherInTile tile(program, arguments, shape, combined, kept, scratch);
      tile.combine(0, shape.reduced);
      for (std::size_t part = 0; part < tile.count(); ++part) {
        const TileStep& step = program.steps[static_cast<std::size_t>(combined[part])];
        char* const place = results[part] + static_cast<std::size_t>(kept.first) * step.item_size;
        std::memcpy(place, tile.result(part), tile.bytes(part));
        finish(step, place, kept.count);
      }
    }
  };
  stages.loop(
      tiles.count,
      grain_for(shape.reduced * tiles.width * static_cast<std::int64_t>(program.steps.size())),
      run);
  return true;
}

}  // namespace cupola::cpu
