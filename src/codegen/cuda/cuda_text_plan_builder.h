#pragma once
// How plans for tests of the CUDA text are put together.

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "codegen/plan.h"
#include "graph/user_function.h"

namespace cupola {

struct NamedPlan {
  std::string name;
  KernelPlan plan;
  bool every_architecture = false;
  bool golden = false;
  friend void PrintTo(const NamedPlan& named, std::ostream* stream) { *stream << named.name; }
};

// Puts plans together step by step.
class PlanBuilder {
 public:
  explicit PlanBuilder(PlanKind kind, int rank, int reduced_rank = 0) {
    plan_.own = plan_of_kind(kind, {}, reduced_rank);
    plan_.rank = rank;
  }
  std::int16_t input(DType dtype, OperandLayout layout, bool aligned = false) {
    plan_.inputs.push_back({dtype, layout, aligned});
    return static_cast<std::int16_t>(plan_.inputs.size() - 1);
  }
  std::int16_t load(DType dtype, OperandLayout layout, bool aligned = false) {
    const std::int16_t index = input(dtype, layout, aligned);
    return step({StepKind::load, dtype, {}, static_cast<std::uint16_t>(index), {-1, -1, -1}});
  }
  // Of an input in two pieces along the dimensions of these bits.
  std::int16_t load_turned(DType dtype, std::uint32_t turned) {
    const std::int16_t value = load(dtype, OperandLayout::strided);
    plan_.inputs.back().turned = turned;
    return value;
  }
  std::int16_t scalar(DType dtype) {
    plan_.scalars.push_back(dtype);
    const auto index = static_cast<std::uint16_t>(plan_.scalars.size() - 1);
    return step({StepKind::scalar, dtype, {}, index, {-1, -1, -1}});
  }
  std::int16_t index() { return step({StepKind::index, DType::int64, {}, 0, {-1, -1, -1}}); }
  std::int16_t cast(std::int16_t a, DType dtype) {
    return step({StepKind::cast, dtype, {}, 0, {a, -1, -1}});
  }
  std::int16_t ufunc(UfuncId id, std::int16_t a, std::int16_t b, DType dtype, int result = 0) {
    return step({StepKind::ufunc, dtype, id, static_cast<std::uint16_t>(result), {a, b, -1}});
  }
  // Of the elements' positions, with scalars as key and draw.
  std::int16_t random(UfuncId id) {
    const std::int16_t key = scalar(DType::uint64);
    const std::int16_t draw = scalar(DType::uint64);
    const DType dtype = ufunc_info(id).loops[0].output(0);
    return step({StepKind::ufunc, dtype, id, 0, {index(), key, draw}});
  }
  // Of the elements' streams of random bits and loaded parameters.
  std::int16_t sampled(UfuncId id, OperandLayout layout) {
    const UfuncLoop& loop = ufunc_info(id).loops[0];
    std::array<std::int16_t, 3> args{random(UfuncId::random_uint64), -1, -1};
    for (int i = 1; i < loop.input_count; ++i) {
      args[static_cast<std::size_t>(i)] = load(loop.input(i), layout);
    }
    return step({StepKind::ufunc, loop.output(0), id, 0, args});
  }
  std::int16_t select(std::int16_t c, std::int16_t a, std::int16_t b) {
    return step({StepKind::select, dtype_of_step(a), {}, 0, {c, a, b}});
  }
  std::int16_t gather(std::int16_t input, std::int16_t offset) {
    const DType dtype = plan_.inputs[static_cast<std::size_t>(input)].dtype;
    return step({StepKind::gather, dtype, {}, static_cast<std::uint16_t>(input), {offset, -1, -1}});
  }
  std::int16_t user(const UserFunction& function, std::vector<std::int16_t> args,
                    std::uint16_t result = 0) {
    plan_.calls.push_back({&function, result, std::move(args)});
    const auto index = static_cast<std::uint16_t>(plan_.calls.size() - 1);
    return step({StepKind::user, function.outputs[result], {}, index, {-1, -1, -1}});
  }
  // rows: one value for each row.
  std::int16_t combine_row(UfuncId id, std::int16_t a) {
    return step({StepKind::combine, dtype_of_step(a), id, 0, {a, -1, -1}});
  }
  std::int16_t combine_row(const UserFunction& function, std::int16_t a) {
    const std::uint16_t index = add_combining(function);
    return step({StepKind::combine, dtype_of_step(a), {}, index, {a, -1, -1}});
  }
  std::int16_t load_of_row(DType dtype) {
    const std::int16_t value = load(dtype, OperandLayout::strided);
    plan_.inputs.back().per_row = true;
    return value;
  }
  PlanBuilder& store_row(std::int16_t value) {
    plan_.outputs.push_back({{dtype_of_step(value), OperandLayout::strided, false, true}, value});
    return *this;
  }
  PlanBuilder& store(std::int16_t value, OperandLayout layout, bool aligned = false) {
    plan_.outputs.push_back({{dtype_of_step(value), layout, aligned}, value});
    return *this;
  }
  PlanBuilder& store_as(std::int16_t value, DType dtype, OperandLayout layout) {
    plan_.outputs.push_back({{dtype, layout, false}, value});
    return *this;
  }
  PlanBuilder& scatter(std::int16_t value, std::int16_t offset, std::int16_t predicate = -1) {
    plan_.outputs.push_back({{dtype_of_step(value), OperandLayout::indexed, false},
                             value,
                             StoreKind::scatter,
                             offset,
                             predicate});
    return *this;
  }
  PlanBuilder& combine_at(UfuncId id, std::int16_t value, std::int16_t offset,
                          std::int16_t predicate = -1) {
    plan_.outputs.push_back({{dtype_of_step(value), OperandLayout::indexed, false},
                             value,
                             StoreKind::combine,
                             offset,
                             predicate,
                             id});
    return *this;
  }
  PlanBuilder& tally(std::int16_t value, std::int16_t offset, std::int16_t predicate = -1) {
    scatter(value, offset, predicate);
    plan_.outputs.back().store = StoreKind::tally;
    return *this;
  }
  // The only output of the plan, by tiles of a mask.
  PlanBuilder& masked(StoreKind store, DType dtype, std::int16_t value, std::int16_t predicate,
                      OperandLayout layout = OperandLayout::indexed) {
    if (store != StoreKind::count) input(DType::int64, OperandLayout::indexed);
    plan_.outputs.push_back({{dtype, layout}, value, store, -1, predicate});
    return *this;
  }
  // An output of a plan that orders rows by the step `offset`.
  PlanBuilder& ordered(StoreKind store, std::int16_t value, std::int16_t offset) {
    plan_.outputs.push_back({{dtype_of_step(value), OperandLayout::indexed}, value, store, offset});
    return *this;
  }
  std::int16_t rank() { return step({StepKind::rank, DType::int64, {}, 0, {-1, -1, -1}}); }
  PlanBuilder& combine(UfuncId id, DType accumulator) {
    const CombineSpec combine{.ufunc = id, .accumulator = accumulator};
    plan_.own = plan_of_kind(plan_.kind(), combine, plan_.reduced_rank());
    return *this;
  }
  // The same by a function of a user, and what another makes of the result and of numbers.
  PlanBuilder& combine(const UserFunction& function, const UserFunction& finish,
                       const std::vector<std::int16_t>& scalars) {
    ReducePlan& reduce = std::get<ReducePlan>(plan_.own);
    reduce.combine = {{}, add_combining(function), function.outputs[0]};
    reduce.finish = {{StepKind::load, function.outputs[0], {}, 0, {-1, -1, -1}}};
    UserStep call{&finish, 0, {0}};
    for (const std::int16_t scalar : scalars) {
      reduce.finish.push_back(plan_.steps[static_cast<std::size_t>(scalar)]);
      call.args.push_back(static_cast<std::int16_t>(reduce.finish.size() - 1));
    }
    plan_.calls.push_back(std::move(call));
    const auto number = static_cast<std::uint16_t>(plan_.calls.size() - 1);
    reduce.finish.push_back({StepKind::user, finish.outputs[0], {}, number, {-1, -1, -1}});
    reduce.finish_value = static_cast<std::int16_t>(reduce.finish.size() - 1);
    return *this;
  }
  PlanBuilder& wide() {
    plan_.wide_index = true;
    return *this;
  }
  KernelPlan take() const { return plan_; }
  DType dtype_of_step(std::int16_t i) const {
    return plan_.steps[static_cast<std::size_t>(i)].dtype;
  }

 private:
  std::uint16_t add_combining(const UserFunction& function) {
    plan_.calls.push_back({&function, 0, {}});
    return combining_index(static_cast<std::uint16_t>(plan_.calls.size() - 1));
  }
  std::int16_t step(Step step) {
    plan_.steps.push_back(step);
    return static_cast<std::int16_t>(plan_.steps.size() - 1);
  }
  KernelPlan plan_;
};

namespace plans {

inline constexpr OperandLayout kContiguous = OperandLayout::contiguous;
inline constexpr OperandLayout kBroadcast = OperandLayout::broadcast;
inline constexpr OperandLayout kStrided = OperandLayout::strided;
inline constexpr OperandLayout kIndexed = OperandLayout::indexed;

}  // namespace plans

}  // namespace cupola
