#include "platforms/cpu/reductions/reduction.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "platforms/cpu/interpreter/strided.h"
#include "platforms/cpu/interpreter/tile_runner.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

constexpr std::int64_t kWidestTile = 2048;
constexpr std::int64_t kNarrowTile = 256;
constexpr std::int64_t kFewElements = 32;

bool combine_across(const TileProgram& program, const LaunchArguments& arguments,
                    const ReductionShape& shape) {
  if (shape.kept_rank == 0 || shape.kept_row < kShortestRowAcross || shape.reduced < 2)
    return false;
  if (shape.reduced <= kFewElements) return shape.kept_row >= kLanes;
  int closer = 0;
  for (const TileStep& step : program.steps) {
    if (step.kind != StepKind::load || step.uniform) continue;
    const Dims& strides = arguments.inputs[step.index].strides;
    const std::int64_t kept = std::abs(strides[static_cast<std::size_t>(shape.kept_rank - 1)]);
    const std::int64_t reduced = std::abs(strides.back());
    if (reduced == 0) continue;  // one row for all: it is in the cache either way
    closer += kept < reduced ? 1 : -1;
  }
  return closer > 0;
}

const void* with_identity(const TileProgram& program, const void* accumulators, std::int64_t count,
                          Scratch& scratch) {
  const KernelPlan& plan = program.plan;
  const CombineSpec& combine = *plan.combine();
  if (plan.kind() != PlanKind::reduce || !starts_from_zero(combine)) return accumulators;
  const std::size_t bytes = static_cast<std::size_t>(count) * item_size(combine.accumulator);
  void* zeros = scratch.take(bytes);
  void* sums = scratch.take(bytes);
  std::memset(zeros, 0, bytes);
  const void* inputs[2] = {zeros, accumulators};
  program.reduce.combine(inputs, sums, count);
  return sums;
}

// What program.finish makes of the values.
const void* finished(const TileProgram& program, const LaunchArguments& arguments,
                     const void* values, std::int64_t count, Scratch& scratch) {
  const TileProgram& finish = *program.finish;
  const std::size_t item = item_size(finish.plan.outputs[0].operand.dtype);
  void* results = scratch.take(static_cast<std::size_t>(count) * item);
  LaunchArguments over_values{.extents = Dims{count},
                              .inputs = {{const_cast<void*>(values), Dims{1}}},
                              .outputs = {{results, Dims{1}}},
                              .scalars = arguments.scalars};
  const std::int64_t tile = std::min(count, finish.tile_elements);
  TileEvaluator evaluator(finish, over_values, tile, scratch);
  for (std::int64_t first = 0; first < count; first += tile) {
    evaluator.evaluate({first, std::min(tile, count - first), -1});
    evaluator.store(0, evaluator.value(finish.plan.outputs[0].value));
  }
  return results;
}

}  // namespace

ReductionShape::ReductionShape(const TileProgram& program, const LaunchArguments& arguments) {
  kept_rank = program.plan.rank - program.plan.reduced_rank();
  for (int d = 0; d < program.plan.rank; ++d) {
    (d < kept_rank ? kept : reduced) *= arguments.extents[static_cast<std::size_t>(d)];
  }
  if (kept_rank > 0) kept_row = arguments.extents[static_cast<std::size_t>(kept_rank - 1)];
  across = combine_across(program, arguments, *this);
}

KeptTiles::KeptTiles(const ReductionShape& shape) : row(shape.kept_row) {
  const std::int64_t tasks = pool_size() > 1 ? 4 * pool_size() : 1;
  const std::int64_t rows = shape.kept / row * shape.chunks();
  const std::int64_t wanted = rows >= tasks ? kWidestTile : shape.kept * shape.chunks() / tasks;
  width = std::min(row, std::clamp((wanted + 63) / 64 * 64, kNarrowTile, kWidestTile));
  per_row = (row + width - 1) / width;
  count = per_row * (shape.kept / row);
}

KeptTile KeptTiles::operator[](std::int64_t i) const {
  const std::int64_t begin = i % per_row * width;
  return {i / per_row * row + begin, std::min(width, row - begin)};
}

RowsInMemory::RowsInMemory(const TileProgram& program, const LaunchArguments& arguments,
                           const ReductionShape& shape)
    : length_(shape.reduced) {
  const TileStep& step = program.steps[static_cast<std::size_t>(program.value)];
  size_ = static_cast<std::int64_t>(step.item_size);
  if (program.steps.size() == 1 && step.kind == StepKind::load && !step.uniform &&
      program.plan.inputs[step.index].layout == OperandLayout::contiguous) {
    first_ = static_cast<const char*>(arguments.inputs[step.index].pointer);
  }
}

TreeStack::TreeStack(LoopFunction combine, std::size_t item_size, std::int64_t width, int depth,
                     Scratch& scratch)
    : combine_(combine), width_(width) {
  entry_bytes_ = (width * static_cast<std::int64_t>(item_size) + 15) / 16 * 16;
  memory_ = scratch.take(static_cast<std::size_t>(entry_bytes_ * depth));
}

void TreeStack::join_top() {
  const void* inputs[2] = {entry(size_ - 2), entry(size_ - 1)};
  combine_(inputs, entry(size_ - 2), width_);
  --size_;
}

void TreeStack::push(int level) {
  levels_[size_++] = level;
  while (size_ > 1 && levels_[size_ - 2] == levels_[size_ - 1]) {
    join_top();
    ++levels_[size_ - 1];
  }
}

void* TreeStack::fold() {
  while (size_ > 1) join_top();
  size_ = 0;
  return entry(0);
}

void* join_parts(const TileProgram& program, const char* partials, std::int64_t parts,
                 std::int64_t width, Scratch& scratch) {
  const std::size_t size = item_size(program.plan.combine()->accumulator);
  TreeStack stack(program.reduce.combine, size, width, kFullDepth, scratch);
  const auto bytes = static_cast<std::size_t>(width) * size;
  for (std::int64_t part = 0; part < parts; ++part) {
    std::memcpy(stack.next(), partials + static_cast<std::size_t>(part) * bytes, bytes);
    stack.push();
  }
  return stack.fold();
}

void store_results(const TileProgram& program, const LaunchArguments& arguments, KeptTile kept,
                   const void* accumulators, Scratch& scratch) {
  const DType dtype = program.plan.outputs[0].operand.dtype;
  const void* results = with_identity(program, accumulators, kept.count, scratch);
  if (program.output_cast != nullptr) {
    void* cast = scratch.take(static_cast<std::size_t>(kept.count) * program.cast_item_size);
    program.output_cast(&results, cast, kept.count);
    results = cast;
  }
  if (program.finish) results = finished(program, arguments, results, kept.count, scratch);
  const OperandArgument& output = arguments.outputs[0];
  // Segments are a dimension of the output, the elements in them are not.
  const bool segments = program.plan.kind() == PlanKind::segment_reduce;
  const auto rank =
      static_cast<std::size_t>(program.plan.rank - (segments ? 0 : program.plan.reduced_rank()));
  const Dims extents(std::span(arguments.extents.data(), rank));
  const Dims strides(std::span(output.strides.data(), rank));
  scatter_range(output.pointer, results, extents, strides, kept.first, kept.count,
                item_size(dtype));
}

void combine_in_memory(UfuncId id, DType dtype, const void* values, std::int64_t count,
                       void* result) {
  const ReduceLoops& loops = find_reduce(id, dtype);
  const std::size_t size = item_size(dtype);
  if (count <= kLeaf) {
    loops.tree(values, count, result);
  } else {
    Scratch scratch;
    TreeStack stack(loops.combine, size, 1, kFullDepth, scratch);
    const auto* const bytes = static_cast<const char*>(values);
    for (std::int64_t first = 0; first < count; first += kLeaf) {
      loops.tree(bytes + static_cast<std::size_t>(first) * size, std::min(kLeaf, count - first),
                 stack.next());
      stack.push();
    }
    std::memcpy(result, stack.fold(), size);
  }
  if (!starts_from_zero({.ufunc = id, .accumulator = dtype})) return;
  alignas(16) const unsigned char zero[16] = {};
  alignas(16) unsigned char sum[16];
  const void* inputs[2] = {zero, result};
  loops.combine(inputs, sum, 1);
  std::memcpy(result, sum, size);
}

void find_in_memory(UfuncId id, DType dtype, const void* values, std::int64_t count, void* result) {
  Extremum best;
  find_extremum(id == UfuncId::maximum, dtype).along(values, count, 0, best);
  std::memcpy(result, &best.index, sizeof best.index);
}

Scalar identity_of(const CombineSpec& combine) {
  switch (ufunc_info(combine.ufunc).identity) {
    case Identity::one:
    case Identity::true_:
      return Scalar(std::int64_t{1}).cast(combine.accumulator);
    case Identity::minus_one:
      return Scalar(std::int64_t{-1}).cast(combine.accumulator);
    case Identity::minus_infinity:
      return Scalar(-std::numeric_limits<double>::infinity()).cast(combine.accumulator);
    case Identity::zero:
    case Identity::false_:
    case Identity::none:
      return Scalar(std::int64_t{0}).cast(combine.accumulator);
  }
  __builtin_unreachable();
}

void store_identity(const TileProgram& program, const LaunchArguments& arguments,
                    const ReductionShape& shape) {
  const Scalar identity = identity_of(*program.plan.combine());
  for (std::int64_t i = 0; i < shape.kept; ++i) {
    Scratch scratch;
    store_results(program, arguments, {i, 1}, identity.data(), scratch);
  }
}

}  // namespace cupola::cpu
