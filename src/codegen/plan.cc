#include "codegen/plan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <type_traits>

#include "base/containers/hash.h"
#include "graph/user_function.h"

namespace cupola {
namespace {

// Numbers in base 36, ended by '.', so that no two sequences of numbers share a text.
class KeyWriter {
 public:
  void number(std::int64_t value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value, 36).ptr;
    text_.append(digits, end);
    text_ += '.';
  }
  void tag(char c) { text_ += c; }
  void text(const std::string& text) { text_ += text; }
  void dtype(DType dtype) { tag(code_of(dtype)); }
  void operand(const OperandSpec& spec) {
    dtype(spec.dtype);
    tag("cbsi"[static_cast<int>(spec.layout)]);
    tag("uarRtT"[static_cast<int>(spec.aligned16) + 2 * static_cast<int>(spec.per_row) +
                 (spec.turned != 0 ? 4 : 0)]);
    if (spec.turned != 0) number(spec.turned);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void write_step(KeyWriter& key, const Step& step) {
  key.tag("lsictwgruk"[static_cast<int>(step.kind)]);
  key.dtype(step.dtype);
  for (const std::int64_t value :
       {static_cast<std::int64_t>(step.ufunc), static_cast<std::int64_t>(step.index),
        static_cast<std::int64_t>(step.args[0]), static_cast<std::int64_t>(step.args[1]),
        static_cast<std::int64_t>(step.args[2])}) {
    key.number(value);
  }
}

void write_call(KeyWriter& key, const UserStep& call) {
  key.text(to_string(call.function->key));
  key.number(call.result);
  key.number(static_cast<std::int64_t>(call.args.size()));
  for (const std::int16_t argument : call.args) key.number(argument);
}

void write_output(KeyWriter& key, const OutputSpec& output) {
  key.operand(output.operand);
  key.tag("pscnxebo"[static_cast<int>(output.store)]);
  key.number(output.value);
  key.number(output.offset);
  key.number(output.predicate);
  key.number(static_cast<std::int64_t>(output.combine));
  if (output.store == StoreKind::partition || output.store == StoreKind::tally) {
    key.number(output.bins);
  }
}

// Elements without padding, as they lie in memory; lists of other lengths differ.
template <typename T>
std::uint64_t add_list(std::span<const T> list, std::uint64_t hash) {
  static_assert(std::has_unique_object_representations_v<T>);
  return hash64(list.data(), list.size() * sizeof(T), hash + list.size());
}

// The fields of a plan and of an output, in a form without padding.
using Fields = std::array<std::int32_t, 8>;

std::uint64_t add_fields(const Fields& fields, std::uint64_t hash) {
  return hash64(fields.data(), sizeof fields, hash);
}

std::int16_t finish_value_of(const KernelPlan& plan) {
  const auto* const reduce = std::get_if<ReducePlan>(&plan.own);
  return reduce ? reduce->finish_value : std::int16_t{-1};
}

// Of plans without one: as if it were this.
CombineSpec combine_or_none(const KernelPlan& plan) {
  const CombineSpec* const combine = plan.combine();
  return combine ? *combine : CombineSpec{};
}

Fields fields_of(const KernelPlan& plan) {
  const CombineSpec combine = combine_or_none(plan);
  return {static_cast<int>(plan.kind()),
          plan.rank,
          plan.reduced_rank(),
          static_cast<int>(plan.wide_index),
          static_cast<int>(combine.ufunc),
          static_cast<int>(combine.accumulator),
          static_cast<int>(plan.steps.size()),
          combine.function};
}

Fields fields_of(const OutputSpec& output) {
  return {static_cast<int>(output.operand.dtype),
          static_cast<int>(output.operand.layout),
          static_cast<int>(output.operand.aligned16) + 2 * static_cast<int>(output.operand.per_row),
          output.value,
          static_cast<int>(output.store) + 256 * output.bins,
          output.offset,
          output.predicate,
          static_cast<int>(output.combine)};
}

}  // namespace

AnyPlan plan_of_kind(PlanKind kind, const CombineSpec& combine, int reduced_rank) {
  switch (kind) {
    case PlanKind::map:
      return MapPlan{};
    case PlanKind::reduce:
      return ReducePlan{combine, reduced_rank};
    case PlanKind::arg_reduce:
      return ArgReducePlan{combine, reduced_rank};
    case PlanKind::scan:
      return ScanPlan{combine};
    case PlanKind::segment_reduce:
      return SegmentReducePlan{combine};
    case PlanKind::rows:
      return RowsPlan{reduced_rank};
  }
  __builtin_unreachable();
}

int KernelPlan::reduced_rank() const {
  const auto rank_of = [&](const auto& plan) {
    if constexpr (requires { plan.reduced_rank; }) {
      return plan.reduced_rank;
    } else if constexpr (requires { plan.combine; }) {
      return 1;
    } else {
      return !outputs.empty() && orders_rows(outputs.front().store) ? 1 : 0;
    }
  };
  return std::visit(rank_of, own);
}

void KernelPlan::set_reduced_rank(int dimensions) {
  const auto set = [dimensions](auto& plan) {
    if constexpr (requires { plan.reduced_rank; }) plan.reduced_rank = dimensions;
  };
  std::visit(set, own);
}

const CombineSpec* KernelPlan::combine() const {
  return std::visit(
      [](const auto& plan) -> const CombineSpec* {
        if constexpr (requires { plan.combine; }) {
          return &plan.combine;
        } else {
          return nullptr;
        }
      },
      own);
}

bool operator==(const UserStep& a, const UserStep& b) {
  return a.function->key == b.function->key && a.result == b.result && a.args == b.args;
}

std::span<const std::int16_t> arguments_of(const KernelPlan& plan, const Step& step) {
  if (step.kind == StepKind::user) return plan.calls[step.index].args;
  const auto end = std::find(step.args.begin(), step.args.end(), std::int16_t{-1});
  return {step.args.begin(), end};
}

const UserFunction* combining_function(const KernelPlan& plan, std::uint16_t combining_index) {
  return combining_index == 0 ? nullptr : plan.calls[combining_index - 1U].function;
}

bool starts_from_zero(const CombineSpec& combine) {
  return combine.function == 0 && combine.ufunc == UfuncId::add && is_inexact(combine.accumulator);
}

std::span<const Step> finish_of(const KernelPlan& plan) {
  const auto* const reduce = std::get_if<ReducePlan>(&plan.own);
  return reduce ? std::span<const Step>(reduce->finish) : std::span<const Step>();
}

KernelPlan finish_plan(const KernelPlan& plan) {
  const ReducePlan& reduce = std::get<ReducePlan>(plan.own);
  KernelPlan result;
  result.rank = 1;
  result.steps = reduce.finish;
  result.scalars = plan.scalars;
  result.calls = plan.calls;
  for (const Step& step : reduce.finish) {
    if (step.kind != StepKind::load) continue;
    result.inputs = {{step.dtype, OperandLayout::contiguous}};
  }
  result.outputs = {{.operand = {plan.outputs.front().operand.dtype, OperandLayout::contiguous},
                     .value = reduce.finish_value}};
  return result;
}

std::uint64_t hash_of(const KernelPlan& plan) noexcept {
  std::uint64_t hash = add_fields(fields_of(plan), 0);
  hash = add_list(std::span(plan.inputs), hash);
  hash = add_list(std::span(plan.scalars), hash);
  hash = add_list(std::span(plan.steps), hash);
  for (const OutputSpec& output : plan.outputs) hash = add_fields(fields_of(output), hash);
  hash = add_list(finish_of(plan), hash + static_cast<std::uint64_t>(finish_value_of(plan)));
  for (const UserStep& call : plan.calls) {
    hash = add_list(std::span(call.args), hash + call.function->key.low + call.result);
  }
  return hash;
}

std::string plan_key(const KernelPlan& plan) {
  KeyWriter key;
  const CombineSpec combine = combine_or_none(plan);
  key.tag("mrasgw"[static_cast<int>(plan.kind())]);
  key.tag(plan.wide_index ? 'w' : 'n');
  key.dtype(combine.accumulator);
  key.number(plan.rank);
  key.number(plan.reduced_rank());
  key.number(static_cast<std::int64_t>(combine.ufunc));
  key.number(combine.function);
  key.number(static_cast<std::int64_t>(plan.inputs.size()));
  for (const OperandSpec& input : plan.inputs) key.operand(input);
  key.number(static_cast<std::int64_t>(plan.scalars.size()));
  for (const DType dtype : plan.scalars) key.dtype(dtype);
  key.number(static_cast<std::int64_t>(plan.steps.size()));
  for (const Step& step : plan.steps) write_step(key, step);
  key.number(static_cast<std::int64_t>(plan.outputs.size()));
  for (const OutputSpec& output : plan.outputs) write_output(key, output);
  const std::span<const Step> finish = finish_of(plan);
  key.number(static_cast<std::int64_t>(finish.size()));
  for (const Step& step : finish) write_step(key, step);
  key.number(finish_value_of(plan));
  for (const UserStep& call : plan.calls) write_call(key, call);
  return key.take();
}

}  // namespace cupola
