// PlanKind::map.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <vector>

#include "core/layout.h"
#include "platforms/cpu/device/settings.h"
#include "platforms/cpu/interpreter/bands.h"
#include "platforms/cpu/interpreter/linear_map.h"
#include "platforms/cpu/interpreter/row_copies.h"
#include "platforms/cpu/interpreter/strided.h"
#include "platforms/cpu/interpreter/tile_evaluator.h"
#include "platforms/cpu/interpreter/tile_runner.h"

namespace cupola::cpu {
namespace {

// Rows shorter than this are not worth a tile of their own.
constexpr std::int64_t kLongRow = 256;
constexpr std::int64_t kLongCopiedRow = 64;  // whose places need not be computed
constexpr std::int64_t kCopiedTile = 4096;   // of such rows, which need no buffers
// Fewer elements of a row are gathered with those of others sooner than loops are called for them.
constexpr std::int64_t kShortestRow = 16;
// Of rolled operands, which many steps go with: to copy them costs less than short tiles.
constexpr std::int64_t kLongTurnedRow = 1024;

// How the space is cut: into equal parts of its flat order, or of each row.
struct Cut {
  int axis;
  std::int64_t row;   // elements between two ends that no tile crosses
  std::int64_t tile;  // most elements of a tile
  std::int64_t tiles_per_row;
  std::int64_t tiles;

  Tile operator[](std::int64_t i) const {
    const std::int64_t begin = i % tiles_per_row * tile;
    return {i / tiles_per_row * row + begin, std::min(tile, row - begin), axis};
  }
};

// Where more than this is read, it comes from memory. Tiles had better be short then, and fetched
// ahead: the loops of a tile go through one array after the other, and what fetches by itself does
// not see what comes after that.
constexpr std::int64_t kOfCaches = std::int64_t{32} << 20;
constexpr std::int64_t kFetchedTile = 512;

// Whether more is read than stays in the caches; what overlaps, as neighbours' windows do, is read
// once.
bool reads_memory(const TileProgram& program, const LaunchArguments& arguments,
                  std::int64_t total) {
  const auto address = [&](const TileStep& step) {
    return reinterpret_cast<std::intptr_t>(arguments.inputs[step.index].pointer);
  };
  std::int64_t bytes = 0;
  bool computes = false;
  for (auto step = program.steps.begin(); step != program.steps.end(); ++step) {
    computes |= step->loop != nullptr;
    if (!step->in_place) continue;
    const std::int64_t extent = total * static_cast<std::int64_t>(step->item_size);
    const bool is_known = std::any_of(program.steps.begin(), step, [&](const TileStep& other) {
      return other.in_place && other.item_size == step->item_size &&
             std::abs(address(other) - address(*step)) < extent / 2;
    });
    if (!is_known) bytes += extent;
  }
  return computes && bytes > kOfCaches;
}

Cut cut_space(const TileProgram& program, const LaunchArguments& arguments, std::int64_t total,
              bool is_fetched) {
  const std::int64_t long_row = program.copies_rows       ? kLongCopiedRow
                                : arguments.turns.empty() ? kLongRow
                                                          : kLongTurnedRow;
  const bool rows =
      !program.all_contiguous && !arguments.extents.empty() && arguments.extents.back() >= long_row;
  Cut cut{};
  cut.axis = rows ? arguments.extents.rank() - 1 : -1;
  cut.row = rows ? arguments.extents.back() : total;
  const std::int64_t usual = program.copies_rows && rows
                                 ? std::max(kCopiedTile, program.tile_elements)
                                 : program.tile_elements;
  const std::int64_t most = std::min(is_fetched ? kFetchedTile : usual, most_of_map_tile());
  cut.tiles_per_row = (cut.row + most - 1) / most;
  // Of equal length, in whole cache lines.
  cut.tile = ((cut.row + cut.tiles_per_row - 1) / cut.tiles_per_row + 63) / 64 * 64;
  cut.tiles_per_row = (cut.row + cut.tile - 1) / cut.tile;
  cut.tiles = cut.tiles_per_row * (total / cut.row);
  return cut;
}

// What a tile's elements are added to, and which.
template <typename T>
struct TilePlaces {
  TilePlaces(const TileEvaluator& evaluator, const OutputSpec& output)
      : values(static_cast<const T*>(evaluator.value(output.value))),
        offsets(static_cast<const std::int64_t*>(evaluator.value(output.offset))),
        wanted(output.predicate < 0 ? nullptr
                                    : static_cast<const bool*>(evaluator.value(output.predicate))) {
  }

  // In the order of the elements.
  void add_to(T* sums, std::int64_t count) const {
    if (wanted == nullptr) {
      for (std::int64_t i = 0; i < count; ++i) sums[offsets[i]] += values[i];
      return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      if (wanted[i]) sums[offsets[i]] += values[i];
    }
  }

  // The same, without offsets outside of [0, places).
  void add_inside(T* sums, std::int64_t places, std::int64_t count) const {
    const auto end = static_cast<std::uint64_t>(places);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto place = static_cast<std::uint64_t>(offsets[i]);
      if (place < end && (wanted == nullptr || wanted[i])) sums[place] += values[i];
    }
  }

  const T* values;
  const std::int64_t* offsets;
  const bool* wanted;
};

template <typename T>
void add_values(const TileEvaluator& evaluator, const OutputSpec& output, void* memory,
                std::int64_t count) {
  TilePlaces<T>(evaluator, output).add_to(static_cast<T*>(memory), count);
}

// Of the types that are added most; integers wrap.
bool add_values(const TileEvaluator& evaluator, const OutputSpec& output, void* memory,
                std::int64_t count) {
  if (output.combine != UfuncId::add) return false;
  switch (output.operand.dtype) {
    case DType::float64:
      add_values<double>(evaluator, output, memory, count);
      return true;
    case DType::float32:
      add_values<float>(evaluator, output, memory, count);
      return true;
    case DType::int64:
    case DType::uint64:
      add_values<std::uint64_t>(evaluator, output, memory, count);
      return true;
    case DType::int32:
    case DType::uint32:
      add_values<std::uint32_t>(evaluator, output, memory, count);
      return true;
    case DType::bool_:
    case DType::int8:
    case DType::uint8:
    case DType::int16:
    case DType::uint16:
    case DType::float16:
    case DType::bfloat16:
    case DType::complex64:
    case DType::complex128:
      return false;
  }
  __builtin_unreachable();
}

// out[offset] = f(out[offset], value), one after the other: offsets may repeat.
void combine_values(const TileProgram& program, const TileEvaluator& evaluator, std::size_t o,
                    void* memory, std::int64_t count) {
  const OutputSpec& output = program.plan.outputs[o];
  if (add_values(evaluator, output, memory, count)) return;
  const auto size = static_cast<std::int64_t>(item_size(output.operand.dtype));
  const TilePlaces<char> places(evaluator, output);
  for (std::int64_t i = 0; i < count; ++i) {
    if (places.wanted != nullptr && !places.wanted[i]) continue;
    char* place = static_cast<char*>(memory) + places.offsets[i] * size;
    const void* inputs[2] = {place, places.values + i * size};
    program.combine_loops[o](inputs, place, 1);
  }
}

void store_all(const TileProgram& program, const LaunchArguments& arguments,
               TileEvaluator& evaluator, std::int64_t count) {
  for (std::size_t o = 0; o < program.plan.outputs.size(); ++o) {
    const OutputSpec& output = program.plan.outputs[o];
    const void* values = evaluator.value(output.value);
    if (output.store == StoreKind::plain) {
      evaluator.store(o, values);
    } else if (output.store == StoreKind::combine) {
      combine_values(program, evaluator, o, arguments.outputs[o].pointer, count);
    } else {
      const std::size_t size = item_size(output.operand.dtype);
      char* const first = static_cast<char*>(arguments.outputs[o].pointer) +
                          evaluator.base(output.offset) * static_cast<std::int64_t>(size);
      const auto* places = static_cast<const std::int64_t*>(evaluator.value(output.offset));
      if (places == nullptr) {
        move_bytes(first, values, static_cast<std::size_t>(count) * size);
        continue;
      }
      scatter_indexed(first, values, places,
                      output.predicate < 0
                          ? nullptr
                          : static_cast<const bool*>(evaluator.value(output.predicate)),
                      count, size);
    }
  }
}

// Items of a tally that one task takes, at least: those that it has counted are added up by all.
constexpr std::int64_t kTalliedByTask = 32;  // times the number of places

// Whether an output is written past the caches, which tiles do.
bool passes_caches(const TileProgram& program, const LaunchArguments& arguments) {
  std::size_t largest = 0;
  for (const OutputSpec& output : program.plan.outputs) {
    largest = std::max(largest, item_size(output.operand.dtype));
  }
  return element_count(arguments.extents) >= kStreamed / static_cast<std::int64_t>(largest);
}

// The elements from `begin` on, by the step program.untiled.
void run_untiled(const TileProgram& program, const LaunchArguments& arguments, std::int64_t begin,
                 std::int64_t count) {
  const TileStep& step = program.steps[static_cast<std::size_t>(program.untiled)];
  const auto size = static_cast<std::int64_t>(step.item_size);
  char* const result = static_cast<char*>(arguments.outputs[0].pointer) + begin * size;
  const auto values = [&](const TileStep& of) -> const void* {
    if (of.kind == StepKind::scalar) return arguments.scalars[of.index].data();
    const char* const first = static_cast<const char*>(arguments.inputs[of.index].pointer);
    return of.uniform ? first : first + begin * static_cast<std::int64_t>(of.item_size);
  };
  if (step.loop == nullptr && step.uniform) {
    return fill_row(result, values(step), count, step.item_size);
  }
  if (step.loop == nullptr && program.plan.inputs[step.index].layout == OperandLayout::strided) {
    const OperandArgument& line = arguments.inputs[step.index];
    return gather_row(result,
                      static_cast<const char*>(line.pointer) + begin * line.strides[0] * size,
                      line.strides[0], count, step.item_size);
  }
  if (step.loop == nullptr) {
    return move_bytes(result, values(step), static_cast<std::size_t>(count * size));
  }
  const void* inputs[3] = {};
  for (std::size_t a = 0; a < 3; ++a) {
    if (step.args[a] < 0) continue;
    inputs[a] = values(program.steps[static_cast<std::size_t>(step.args[a])]);
  }
  step.loop(inputs, result, count);
}

// One Word is as wide as the sums.
template <typename Word>
void tally(const TileProgram& program, const LaunchArguments& arguments, const Cut& cut,
           Stages& stages) {
  const OutputSpec& output = program.plan.outputs[0];
  auto* const sums = static_cast<Word*>(arguments.outputs[0].pointer);
  const auto places = static_cast<std::size_t>(arguments.outputs[0].places);
  const std::int64_t least = kTalliedByTask * static_cast<std::int64_t>(places) / cut.tile;
  stages.loop(
      cut.tiles, std::max(least, grain_for(program.cost * static_cast<double>(cut.tile))),
      [&](std::int64_t first, std::int64_t last) {
        Scratch scratch;
        TileEvaluator evaluator(program, arguments, cut.tile, scratch);
        std::vector<Word> own(places);
        for (std::int64_t i = first; i < last; ++i) {
          const Tile tile = cut[i];
          evaluator.evaluate(tile);
          TilePlaces<Word>(evaluator, output).add_inside(own.data(), std::ssize(own), tile.count);
        }
        for (std::size_t place = 0; place < places; ++place) {
          if (own[place] == 0) continue;
          std::atomic_ref(sums[place]).fetch_add(own[place], std::memory_order_relaxed);
        }
      });
}

// Sums whose order counts: each part of the elements has its own, whoever adds them.
void tally_parts(const TileProgram& program, const LaunchArguments& arguments, std::int64_t total,
                 std::int64_t most, Stages& stages) {
  const OutputSpec& output = program.plan.outputs[0];
  auto* const sums = static_cast<double*>(arguments.outputs[0].pointer);
  const std::int64_t part = std::int64_t{1} << output.bins;
  const std::int64_t parts = (total + part - 1) / part;
  const std::int64_t places = arguments.outputs[0].places / parts;
  const std::int64_t tile = std::min(part, most);
  stages.loop(parts, grain_for(program.cost * static_cast<double>(part)),
              [&](std::int64_t first, std::int64_t last) {
                Scratch scratch;
                TileEvaluator evaluator(program, arguments, tile, scratch);
                for (std::int64_t i = first; i < last; ++i) {
                  double* const own = sums + i * places;
                  std::fill_n(own, places, 0.0);
                  const std::int64_t end = std::min((i + 1) * part, total);
                  for (std::int64_t begin = i * part; begin < end; begin += tile) {
                    const std::int64_t count = std::min(tile, end - begin);
                    evaluator.evaluate({begin, count, -1});
                    TilePlaces<double>(evaluator, output).add_inside(own, places, count);
                  }
                }
              });
}

}  // namespace

void run_map(const TileProgram& program, const LaunchArguments& arguments, Stages& stages) {
  const std::int64_t total = element_count(arguments.extents);
  if (total == 0) return;
  if (goes_by_mask_tiles(program.plan.outputs[0].store)) {
    return run_mask_tiles(program, arguments, stages);
  }
  if (orders_rows(program.plan.outputs[0].store)) return run_order(program, arguments, stages);
  const bool is_fetched = reads_memory(program, arguments, total);
  const Cut cut = cut_space(program, arguments, total, is_fetched);
  const std::int64_t grain = grain_for(program.cost * static_cast<double>(cut.tile));
  const bool is_short = !is_fetched && !passes_caches(program, arguments);
  if (const auto copies = is_short ? find_row_copies(program, arguments) : std::nullopt) {
    const double row = program.cost * static_cast<double>(arguments.extents.back());
    return run_row_copies(*copies, arguments.extents, grain_for(row), stages);
  }
  if (program.untiled >= 0 && is_short) {
    return stages.loop(cut.tiles, grain, [&](std::int64_t first, std::int64_t last) {
      const std::int64_t begin = first * cut.tile;
      run_untiled(program, arguments, begin, std::min(last * cut.tile, total) - begin);
    });
  }
  const auto run = [&](std::int64_t first, std::int64_t last) {
    Scratch scratch;
    TileEvaluator evaluator(program, arguments, cut.tile, scratch);
    if (program.linear && is_short) {
      return LinearMap(program, arguments, evaluator, scratch)
          .run(first * cut.tile, std::min(last * cut.tile, total));
    }
    if (is_fetched) evaluator.fetch_ahead();
    for (std::int64_t i = first; i < last; ++i) {
      const Tile tile = cut[i];
      evaluator.evaluate(tile);
      store_all(program, arguments, evaluator, tile.count);
    }
  };
  if (program.plan.outputs[0].store == StoreKind::tally) {
    if (program.plan.outputs[0].operand.dtype == DType::float64) {
      return tally_parts(program, arguments, total, cut.tile, stages);
    }
    return item_size(program.plan.outputs[0].operand.dtype) == 8
               ? tally<std::uint64_t>(program, arguments, cut, stages)
               : tally<std::uint32_t>(program, arguments, cut, stages);
  }
  const bool ordered =
      std::any_of(program.plan.outputs.begin(), program.plan.outputs.end(),
                  [](const OutputSpec& output) { return output.store != StoreKind::plain; });
  if (ordered) return stages.in_order(cut.tiles, run);
  constexpr std::int64_t kFewest = 1024;  // elements, for which to look at operands' strides
  if (total >= kFewest && has_transposed_operands(program, arguments)) {
    return run_bands(program, arguments, stages);
  }
  const std::int64_t row = arguments.extents.back();
  const std::int64_t shortest = arguments.turns.empty() ? kShortestRow : kLongTurnedRow;
  if (is_short && program.by_rows && arguments.extents.rank() > 1 && row >= shortest) {
    return stages.loop(total / row, grain_for(program.cost * static_cast<double>(row)),
                       [&](std::int64_t first, std::int64_t last) {
                         Scratch scratch;
                         TileEvaluator evaluator(program, arguments, std::min(cut.tile, row),
                                                 scratch);
                         LinearMap(program, arguments, evaluator, scratch).run_rows(first, last);
                       });
  }
  stages.loop(cut.tiles, grain, run);
}

}  // namespace cupola::cpu
