#include "codegen/lower.h"

#include <algorithm>

#include "base/containers/hash.h"
#include "base/mutant.h"

namespace cupola {

std::int16_t Lowering::lower(const Array& array) {
  const auto found = done_.find(&array.state());
  if (found != done_.end()) return found->second;
  const NodePointer node = snapshot_.node_of(array);
  const std::int16_t value = node ? lower_node(array, *node)
                                  : add({.kind = StepKind::load,
                                         .dtype = array.dtype(),
                                         .index = input_number(array, false)});
  done_.emplace(&array.state(), value);
  return value;
}

std::int16_t Lowering::lower_as(const Array& array, DType dtype) {
  const std::int16_t value = lower(array);
  if (array.dtype() == dtype) return value;
  return add({.kind = StepKind::cast, .dtype = dtype, .args = {value, -1, -1}});
}

std::int16_t Lowering::lower_ranked(const Array& values, DType dtype) {
  std::int16_t place = add({.kind = StepKind::rank, .dtype = DType::int64});
  if (const std::int64_t stride = strides_of(values)[0]; stride != 1) {
    const auto number = static_cast<std::uint16_t>(scalars.size());
    scalars.push_back(Scalar(stride));
    const std::int16_t factor =
        add({.kind = StepKind::scalar, .dtype = DType::int64, .index = number});
    place = add({.kind = StepKind::ufunc,
                 .dtype = DType::int64,
                 .ufunc = UfuncId::multiply,
                 .args = {place, factor, -1}});
  }
  const std::int16_t value = add({.kind = StepKind::gather,
                                  .dtype = values.dtype(),
                                  .index = input_number(values, true),
                                  .args = {place, -1, -1}});
  if (values.dtype() == dtype) return value;
  return add({.kind = StepKind::cast, .dtype = dtype, .args = {value, -1, -1}});
}

void Lowering::bind(const Array& array) {
  inputs.insert(inputs.begin(), {array, false});
  done_.emplace(&array.state(), add({.kind = StepKind::load, .dtype = array.dtype()}));
}

std::int16_t Lowering::lower_node(const Array& array, const Node& node) {
  const std::vector<Array>& inputs_of_node = node.inputs;
  Step step{.kind = StepKind::index, .dtype = array.dtype()};
  switch (node.kind) {
    case NodeKind::scalar:
      step.kind = StepKind::scalar;
      step.index = static_cast<std::uint16_t>(scalars.size());
      scalars.push_back(node.value);
      return add(step);
    case NodeKind::gather:
      step.kind = StepKind::gather;
      step.index = input_number(inputs_of_node[0], true);
      step.args[0] = lower(inputs_of_node[1]);
      return add(step);
    case NodeKind::cast:
      step.kind = StepKind::cast;
      if (CUPOLA_MUTANT(skip_casts_between)) {
        const NodePointer below = snapshot_.node_of(inputs_of_node[0]);
        if (below && below->kind == NodeKind::cast) {
          step.args[0] = lower(below->inputs[0]);
          return add(step);
        }
      }
      break;
    case NodeKind::select:
      step.kind = StepKind::select;
      break;
    case NodeKind::ufunc:
      step.kind = StepKind::ufunc;
      step.ufunc = node.ufunc;
      step.index = node.result;
      break;
    case NodeKind::user:
      return lower_user(array, node);
    case NodeKind::roll:
      return lower_roll(array, node);
    case NodeKind::reduce:
      step.kind = StepKind::combine;
      step.dtype = node.accumulator;
      step.ufunc = node.ufunc;
      if (node.function) step.index = combining_index(add_call({node.function, 0, {}}));
      step.args[0] = lower(inputs_of_node[0]);
      step.args[0] = add(step);
      if (array.dtype() == node.accumulator) return step.args[0];
      return add({.kind = StepKind::cast, .dtype = array.dtype(), .args = {step.args[0], -1, -1}});
    case NodeKind::index:
      break;
    case NodeKind::arg_reduce:
    case NodeKind::scan:
    case NodeKind::segment_reduce:
    case NodeKind::view:
      throw StaleSnapshot();
  }
  for (std::size_t i = 0; i < inputs_of_node.size(); ++i) step.args[i] = lower(inputs_of_node[i]);
  return add(step);
}

std::int16_t Lowering::lower_roll(const Array& array, const Node& node) {
  const bool moves = std::ranges::any_of(node.shifts, [](auto shift) { return shift != 0; });
  return add({.kind = StepKind::load,
              .dtype = array.dtype(),
              .index = input_number(node.inputs[0], false, moves ? node.shifts : Dims())});
}

std::int16_t Lowering::lower_user(const Array& array, const Node& node) {
  UserStep call{node.function, node.result, {}};
  for (const Array& input : node.inputs) call.args.push_back(lower(input));
  return add({.kind = StepKind::user, .dtype = array.dtype(), .index = add_call(std::move(call))});
}

std::uint16_t Lowering::add_call(UserStep call) {
  const auto known = std::find(calls.begin(), calls.end(), call);
  const auto number = static_cast<std::uint16_t>(known - calls.begin());
  if (known == calls.end()) calls.push_back(std::move(call));
  return number;
}

std::int16_t Lowering::add(const Step& step) {
  const auto number = static_cast<std::int16_t>(steps.size());
  std::int16_t first = number;
  if (step.kind == StepKind::scalar) {
    const Scalar& value = scalars[step.index];
    first = static_cast<std::int16_t>(known_scalars_.find_or_add(
        hash64(value.data(), 16, static_cast<std::uint64_t>(value.dtype())),
        static_cast<std::size_t>(number),
        [&](std::size_t other) { return scalars[steps[other].index].is_same(value); }));
  } else {
    const Step wanted = with_first_values(step);
    const std::size_t found = known_steps_.find_or_add(
        hash64(&wanted, sizeof wanted, 0), static_cast<std::size_t>(number),
        [&](std::size_t other) { return with_first_values(steps[other]) == wanted; });
    if (found < steps.size()) return static_cast<std::int16_t>(found);
  }
  steps.push_back(step);
  first_values_.push_back(first);
  return number;
}

Step Lowering::with_first_values(Step step) const {
  for (std::int16_t& argument : step.args) {
    if (argument >= 0) argument = first_values_[static_cast<std::size_t>(argument)];
  }
  return step;
}

std::uint16_t Lowering::input_number(const Array& read, bool indexed, const Dims& shifts) {
  const Array& array = snapshot_.stored(read);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].indexed == indexed && inputs[i].array.dtype() == array.dtype() &&
        inputs[i].shifts == shifts && is_same_view(inputs[i].array, array)) {
      return static_cast<std::uint16_t>(i);
    }
  }
  inputs.push_back({array, indexed, shifts});
  return static_cast<std::uint16_t>(inputs.size() - 1);
}

}  // namespace cupola
