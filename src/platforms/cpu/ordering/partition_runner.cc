// Rows by bins: chunks count their elements of each bin, then bring them to their places.

#include <algorithm>
#include <utility>
#include <vector>

#include "base/mutant.h"
#include "codegen/steps_below.h"
#include "platforms/cpu/interpreter/strided.h"
#include "platforms/cpu/interpreter/tile_evaluator.h"
#include "platforms/cpu/interpreter/tile_runner.h"
#include "platforms/cpu/ordering/order_rows.h"

namespace cupola::cpu {
namespace {

// One thread's work.
class Partition {
 public:
  Partition(const TileProgram& program, const LaunchArguments& arguments, const RowChunks& chunks)
      : program_(program),
        arguments_(arguments),
        chunks_(chunks),
        bin_(program.plan.outputs[0].offset),
        tile_(std::min(program.tile_elements, chunks.rows.length)),
        evaluator_(program, arguments, tile_, scratch_),
        places_(reinterpret_cast<std::int64_t*>(
            scratch_.take(static_cast<std::size_t>(tile_) * sizeof(std::int64_t)))) {}

  void count(std::int64_t chunk, Bins& counts) {
    const std::vector<int> steps = steps_below(program_.plan, bin_);
    counts = {};
    each_tile(chunk, [&](const Tile& tile) {
      evaluator_.begin(tile);
      for (const int step : steps) evaluator_.compute(step);
      const auto* bins = static_cast<const std::uint8_t*>(evaluator_.value(bin_));
      for (std::int64_t i = 0; i < tile.count; ++i) ++counts[bins[i]];
    });
  }

  // `next`: where the chunk's elements of each bin begin in their row. What others write meanwhile
  // never leads out of the row.
  void store(std::int64_t chunk, Bins next) {
    const std::int64_t row = chunks_.row(chunk) * chunks_.rows.length;
    const std::int64_t last = chunks_.rows.length - 1;
    each_tile(chunk, [&](const Tile& tile) {
      evaluator_.evaluate(tile);
      const auto* bins = static_cast<const std::uint8_t*>(evaluator_.value(bin_));
      for (std::int64_t k = 0; k < tile.count; ++k) {
        const std::int64_t i = CUPOLA_MUTANT(unstable_parts) ? tile.count - 1 - k : k;
        places_[i] = row + std::min(next[bins[i]]++, last);
      }
      for (std::size_t o = 0; o < arguments_.outputs.size(); ++o) {
        const OutputSpec& output = program_.plan.outputs[o];
        scatter_indexed(arguments_.outputs[o].pointer, evaluator_.value(output.value), places_,
                        nullptr, tile.count, item_size(output.operand.dtype));
      }
    });
  }

 private:
  template <typename Function>
  void each_tile(std::int64_t chunk, const Function& function) {
    const std::int64_t row = chunks_.row(chunk) * chunks_.rows.length;
    const std::int64_t end = chunks_.end(chunk);
    for (std::int64_t first = chunks_.first(chunk); first < end; first += tile_) {
      function(Tile{row + first, std::min(tile_, end - first), chunks_.rows.axis});
    }
  }

  const TileProgram& program_;
  const LaunchArguments& arguments_;
  const RowChunks& chunks_;
  const int bin_;
  const std::int64_t tile_;
  Scratch scratch_;
  TileEvaluator evaluator_;
  std::int64_t* places_;
};

}  // namespace

void run_partition(const TileProgram& program, const LaunchArguments& arguments, Stages& stages) {
  if (has_few_bins(program)) return run_few_bins(program, arguments, stages);
  const RowChunks chunks{OrderedRows(arguments)};
  auto* const counts =
      reinterpret_cast<Bins*>(stages.take(static_cast<std::size_t>(chunks.count()) * sizeof(Bins)));
  const std::int64_t grain =
      grain_for(std::min(chunks.elements, chunks.rows.length) * std::ssize(program.steps));
  stages.loop(chunks.count(), grain, [&](std::int64_t first, std::int64_t last) {
    Partition part(program, arguments, chunks);
    for (std::int64_t chunk = first; chunk < last; ++chunk) part.count(chunk, counts[chunk]);
  });
  stages.loop(chunks.rows.count, grain_for(chunks.of_row * static_cast<std::int64_t>(kBins)),
              [&](std::int64_t first, std::int64_t last) {
                for (std::int64_t row = first; row < last; ++row) {
                  Bins* const of_row = counts + row * chunks.of_row;
                  std::int64_t sum = 0;
                  for (std::size_t bin = 0; bin < kBins; ++bin) {
                    for (std::int64_t chunk = 0; chunk < chunks.of_row; ++chunk) {
                      sum += std::exchange(of_row[chunk][bin], sum);
                    }
                  }
                }
              });
  stages.loop(chunks.count(), grain, [&](std::int64_t first, std::int64_t last) {
    Partition part(program, arguments, chunks);
    for (std::int64_t chunk = first; chunk < last; ++chunk) part.store(chunk, counts[chunk]);
  });
}

}  // namespace cupola::cpu
