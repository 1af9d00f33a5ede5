// Elements that go to computed places, or are combined there: one tile after the other.

#include "platforms/cpu/interpreter/row_copies.h"
#include "platforms/cpu/interpreter/strided.h"
#include "platforms/cpu/interpreter/tile_cut.h"
#include "platforms/cpu/interpreter/tile_evaluator.h"
#include "platforms/cpu/interpreter/tile_places.h"
#include "platforms/cpu/interpreter/tile_runner.h"

namespace cupola::cpu {
namespace {

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

}  // namespace

void run_scatter(const TileProgram& program, const LaunchArguments& arguments, Stages& stages) {
  const TileCut cut(program, arguments);
  if (cut.is_cached && run_row_copies(program, arguments, stages)) return;
  stages.in_order(cut.tiles, [&](std::int64_t first, std::int64_t last) {
    Scratch scratch;
    TileEvaluator evaluator(program, arguments, cut.tile, scratch);
    if (cut.is_fetched) evaluator.fetch_ahead();
    for (std::int64_t i = first; i < last; ++i) {
      const Tile tile = cut[i];
      evaluator.evaluate(tile);
      store_all(program, arguments, evaluator, tile.count);
    }
  });
}

}  // namespace cupola::cpu
