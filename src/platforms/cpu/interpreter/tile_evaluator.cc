#include "platforms/cpu/interpreter/tile_evaluator.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "platforms/cpu/interpreter/strided.h"
#include "platforms/cpu/kernels/move_tables.h"
#include "platforms/cpu/streams/stream_copy.h"

namespace cupola::cpu {
namespace {

char* at(const OperandArgument& operand, std::int64_t offset, std::size_t size) {
  return static_cast<char*>(operand.pointer) + offset * static_cast<std::int64_t>(size);
}

}  // namespace

TileEvaluator::TileEvaluator(const TileProgram& program, const LaunchArguments& arguments,
                             std::int64_t capacity, Scratch& scratch)
    : program_(program), arguments_(arguments), capacity_(capacity) {
  const std::size_t slot_count = program.slot_item_sizes.size();
  const std::size_t step_count = program.steps.size();
  slots_ = reinterpret_cast<char**>(scratch.take((slot_count + 1) * sizeof(char*)));
  values_ = reinterpret_cast<const void**>(scratch.take((step_count + 1) * sizeof(void*)));
  bases_ = reinterpret_cast<std::int64_t*>(scratch.take((step_count + 1) * sizeof(std::int64_t)));
  std::fill_n(bases_, step_count, 0);
  ones_ = reinterpret_cast<bool*>(scratch.take(step_count + 1));
  std::fill_n(ones_, step_count, false);
  const std::size_t input_count = program.plan.inputs.size();
  rows_ = reinterpret_cast<const void**>(scratch.take((input_count + 1) * sizeof(void*)));
  std::fill_n(rows_, input_count, nullptr);
  const std::size_t output_count = program.plan.outputs.size();
  streamed_ = reinterpret_cast<bool*>(scratch.take(output_count + 1));
  for (std::size_t o = 0; o < output_count; ++o) {
    streamed_[o] = o < arguments.outputs.size() && is_streamed(o);  // of none, nothing is stored
  }
  std::size_t most_inputs = 0, most_outputs = 0;
  for (const TileCall& call : program.calls) {
    most_inputs = std::max(most_inputs, call.args.size());
    most_outputs = std::max(most_outputs, call.results.size());
  }
  call_inputs_ = reinterpret_cast<const void**>(scratch.take((most_inputs + 1) * sizeof(void*)));
  call_outputs_ = reinterpret_cast<void**>(scratch.take((most_outputs + 1) * sizeof(void*)));
  for (std::size_t i = 0; i < slot_count; ++i) {
    const std::int64_t elements = program.slot_repeats[i] ? program.repeated_elements : capacity;
    slots_[i] = scratch.take(static_cast<std::size_t>(elements) * program.slot_item_sizes[i]);
  }
  for (std::size_t i = 0; i < step_count; ++i) {
    const TileStep& step = program.steps[i];
    if (!step.uniform || step.is_part) continue;
    prepare_uniform(step, static_cast<int>(i),
                    step.repeats ? std::min(capacity, program.repeated_elements) : capacity);
  }
}

TileEvaluator::~TileEvaluator() {
  const std::size_t output_count = program_.plan.outputs.size();
  if (std::find(streamed_, streamed_ + output_count, true) != streamed_ + output_count) {
    finish_stream_copies();
  }
}

// One that is an input as well is in the caches already.
bool TileEvaluator::is_streamed(std::size_t output) const {
  const OutputSpec& spec = program_.plan.outputs[output];
  const OperandArgument& target = arguments_.outputs[output];
  const auto size = static_cast<std::int64_t>(item_size(spec.operand.dtype));
  return spec.store == StoreKind::plain && !spec.operand.per_row &&
         element_count(arguments_.extents) >= kStreamed / size &&
         std::none_of(
             arguments_.inputs.begin(), arguments_.inputs.end(),
             [&](const OperandArgument& input) { return input.pointer == target.pointer; });
}

void TileEvaluator::prepare_uniform(const TileStep& step, int i, std::int64_t capacity) {
  void* slot = slots_[step.slot];
  if (step.kind == StepKind::load) {
    fill_row(slot, arguments_.inputs[step.index].pointer, capacity, step.item_size);
    values_[i] = slot;
  } else if (step.kind == StepKind::scalar) {
    const Scalar& scalar = arguments_.scalars[step.index];
    fill_row(slot, scalar.data(), capacity, step.item_size);
    values_[i] = slot;
  } else if (step.is_call()) {
    call(step, capacity);
  } else {
    run(step, i, capacity, slot);
  }
}

void TileEvaluator::locate(const Tile& tile) {
  const Dims& extents = arguments_.extents;
  const bool is_next = tile.axis >= 0 && tile.axis + 1 == extents.rank() &&
                       tile_.axis == tile.axis && tile.first == tile_.first + tile_.count;
  if (is_next) {  // without a division
    auto d = static_cast<std::size_t>(tile.axis);
    position_[d] += tile_.count;
    for (; d > 0 && position_[d] >= extents[d]; --d) {
      position_[d] = 0;
      ++position_[d - 1];
    }
  } else if (tile.axis >= 0) {
    std::int64_t rest = tile.first;
    for (std::size_t d = extents.size(); d-- > 0;) {
      position_[d] = rest % extents[d];
      rest /= extents[d];
    }
  }
  tile_ = tile;
  index_stride_ = 1;
  if (tile.axis < 0) return;
  for (std::size_t d = static_cast<std::size_t>(tile.axis) + 1; d < extents.size(); ++d) {
    index_stride_ *= extents[d];
  }
}

// Of the tile's first element.
std::int64_t TileEvaluator::offset_of(const OperandArgument& operand, OperandLayout layout) const {
  if (layout == OperandLayout::contiguous && tile_.axis < 0) return tile_.first;
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < operand.strides.size(); ++d)
    offset += position_[d] * operand.strides[d];
  return offset;
}

// 1 also means that the whole tile lies without gaps.
std::int64_t TileEvaluator::stride_of(const OperandArgument& operand, OperandLayout layout) const {
  if (tile_.axis < 0) return layout == OperandLayout::contiguous ? 1 : -1;
  return operand.strides[static_cast<std::size_t>(tile_.axis)];
}

void* TileEvaluator::direct_output(std::size_t output) const {
  const OperandSpec& spec = program_.plan.outputs[output].operand;
  const OperandArgument& operand = arguments_.outputs[output];
  if (stride_of(operand, spec.layout) != 1) return nullptr;
  return at(operand, offset_of(operand, spec.layout), item_size(spec.dtype));
}

void* TileEvaluator::output_itself(std::size_t output) const {
  return streamed_[output] ? nullptr : direct_output(output);
}

void* TileEvaluator::target(const TileStep& step) {
  if (step.output >= 0) {
    if (void* output = output_itself(static_cast<std::size_t>(step.output))) return output;
  }
  return slots_[step.slot];
}

// Of an input in two pieces: read where it lies where the tile is within one of them.
void TileEvaluator::load_turned(const TileStep& step, int i) {
  const OperandArgument& operand = arguments_.inputs[step.index];
  const Dims& turns = arguments_.turns[step.index];
  if (tile_.axis >= 0) {
    const auto axis = static_cast<std::size_t>(tile_.axis);
    const std::int64_t first = position_[axis], turn = turns[axis];
    const bool is_whole = first >= turn || first + tile_.count <= turn;
    if (is_whole && operand.strides[axis] == 1 && step.in_place) {
      std::int64_t offset = 0;
      for (std::size_t d = 0; d < turns.size(); ++d) {
        const bool is_behind = turns[d] > 0 && position_[d] >= turns[d];
        offset += (position_[d] - (is_behind ? arguments_.extents[d] : 0)) * operand.strides[d];
      }
      values_[i] = at(operand, offset, step.item_size);
      const std::int64_t bytes = tile_.count * static_cast<std::int64_t>(step.item_size);
      if (fetches_ahead_) fetch_lines(static_cast<const char*>(values_[i]) + bytes, bytes);
      return;
    }
  }
  void* result = target(step);
  gather_turned(result, operand.pointer, arguments_.extents, operand.strides, turns, tile_.first,
                tile_.count, step.item_size);
  values_[i] = result;
}

void TileEvaluator::load(const TileStep& step, int i) {
  if (program_.plan.inputs[step.index].turned != 0) return load_turned(step, i);
  const OperandLayout layout = program_.plan.inputs[step.index].layout;
  const OperandArgument& operand = arguments_.inputs[step.index];
  if (tile_.axis < 0 && layout != OperandLayout::contiguous) {
    void* result = target(step);
    gather_range(result, operand.pointer, arguments_.extents, operand.strides, tile_.first,
                 tile_.count, step.item_size);
    values_[i] = result;
    return;
  }
  const void* const row = rows_[step.index];
  const std::int64_t stride = row ? 1 : stride_of(operand, layout);
  ones_[i] = stride == 0 && step.may_be_one;
  const void* source = row ? row : at(operand, offset_of(operand, layout), step.item_size);
  if (stride == 1 && step.in_place) {
    const std::int64_t bytes = tile_.count * static_cast<std::int64_t>(step.item_size);
    if (fetches_ahead_) fetch_lines(static_cast<const char*>(source) + bytes, bytes);
    values_[i] = source;
    return;
  }
  if (ones_[i] || (stride == 0 && step.finds_rows)) {
    values_[i] = source;  // which is all that the loops ask for, or find_places()
    return;
  }
  void* result = target(step);
  if (stride == 0) {
    fill_row(result, source, tile_.count, step.item_size);
  } else {
    gather_row(result, source, stride, tile_.count, step.item_size);
  }
  values_[i] = result;
}

void TileEvaluator::run(const TileStep& step, int i, std::int64_t count, void* result) {
  const void* inputs[3];
  std::size_t strides[3] = {};  // bytes; 0: of values that repeat
  std::int64_t most = count;
  LoopFunction loop = step.loop;
  for (std::size_t a = 0; a < 2; ++a) {
    if (step.one_loops[a] == nullptr || !ones_[step.args[a]]) continue;
    if (loop == step.loop) {
      loop = step.one_loops[a];
    } else {
      spread(step.args[a]);
    }
  }
  for (std::size_t a = 0; a < 3; ++a) {
    inputs[a] = step.args[a] >= 0 ? values_[step.args[a]] : nullptr;
    if (step.args[a] < 0 || step.reads_one(static_cast<int>(a))) continue;
    const TileStep& argument = program_.steps[static_cast<std::size_t>(step.args[a])];
    if (argument.repeats) most = program_.repeated_elements;
    if (!argument.repeats && !ones_[step.args[a]]) strides[a] = argument.item_size;
  }
  values_[i] = result;
  loop(inputs, result, std::min(most, count));
  for (std::int64_t done = most; done < count; done += most) {
    for (std::size_t a = 0; a < 3; ++a) {
      inputs[a] = static_cast<const char*>(inputs[a]) + static_cast<std::size_t>(most) * strides[a];
    }
    result = static_cast<char*>(result) + static_cast<std::size_t>(most) * step.item_size;
    loop(inputs, result, std::min(most, count - done));
  }
}

void TileEvaluator::call(const TileStep& step, std::int64_t count) {
  call(
      program_.calls[step.index], count, [this](int argument) { return values_[argument]; },
      [this](int result) {
        const TileStep& made = program_.steps[static_cast<std::size_t>(result)];
        void* const place = made.uniform ? slots_[made.slot] : target(made);
        values_[result] = place;
        return place;
      });
}

// The one element of a load, over the tile.
void TileEvaluator::spread(int load) {
  const TileStep& step = program_.steps[static_cast<std::size_t>(load)];
  fill_row(slots_[step.slot], values_[load], tile_.count, step.item_size);
  values_[load] = slots_[step.slot];
  ones_[load] = false;
}

bool TileEvaluator::are_following(const std::int64_t* places) {
  if (places != seen_places_ || tile_.count != seen_count_) {
    std::int64_t differences = 0;
    for (std::int64_t i = 0; i < tile_.count; ++i) differences |= places[i] - places[0] - i;
    seen_places_ = places;
    seen_count_ = tile_.count;
    seen_follow_ = differences == 0;
  }
  return seen_follow_;
}

// A row's place and those within it are not added where a tile is of one row.
bool TileEvaluator::find_places(const TileStep& sum, int i) {
  bases_[i] = 0;
  if (tile_.axis < 0) return false;
  const auto stride = [this](std::int16_t load) {
    const std::uint16_t input = program_.steps[static_cast<std::size_t>(load)].index;
    return stride_of(arguments_.inputs[input], program_.plan.inputs[input].layout);
  };
  for (const std::size_t of_row : {0, 1}) {
    const std::int16_t row = sum.args[of_row], within = sum.args[1 - of_row];
    if (stride(row) != 0 || stride(within) != 1) continue;
    const auto* places = static_cast<const std::int64_t*>(values_[within]);
    const bool follow = are_following(places);
    bases_[i] = *static_cast<const std::int64_t*>(values_[row]) + (follow ? places[0] : 0);
    values_[i] = follow ? nullptr : places;
    return true;
  }
  for (const std::int16_t load : {sum.args[0], sum.args[1]}) {
    const TileStep& step = program_.steps[static_cast<std::size_t>(load)];
    if (!step.finds_rows || stride(load) != 0) continue;
    spread(load);
  }
  return false;
}

void TileEvaluator::compute(int i) {
  const TileStep& step = program_.steps[static_cast<std::size_t>(i)];
  if (step.uniform || step.is_part) return;
  switch (step.kind) {
    case StepKind::load:
      load(step, i);
      break;
    case StepKind::index: {
      void* result = target(step);
      move_functions().number[std::countr_zero(step.item_size)](result, tile_.first, index_stride_,
                                                                tile_.count);
      values_[i] = result;
      break;
    }
    case StepKind::gather: {
      const void* source = static_cast<const char*>(arguments_.inputs[step.index].pointer) +
                           bases_[step.args[0]] * static_cast<std::int64_t>(step.item_size);
      if (values_[step.args[0]] == nullptr) {
        values_[i] = source;
        break;
      }
      void* result = target(step);
      const auto* indices = static_cast<const std::int64_t*>(values_[step.args[0]]);
      if (step.counts) {
        gather_counted(
            result, source, indices, *static_cast<const std::int64_t*>(values_[step.args[1]]),
            *static_cast<const std::int64_t*>(values_[step.args[2]]), tile_.count, step.item_size);
      } else {
        gather_indexed(result, source, indices, tile_.count, step.item_size);
      }
      values_[i] = result;
      break;
    }
    case StepKind::cast:
    case StepKind::ufunc:
    case StepKind::select:
    case StepKind::user:
      if (step.is_call()) {
        call(step, tile_.count);
        break;
      }
      if (step.may_follow && find_places(step, i)) break;
      run(step, i, tile_.count, target(step));
      break;
    case StepKind::scalar:   // uniform
    case StepKind::combine:  // of rows
    case StepKind::rank:     // of masks
      break;
  }
}

void TileEvaluator::evaluate(const Tile& tile) {
  locate(tile);
  for (std::size_t i = 0; i < program_.steps.size(); ++i) compute(static_cast<int>(i));
}

void TileEvaluator::store(std::size_t output, const void* values) {
  const OutputSpec& spec = program_.plan.outputs[output];
  const OperandArgument& operand = arguments_.outputs[output];
  const std::size_t size = item_size(spec.operand.dtype);
  if (void* direct = direct_output(output)) {
    const std::size_t bytes = static_cast<std::size_t>(tile_.count) * size;
    if (streamed_[output]) {
      stream_copy(direct, values, bytes);
    } else if (program_.plan.kind() == PlanKind::map &&
               program_.steps[static_cast<std::size_t>(spec.value)].uniform) {
      fill_row(direct, values, tile_.count, size);
    } else if (direct != values) {
      move_bytes(direct, values, bytes);
    }
  } else if (tile_.axis < 0) {
    scatter_range(operand.pointer, values, arguments_.extents, operand.strides, tile_.first,
                  tile_.count, size);
  } else {
    scatter_row(at(operand, offset_of(operand, spec.operand.layout), size), values,
                stride_of(operand, spec.operand.layout), tile_.count, size);
  }
}

}  // namespace cupola::cpu
