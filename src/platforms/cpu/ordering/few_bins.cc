// Partitions with few bins: the elements of each bin are picked out of a tile together. Rows that
// are short beside a tile are computed once.

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "codegen/steps_below.h"
#include "platforms/cpu/interpreter/tile_evaluator.h"
#include "platforms/cpu/interpreter/tile_runner.h"
#include "platforms/cpu/kernels/move_tables.h"
#include "platforms/cpu/ordering/order_rows.h"
#include "platforms/cpu/reductions/reduction.h"

namespace cupola::cpu {
namespace {

constexpr std::size_t kFewBins = 5;
constexpr std::int64_t kShortRow = 1024;
using FewCounts = std::array<std::int64_t, kFewBins>;  // counts, or where the next element goes

// One thread's work.
class FewBins {
 public:
  FewBins(const TileProgram& program, const LaunchArguments& arguments, std::int64_t capacity)
      : program_(program),
        arguments_(arguments),
        bin_(program.plan.outputs[0].offset),
        bin_count_(static_cast<std::size_t>(program.plan.outputs[0].bins)),
        length_(arguments.extents.back()),
        evaluator_(program, arguments, capacity, scratch_),
        mask_(reinterpret_cast<bool*>(scratch_.take(static_cast<std::size_t>(capacity)))) {}

  void begin(const Tile& tile) { evaluator_.begin(tile); }
  void evaluate(const Tile& tile) { evaluator_.evaluate(tile); }
  void compute_bins() {
    for (const int step : steps_) evaluator_.compute(step);
  }

  // Of elements `from` to `from + count - 1` of the tile.
  void count(std::int64_t from, std::int64_t count, FewCounts& counts) {
    std::int64_t left = count;
    for (std::size_t bin = 0; bin + 1 < bin_count_; ++bin) {
      const std::int64_t found = mark(bin, from, count);
      counts[bin] += found;
      left -= found;
    }
    counts[bin_count_ - 1] += left;
  }

  // `next`: where these elements of each bin begin in their row, of which `row` is the first
  // element. What others write meanwhile never leads out of the row.
  void store(std::int64_t from, std::int64_t count, std::int64_t row, FewCounts& next) {
    for (std::size_t bin = 0; bin < bin_count_; ++bin) {
      next[bin] += pick(bin, from, count, row, next[bin]);
    }
  }
  // Of a whole row: each bin begins where the one before ends.
  void store_row(std::int64_t from, std::int64_t row) {
    std::int64_t next = 0;
    for (std::size_t bin = 0; bin < bin_count_; ++bin) next += pick(bin, from, length_, row, next);
  }

 private:
  // Stores what is in the bin from `next` on; returns how many elements that are.
  std::int64_t pick(std::size_t bin, std::int64_t from, std::int64_t count, std::int64_t row,
                    std::int64_t next) {
    const std::int64_t wanted = std::min(mark(bin, from, count), length_ - next);
    for (std::size_t o = 0; wanted > 0 && o < arguments_.outputs.size(); ++o) {
      const OutputSpec& output = program_.plan.outputs[o];
      const auto item = static_cast<std::int64_t>(item_size(output.operand.dtype));
      auto* const target = static_cast<char*>(arguments_.outputs[o].pointer);
      const auto* values = static_cast<const char*>(evaluator_.value(output.value));
      move_functions().pick[std::countr_zero(static_cast<std::size_t>(item))](
          target + (row + next) * item, values + from * item, mask_, count, wanted);
    }
    return wanted;
  }

  // Sets the mask to where the bin is; returns how often.
  std::int64_t mark(std::size_t bin, std::int64_t from, std::int64_t count) {
    const auto* bins = static_cast<const std::uint8_t*>(evaluator_.value(bin_)) + from;
    for (std::int64_t i = 0; i < count; ++i) mask_[i] = bins[i] == bin;
    return move_functions().count_true(mask_, count);
  }

  const TileProgram& program_;
  const LaunchArguments& arguments_;
  const int bin_;
  const std::size_t bin_count_;
  const std::int64_t length_;
  Scratch scratch_;
  TileEvaluator evaluator_;
  bool* const mask_;
  const std::vector<int> steps_ = steps_below(program_.plan, bin_);
};

void part_short_rows(const TileProgram& program, const LaunchArguments& arguments,
                     const OrderedRows& rows, Stages& stages) {
  const std::int64_t together = std::max<std::int64_t>(1, program.tile_elements / rows.length);
  const auto run = [&](std::int64_t first, std::int64_t last) {
    FewBins part(program, arguments, together * rows.length);
    for (std::int64_t row = first; row < last; row += together) {
      const std::int64_t end = std::min(last, row + together);
      part.evaluate({row * rows.length, (end - row) * rows.length, -1});
      for (std::int64_t i = row; i < end; ++i) {
        part.store_row((i - row) * rows.length, i * rows.length);
      }
    }
  };
  stages.loop(rows.count, grain_for(rows.length * std::ssize(program.steps)), run);
}

void part_long_rows(const TileProgram& program, const LaunchArguments& arguments,
                    const RowChunks& chunks, Stages& stages) {
  const std::int64_t most = std::min(program.tile_elements, chunks.rows.length);
  auto* const counts = reinterpret_cast<FewCounts*>(
      stages.take(static_cast<std::size_t>(chunks.count()) * sizeof(FewCounts)));
  const std::int64_t grain =
      grain_for(std::min(chunks.elements, chunks.rows.length) * std::ssize(program.steps));
  // Of each chunk, tile by tile.
  const auto each_tile = [&](const auto& function) {
    stages.loop(chunks.count(), grain, [&](std::int64_t first, std::int64_t last) {
      FewBins part(program, arguments, most);
      for (std::int64_t chunk = first; chunk < last; ++chunk) {
        const std::int64_t row = chunks.row(chunk) * chunks.rows.length;
        FewCounts bins = function.start(counts[chunk]);
        for (std::int64_t i = chunks.first(chunk); i < chunks.end(chunk); i += most) {
          const Tile tile{row + i, std::min(most, chunks.end(chunk) - i), chunks.rows.axis};
          function.run(part, tile, row, bins);
        }
        function.finish(counts[chunk], bins);
      }
    });
  };
  struct Count {
    FewCounts start(const FewCounts&) const { return {}; }
    void run(FewBins& part, const Tile& tile, std::int64_t, FewCounts& bins) const {
      part.begin(tile);
      part.compute_bins();
      part.count(0, tile.count, bins);
    }
    void finish(FewCounts& counts, const FewCounts& bins) const { counts = bins; }
  };
  struct Store {
    FewCounts start(const FewCounts& counts) const { return counts; }
    void run(FewBins& part, const Tile& tile, std::int64_t row, FewCounts& bins) const {
      part.evaluate(tile);
      part.store(0, tile.count, row, bins);
    }
    void finish(FewCounts&, const FewCounts&) const {}
  };
  each_tile(Count{});
  stages.loop(chunks.rows.count, grain_for(chunks.of_row * static_cast<std::int64_t>(kFewBins)),
              [&](std::int64_t first, std::int64_t last) {
                for (std::int64_t row = first; row < last; ++row) {
                  FewCounts* const of_row = counts + row * chunks.of_row;
                  std::int64_t sum = 0;
                  for (std::size_t bin = 0; bin < kFewBins; ++bin) {
                    for (std::int64_t chunk = 0; chunk < chunks.of_row; ++chunk) {
                      sum += std::exchange(of_row[chunk][bin], sum);
                    }
                  }
                }
              });
  each_tile(Store{});
}

}  // namespace

bool has_few_bins(const TileProgram& program) {
  return program.plan.outputs[0].bins <= static_cast<int>(kFewBins);
}

void run_few_bins(const TileProgram& program, const LaunchArguments& arguments, Stages& stages) {
  const OrderedRows rows(arguments);
  rows.length <= kShortRow ? part_short_rows(program, arguments, rows, stages)
                           : part_long_rows(program, arguments, RowChunks(rows), stages);
}

}  // namespace cupola::cpu
