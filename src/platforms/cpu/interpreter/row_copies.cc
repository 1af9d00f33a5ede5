#include "platforms/cpu/interpreter/row_copies.h"

#include <algorithm>
#include <optional>

#include "core/layout.h"
#include "platforms/cpu/interpreter/strided.h"

namespace cupola::cpu {

namespace {

constexpr std::int64_t kShortest = 8;  // elements
constexpr std::int64_t kAhead = 8;     // rows that are fetched ahead

bool follow(const std::int64_t* places, std::int64_t count) {
  std::int64_t differences = 0;
  for (std::int64_t i = 0; i < count; ++i) differences |= places[i] - places[0] - i;
  return differences == 0;
}

// The offset of row `r` of all, which are numbered over all dimensions but the last.
std::int64_t offset_of(const OperandArgument& operand, const Dims& extents, std::int64_t r) {
  if (extents.size() == 2) return r * operand.strides[0];
  std::int64_t offset = 0;
  for (std::size_t d = extents.size() - 1; d-- > 0;) {
    offset += r % extents[d] * operand.strides[d];
    r /= extents[d];
  }
  return offset;
}

struct RowCopies {
  std::int64_t count, bytes;      // rows, and of each
  const OperandArgument* places;  // of each row's first element, int64
  std::int64_t shift;             // to be added to them
  const OperandArgument* rows;    // one behind the other, or with steps between them
  char* picked;                   // the memory that places are of
  std::int64_t item;              // bytes of an element
  bool stores;                    // rows go to their places
};

std::optional<RowCopies> find_row_copies(const TileProgram& program,
                                         const LaunchArguments& arguments) {
  const KernelPlan& plan = program.plan;
  const std::size_t rank = arguments.extents.size();
  if (!program.copies_rows || plan.steps.size() != 4 || plan.outputs.size() != 1 || rank < 2) {
    return std::nullopt;
  }
  const std::int64_t length = arguments.extents.back();
  const OutputSpec& output = plan.outputs[0];
  const auto step = [&](int i) -> const TileStep& {
    return program.steps[static_cast<std::size_t>(i)];
  };
  const TileStep& value = step(output.value);
  const bool stores = output.store == StoreKind::scatter;
  if (length < kShortest || (!stores && output.store != StoreKind::plain) ||
      value.kind != (stores ? StepKind::load : StepKind::gather)) {
    return std::nullopt;
  }
  const TileStep& sum = step(stores ? output.offset : value.args[0]);
  if (!sum.may_follow) return std::nullopt;
  const OperandArgument* places = &arguments.inputs[step(sum.args[0]).index];
  const OperandArgument* within = &arguments.inputs[step(sum.args[1]).index];
  if (places->strides.back() != 0) std::swap(places, within);
  const OperandArgument& rows = stores ? arguments.inputs[value.index] : arguments.outputs[0];
  const bool is_of_rows = places->strides.back() == 0 && within->strides.back() == 1 &&
                          rows.strides.size() == rank && rows.strides.back() == 1 &&
                          (!stores || plan.inputs[value.index].turned == 0) &&
                          std::all_of(within->strides.begin(), within->strides.end() - 1,
                                      [](std::int64_t stride) { return stride == 0; });
  const auto* const numbers = static_cast<const std::int64_t*>(within->pointer);
  if (!is_of_rows || !follow(numbers, length)) return std::nullopt;
  const auto item = static_cast<std::int64_t>(item_size(output.operand.dtype));
  void* const picked =
      stores ? arguments.outputs[0].pointer : arguments.inputs[value.index].pointer;
  return RowCopies{element_count(arguments.extents) / length,
                   length * item,
                   places,
                   numbers[0],
                   &rows,
                   static_cast<char*>(picked),
                   item,
                   stores};
}

}  // namespace

bool run_row_copies(const TileProgram& program, const LaunchArguments& arguments, Stages& stages) {
  const auto found = find_row_copies(program, arguments);
  if (!found) return false;
  const RowCopies& copies = *found;
  const Dims& extents = arguments.extents;
  const auto* const places = static_cast<const std::int64_t*>(copies.places->pointer);
  const auto picked = [&](std::int64_t r) {
    const std::int64_t place = places[offset_of(*copies.places, extents, r)] + copies.shift;
    return copies.picked + place * copies.item;
  };
  const auto run = [&](std::int64_t first, std::int64_t last) {
    auto* const rows = static_cast<char*>(copies.rows->pointer);
    for (std::int64_t r = first; r < last; ++r) {
      if (r + kAhead < last) __builtin_prefetch(picked(r + kAhead));
      char* const row = rows + offset_of(*copies.rows, extents, r) * copies.item;
      char* const place = picked(r);
      move_bytes(copies.stores ? place : row, copies.stores ? row : place,
                 static_cast<std::size_t>(copies.bytes));
    }
  };
  if (copies.stores) {
    stages.in_order(copies.count, run);
  } else {
    stages.loop(copies.count, grain_for(program.cost * static_cast<double>(extents.back())), run);
  }
  return true;
}

}  // namespace cupola::cpu
