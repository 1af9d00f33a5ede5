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
std::uint64_t add_list(const std::vector<T>& list, std::uint64_t hash) {
  static_assert(std::has_unique_object_representations_v<T>);
  return hash64(list.data(), list.size() * sizeof(T), hash + list.size());
}

// The fields of a plan and of an output, in a form without padding.
using Fields = std::array<std::int32_t, 8>;

std::uint64_t add_fields(const Fields& fields, std::uint64_t hash) {
  return hash64(fields.data(), sizeof fields, hash);
}

Fields fields_of(const KernelPlan& plan) {
  return {static_cast<int>(plan.kind),
          plan.rank,
          plan.reduced_rank,
          static_cast<int>(plan.wide_index),
          static_cast<int>(plan.combine),
          static_cast<int>(plan.accumulator),
          static_cast<int>(plan.steps.size()),
          plan.combine_index};
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

bool starts_from_zero(UfuncId combine, std::uint16_t combining_index, DType accumulator) {
  return combining_index == 0 && combine == UfuncId::add && is_inexact(accumulator);
}

KernelPlan finish_plan(const KernelPlan& plan) {
  KernelPlan result;
  result.rank = 1;
  result.steps = plan.finish;
  result.scalars = plan.scalars;
  result.calls = plan.calls;
  for (const Step& step : plan.finish) {
    if (step.kind != StepKind::load) continue;
    result.inputs = {{step.dtype, OperandLayout::contiguous}};
  }
  result.outputs = {{.operand = {plan.outputs.front().operand.dtype, OperandLayout::contiguous},
                     .value = plan.finish_value}};
  return result;
}

std::uint64_t hash_of(const KernelPlan& plan) noexcept {
  std::uint64_t hash = add_fields(fields_of(plan), 0);
  hash = add_list(plan.inputs, hash);
  hash = add_list(plan.scalars, hash);
  hash = add_list(plan.steps, hash);
  for (const OutputSpec& output : plan.outputs) hash = add_fields(fields_of(output), hash);
  hash = add_list(plan.finish, hash + static_cast<std::uint64_t>(plan.finish_value));
  for (const UserStep& call : plan.calls) {
    hash = add_list(call.args, hash + call.function->key.low + call.result);
  }
  return hash;
}

std::string plan_key(const KernelPlan& plan) {
  KeyWriter key;
  key.tag("mrasgw"[static_cast<int>(plan.kind)]);
  key.tag(plan.wide_index ? 'w' : 'n');
  key.dtype(plan.accumulator);
  key.number(plan.rank);
  key.number(plan.reduced_rank);
  key.number(static_cast<std::int64_t>(plan.combine));
  key.number(plan.combine_index);
  key.number(static_cast<std::int64_t>(plan.inputs.size()));
  for (const OperandSpec& input : plan.inputs) key.operand(input);
  key.number(static_cast<std::int64_t>(plan.scalars.size()));
  for (const DType dtype : plan.scalars) key.dtype(dtype);
  key.number(static_cast<std::int64_t>(plan.steps.size()));
  for (const Step& step : plan.steps) write_step(key, step);
  key.number(static_cast<std::int64_t>(plan.outputs.size()));
  for (const OutputSpec& output : plan.outputs) write_output(key, output);
  key.number(static_cast<std::int64_t>(plan.finish.size()));
  for (const Step& step : plan.finish) write_step(key, step);
  key.number(plan.finish_value);
  for (const UserStep& call : plan.calls) write_call(key, call);
  return key.take();
}

}  // namespace cupola
