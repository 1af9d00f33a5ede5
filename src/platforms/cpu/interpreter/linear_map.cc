#include "platforms/cpu/interpreter/linear_map.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <new>

#include "core/layout.h"
#include "platforms/cpu/interpreter/strided.h"

namespace cupola::cpu {

LinearMap::LinearMap(const TileProgram& program, const LaunchArguments& arguments,
                     TileEvaluator& evaluator, Scratch& scratch)
    : program_(program),
      arguments_(arguments),
      evaluator_(evaluator),
      by_rows_(!program.linear),
      calls_(reinterpret_cast<Call*>(
          scratch.take((2 * program.steps.size() + program.plan.outputs.size()) * sizeof(Call)))),
      rows_(by_rows_
                ? reinterpret_cast<Rows*>(scratch.take(
                      (program.plan.inputs.size() + program.plan.outputs.size()) * sizeof(Rows)))
                : nullptr),
      tile_(evaluator.capacity()) {
  const KernelPlan& plan = program.plan;
  if (by_rows_) {
    for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
      const bool is_turned = plan.inputs[i].turned != 0;
      add_rows(arguments.inputs[i], plan.inputs[i].dtype,
               is_turned ? &arguments.turns[i] : nullptr);
    }
    for (std::size_t o = 0; o < plan.outputs.size(); ++o) {
      add_rows(arguments.outputs[o], plan.outputs[o].operand.dtype, nullptr);
    }
    find_pieces(scratch);
  }
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const TileStep& step = program.steps[i];
    const bool is_second = i > 0 && program.steps[i - 1].pair != nullptr;
    if (step.loop != nullptr && !step.uniform && !is_second) add_loop(step, static_cast<int>(i));
  }
  for (std::size_t o = 0; o < plan.outputs.size(); ++o) add_store(o);
  // One loop from inputs to outputs has nothing to find in the caches.
  const bool is_whole = count_ == 1 && !by_rows_ && !reads_repeated_;
  if (is_whole) tile_ = std::max(tile_, element_count(arguments.extents));
}

void LinearMap::add_rows(const OperandArgument& operand, DType dtype, const Dims* turns) {
  Rows& rows = *new (&rows_[operands_++]) Rows;
  rows.turns = turns;
  for (std::size_t d = 0; d < arguments_.extents.size(); ++d) {
    const std::int64_t stride = operand.strides.empty() ? 0 : operand.strides[d];
    rows.steps[d] = stride * static_cast<std::int64_t>(item_size(dtype));
  }
}

void LinearMap::find_pieces(Scratch& scratch) {
  pieces_ = reinterpret_cast<std::int64_t*>(scratch.take((operands_ + 1) * sizeof(std::int64_t)));
  for (std::size_t o = 0; o < operands_; ++o) {
    if (rows_[o].turns != nullptr && rows_[o].turns->back() > 0) {
      pieces_[piece_count_++] = rows_[o].turns->back();
    }
  }
  pieces_[piece_count_++] = arguments_.extents.back();
  std::sort(pieces_, pieces_ + piece_count_);
  piece_count_ = static_cast<std::size_t>(std::unique(pieces_, pieces_ + piece_count_) - pieces_);
}

void LinearMap::fetch_ahead() {
  const std::size_t inputs = program_.plan.inputs.size();
  for (std::size_t i = 0; i < program_.steps.size(); ++i) {
    const TileStep& step = program_.steps[i];
    const int load = static_cast<int>(i);
    if (step.in_place && is_load(load) && stride_of_load(load) == 1) {
      add_ahead(place_of(load), step.index, false);
    }
  }
  for (std::size_t o = 0; o < program_.plan.outputs.size(); ++o) {
    if (stride_of_output(o) == 1) add_ahead(output_place(o), inputs + o, true);
  }
}

// Of windows that overlap, the last one comes first to what is new.
void LinearMap::add_ahead(const Place& place, std::size_t operand, bool is_written) {
  Ahead* const end = ahead_.data() + ahead_count_;
  const std::int64_t reach = element_count(arguments_.extents) * place.step / 2;
  Ahead* const found = std::find_if(ahead_.data(), end, [&](const Ahead& other) {
    return other.place.step == place.step && std::abs(other.place.first - place.first) < reach;
  });
  if (found == ahead_.data() + kMaxAhead) return;
  if (found != end && found->place.first >= place.first) return;
  const bool is_row = arguments_.extents.back() <= tile_;
  const std::int64_t row = rows_[operand].steps[arguments_.extents.rank() - 2];
  *found = {place, is_row ? row : tile_ * place.step, is_written};
  if (found == end) ++ahead_count_;
}

void LinearMap::fetch(std::int64_t begin, std::int64_t count) const {
  for (std::size_t i = 0; i < ahead_count_; ++i) {
    const Ahead& ahead = ahead_[i];
    fetch_lines(ahead.place.at(begin) + ahead.distance, count * ahead.place.step, ahead.is_written);
  }
}

bool LinearMap::is_load(int i) const {
  const TileStep& step = program_.steps[static_cast<std::size_t>(i)];
  return step.kind == StepKind::load && !step.uniform;
}

std::int64_t LinearMap::stride_of_load(int i) const {
  const TileStep& step = program_.steps[static_cast<std::size_t>(i)];
  return by_rows_ ? arguments_.inputs[step.index].strides.back() : 1;
}

std::int64_t LinearMap::stride_of_output(std::size_t output) const {
  return by_rows_ ? arguments_.outputs[output].strides.back() : 1;
}

LinearMap::Place LinearMap::output_place(std::size_t output) const {
  const auto size =
      static_cast<std::int64_t>(item_size(program_.plan.outputs[output].operand.dtype));
  return {static_cast<char*>(arguments_.outputs[output].pointer), stride_of_output(output) * size,
          by_rows_ ? &rows_[program_.plan.inputs.size() + output].offset : &here_};
}

LinearMap::Place LinearMap::place_of(int i) const {
  const TileStep& step = program_.steps[static_cast<std::size_t>(i)];
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): loops do not write what they read
  if (step.uniform) return {static_cast<char*>(const_cast<void*>(evaluator_.value(i))), 0, &here_};
  if (is_load(i)) {
    return {static_cast<char*>(arguments_.inputs[step.index].pointer),
            stride_of_load(i) * static_cast<std::int64_t>(step.item_size),
            by_rows_ ? &rows_[step.index].offset : &here_};
  }
  const int output = output_of(i);
  return output >= 0 ? output_place(static_cast<std::size_t>(output))
                     : Place{evaluator_.slot(i), 0, &here_};
}

LinearMap::Call& LinearMap::add_move(CallKind kind, const Place& from, const Place& to,
                                     std::size_t item_size) {
  Call& call = *new (&calls_[count_++]) Call;
  call.kind = kind;
  std::fill_n(call.inputs, 3, from);
  call.result = to;
  call.item_size = item_size;
  return call;
}

LinearMap::Place LinearMap::brought(int i) {
  const TileStep& step = program_.steps[static_cast<std::size_t>(i)];
  const Place buffer{evaluator_.slot(i), 0, &here_};
  const bool is_there =
      std::any_of(calls_, calls_ + count_, [i](const Call& call) { return call.load == i; });
  if (is_there) return buffer;
  const std::int64_t stride = stride_of_load(i);
  Call& call = add_move(stride == 0 ? CallKind::repeat : CallKind::gather, place_of(i), buffer,
                        step.item_size);
  call.stride = stride;
  call.load = i;
  return buffer;
}

int LinearMap::output_of(int i) const {
  const TileStep& step = program_.steps[static_cast<std::size_t>(i)];
  if (step.output >= 0) {
    return stride_of_output(static_cast<std::size_t>(step.output)) == 1 ? step.output : -1;
  }
  for (std::size_t o = 0; o < program_.plan.outputs.size() && !by_rows_; ++o) {
    if (program_.plan.outputs[o].value == i && is_apart(o)) return static_cast<int>(o);
  }
  return -1;
}

bool LinearMap::is_apart(std::size_t output) const {
  const std::int64_t elements = element_count(arguments_.extents);
  const Place target = output_place(output);
  const std::less_equal<> not_after;
  for (std::size_t i = 0; i < arguments_.inputs.size(); ++i) {
    const OperandSpec& spec = program_.plan.inputs[i];
    const std::int64_t count = spec.layout == OperandLayout::broadcast ? 1 : elements;
    const auto* const first = static_cast<const char*>(arguments_.inputs[i].pointer);
    const char* const end = first + count * static_cast<std::int64_t>(item_size(spec.dtype));
    if (!not_after(end, target.first) && !not_after(target.at(elements), first)) return false;
  }
  return true;
}

void LinearMap::add_loop(const TileStep& step, int i) {
  Call call;
  call.loop = step.loop;
  call.result = place_of(i);
  call.pair = step.pair;
  if (step.pair != nullptr) {
    call.kind = CallKind::compute_pair;
    call.second = place_of(i + 1);
  }
  for (std::size_t a = 0; a < 3; ++a) {
    call.inputs[a].row = &here_;
    const int argument = step.args[a];
    if (argument < 0) continue;
    const std::int64_t stride = is_load(argument) ? stride_of_load(argument) : 1;
    const bool is_one =
        stride == 0 && a < 2 && call.loop == step.loop && step.one_loops[a] != nullptr;
    if (is_one) call.loop = step.one_loops[a];
    call.inputs[a] = stride == 1 || is_one ? place_of(argument) : brought(argument);
    if (program_.steps[static_cast<std::size_t>(argument)].repeats &&
        !step.reads_one(static_cast<int>(a))) {
      reads_repeated_ = true;
      tile_ = std::min(tile_, program_.repeated_elements);
    }
  }
  new (&calls_[count_++]) Call(call);
}

void LinearMap::add_store(std::size_t output) {
  const int value = program_.plan.outputs[output].value;
  const TileStep& step = program_.steps[static_cast<std::size_t>(value)];
  const bool is_computed = step.loop != nullptr && !step.uniform;
  if (is_computed && output_of(value) == static_cast<int>(output)) return;
  const Place target = output_place(output);
  const std::int64_t stride = stride_of_output(output);
  const std::int64_t read = is_load(value) ? stride_of_load(value) : 1;
  if (stride != 1) {
    const Place from = read == 1 ? place_of(value) : brought(value);
    add_move(CallKind::scatter, from, target, step.item_size).stride = stride;
  } else if (step.uniform || read == 0) {
    add_move(CallKind::repeat, place_of(value), target, step.item_size);
  } else {
    add_move(CallKind::gather, place_of(value), target, step.item_size).stride = read;
  }
}

void LinearMap::go_to_row(std::int64_t row) {
  for (std::size_t o = 0; o < operands_; ++o) rows_[o].offset = 0;
  for (std::size_t d = arguments_.extents.size() - 1; d-- > 0;) {
    const std::int64_t extent = arguments_.extents[d];
    position_[d] = row % extent;
    row /= extent;
    for (std::size_t o = 0; o < operands_; ++o) {
      Rows& rows = rows_[o];
      const std::int64_t turn = rows.turns == nullptr ? 0 : (*rows.turns)[d];
      const bool is_behind = turn > 0 && position_[d] >= turn;
      rows.offset += (position_[d] - (is_behind ? extent : 0)) * rows.steps[d];
    }
  }
}

void LinearMap::go_to_next_row() {
  for (std::size_t d = arguments_.extents.size() - 1; d-- > 0;) {
    const std::int64_t extent = arguments_.extents[d];
    const bool goes_on = ++position_[d] < extent;
    for (std::size_t o = 0; o < operands_; ++o) {
      Rows& rows = rows_[o];
      rows.offset += rows.steps[d];
      if (goes_on) {
        if (rows.turns_at(d, position_[d])) rows.offset -= extent * rows.steps[d];
      } else if (rows.turns == nullptr || (*rows.turns)[d] == 0) {
        rows.offset -= extent * rows.steps[d];
      }
    }
    if (goes_on) return;
    position_[d] = 0;
  }
}

void LinearMap::run_rows(std::int64_t first, std::int64_t end) {
  const std::size_t last = arguments_.extents.size() - 1;
  const std::int64_t length = arguments_.extents[last];
  go_to_row(first);
  for (std::int64_t row = first; row < end; ++row) {
    std::int64_t begin = 0;
    for (std::size_t piece = 0; piece < piece_count_; ++piece) {
      run(begin, pieces_[piece]);
      begin = pieces_[piece];
      for (std::size_t o = 0; o < operands_ && piece_count_ > 1; ++o) {
        Rows& rows = rows_[o];
        if (rows.turns_at(last, begin)) rows.offset -= length * rows.steps[last];
        const bool has_turned = rows.turns != nullptr && rows.turns->back() > 0;
        if (begin == length && has_turned) rows.offset += length * rows.steps[last];
      }
    }
    go_to_next_row();
  }
}

void LinearMap::run(std::int64_t first, std::int64_t end) const {
  for (std::int64_t begin = first; begin < end; begin += tile_) {
    const std::int64_t count = std::min(tile_, end - begin);
    fetch(begin, count);
    for (std::size_t i = 0; i < count_; ++i) {
      const Call& call = calls_[i];
      const void* const inputs[3] = {call.inputs[0].at(begin), call.inputs[1].at(begin),
                                     call.inputs[2].at(begin)};
      void* const result = call.result.at(begin);
      switch (call.kind) {
        case CallKind::compute:
          call.loop(inputs, result, count);
          break;
        case CallKind::compute_pair:
          call.pair(inputs, result, call.second.at(begin), count);
          break;
        case CallKind::repeat:
          fill_row(result, inputs[0], count, call.item_size);
          break;
        case CallKind::gather:
          if (result != inputs[0])
            gather_row(result, inputs[0], call.stride, count, call.item_size);
          break;
        case CallKind::scatter:
          scatter_row(result, inputs[0], call.stride, count, call.item_size);
          break;
      }
    }
  }
}

}  // namespace cupola::cpu
