#include "exec/known_launch.h"

#include <limits>
#include <unordered_map>

#include "exec/kernel_cache.h"
#include "exec/launcher.h"

namespace cupola {

namespace {

constexpr std::size_t kMaxInputs = 3;

// Everything that such a plan depends on, field after field.
class Signature {
 public:
  void add(std::uint64_t value, int width) { bits_ = bits_ << width | value; }
  std::uint64_t bits() const { return bits_; }

 private:
  std::uint64_t bits_ = 0;
};

bool is_aligned(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0; }

void add_array(Signature& signature, const Array& array) {
  signature.add(static_cast<std::uint64_t>(array.dtype()), 4);
  signature.add(is_aligned(pointer_of(array)), 1);
}

void add_function(Signature& signature, const Device& device, UfuncId ufunc, int result) {
  signature.add(static_cast<std::uint64_t>(device.platform()), 1);
  signature.add(static_cast<std::uint64_t>(device.index()), 12);
  signature.add(static_cast<std::uint64_t>(ufunc), 10);
  signature.add(static_cast<std::uint64_t>(result), 2);
}

void add_scalar_input(Signature& signature, DType dtype) {
  signature.add(1, 1);
  signature.add(static_cast<std::uint64_t>(dtype), 5);
}

void add_array_input(Signature& signature, const Array& array) {
  signature.add(0, 1);
  add_array(signature, array);
}

// Null for arrays that are not one number.
NodePointer scalar_node(const Array& array) {
  NodePointer node = node_of(array);
  return node && node->kind == NodeKind::scalar ? node : nullptr;
}

bool is_row_major(const Array& array, const Dims& shape) {
  return is_stored(array) && array.shape() == shape && is_c_contiguous(array);
}

// Two inputs that the planner would make one.
bool repeats(std::span<const Array> inputs, std::size_t i) {
  for (std::size_t j = 0; j < i; ++j) {
    if (is_same(inputs[i], inputs[j])) return true;
    if (is_stored(inputs[i]) && is_stored(inputs[j]) && is_same_view(inputs[i], inputs[j])) {
      return true;
    }
  }
  return false;
}

bool is_known_kind(const Write& write, const Node* node) {
  const Array& value = write.value;
  const Array& target = write.target;
  if (write.store != StoreKind::plain || !node) return false;
  if (node->kind != NodeKind::ufunc || value.dtype() != target.dtype()) return false;
  const std::vector<Array>& inputs = node->inputs;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (inputs.size() > kMaxInputs || target.size() < 2 || target.size() > most) return false;
  if (!is_row_major(target, value.shape())) return false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (repeats(inputs, i)) return false;
    if (scalar_node(inputs[i])) continue;
    if (!is_row_major(inputs[i], target.shape())) return false;
    if (may_overlap(inputs[i], target) && !is_same_view(inputs[i], target)) return false;
  }
  return true;
}

std::uint64_t signature_of(const Write& write, const Node& node) {
  Signature signature;
  add_function(signature, write.target.device(), node.ufunc, node.result);
  add_array(signature, write.target);
  for (const Array& input : node.inputs) {
    if (scalar_node(input)) {
      add_scalar_input(signature, input.dtype());
    } else {
      add_array_input(signature, input);
    }
  }
  signature.add(node.inputs.size(), 2);
  return signature.bits();
}

// All of a row-major array becomes one element.
bool is_known_kind(const Array& reduction, const Node& node) {
  const std::vector<Array>& inputs = node.inputs;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (node.kind != NodeKind::reduce || inputs.size() != 1 || !is_stored(inputs[0])) return false;
  const Array& input = inputs[0];
  return reduction.size() == 1 && node.axes.rank() == input.rank() && input.size() >= 2 &&
         input.size() <= most && is_c_contiguous(input);
}

std::uint64_t signature_of(const Node& node, const Array& target) {
  Signature signature;
  add_function(signature, target.device(), node.ufunc, node.result);
  signature.add(static_cast<std::uint64_t>(node.accumulator), 4);
  add_array(signature, target);
  add_array(signature, node.inputs[0]);
  return signature.bits();
}

struct KnownReduction {
  std::shared_ptr<Kernel> kernel;
  LaunchArguments arguments;
};

// Whether the arguments of another launch differ in what launch_again() sets only.
bool is_one_dimensional(const LaunchArguments& arguments) {
  return arguments.extents.size() == 1 && arguments.inputs.size() == 1 &&
         arguments.outputs.size() == 1 && arguments.scalars.empty();
}

void launch_again(const KnownReduction& known, const Array& input, const Array& target) {
  PlannedLaunch planned{
      .plan = {}, .arguments = known.arguments, .reads = {input}, .writes = {target}};
  planned.arguments.extents[0] = input.size();
  planned.arguments.inputs[0].pointer = pointer_of(input);
  planned.arguments.outputs[0].pointer = pointer_of(target);
  launch_reduction(known.kernel, planned);
}

// Per thread, so that a hit takes no lock; the kernels are those of the process.
std::unordered_map<std::uint64_t, std::shared_ptr<Kernel>>& known_kernels() {
  thread_local std::unordered_map<std::uint64_t, std::shared_ptr<Kernel>> kernels;
  return kernels;
}

OperandArgument flat_argument(const Array& array) { return {pointer_of(array), Dims{1}}; }

// What plan_map makes of the arguments, without the plan.
PlannedLaunch arguments_of(const Write& write, const Node& node) {
  PlannedLaunch result;
  LaunchArguments& arguments = result.arguments;
  arguments.extents = Dims{write.target.size()};
  arguments.inputs.reserve(kMaxInputs);
  result.reads.reserve(kMaxInputs);
  for (const Array& input : node.inputs) {
    if (const NodePointer scalar = scalar_node(input)) {
      arguments.scalars.push_back(scalar->value);
    } else {
      arguments.inputs.push_back(flat_argument(input));
      result.reads.push_back(input);
    }
  }
  arguments.outputs.push_back(flat_argument(write.target));
  result.writes.push_back(write.target);
  return result;
}

}  // namespace

bool launch_if_known_kind(const Write& write) {
  const NodePointer node = node_of(write.value);
  if (!is_known_kind(write, node.get())) return false;
  std::shared_ptr<Kernel>& kernel = known_kernels()[signature_of(write, *node)];
  if (kernel == nullptr) {
    const PlannedLaunch planned = plan_map({&write, 1});
    kernel = launch(planned);
  } else {
    launch(kernel, arguments_of(write, *node));
  }
  return true;
}

std::shared_ptr<Kernel> known_kernel(UfuncId ufunc, const UfuncLoop& loop,
                                     std::span<const Operand> operands, const Array& target) {
  Signature signature;
  add_function(signature, target.device(), ufunc, 0);
  add_array(signature, target);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].is_array()) {
      add_array_input(signature, operands[i].array());
    } else {
      add_scalar_input(signature, loop.input(static_cast<int>(i)));
    }
  }
  signature.add(operands.size(), 2);
  const auto found = known_kernels().find(signature.bits());
  return found == known_kernels().end() ? nullptr : found->second;
}

const LaunchArguments& flat_arguments(const UfuncLoop& loop, std::span<const Operand> operands,
                                      const Array& target) {
  thread_local LaunchArguments arguments;  // keeps its memory
  arguments.extents = Dims{target.size()};
  arguments.inputs.clear();
  arguments.outputs.clear();
  arguments.scalars.clear();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].is_array()) {
      arguments.inputs.push_back(flat_argument(operands[i].array()));
    } else {
      arguments.scalars.push_back(operands[i].scalar().cast(loop.input(static_cast<int>(i))));
    }
  }
  arguments.outputs.push_back(flat_argument(target));
  return arguments;
}

void launch_reduction(const Array& reduction, const Array& target, const Array& result) {
  const NodePointer node = node_of(reduction);
  const bool is_plain = is_same(reduction, result);
  if (!is_plain || !is_known_kind(reduction, *node)) {
    PlannedLaunch planned = plan_reduction(reduction, target, is_plain ? Array() : result);
    launch_reduction(kernel_of(planned), planned);
    return;
  }
  thread_local std::unordered_map<std::uint64_t, KnownReduction> reductions;
  KnownReduction& known = reductions[signature_of(*node, target)];
  if (known.kernel != nullptr) return launch_again(known, node->inputs[0], target);
  PlannedLaunch planned = plan_reduction(reduction, target);
  const std::shared_ptr<Kernel> kernel = kernel_of(planned);
  launch_reduction(kernel, planned);
  planned.arguments.mirror = nullptr;
  if (is_one_dimensional(planned.arguments)) known = {kernel, std::move(planned.arguments)};
}

}  // namespace cupola
