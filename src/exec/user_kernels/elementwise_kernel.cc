#include <fmt/format.h>

#include <algorithm>

#include "cupola/error.h"
#include "driver/driver.h"
#include "exec/evaluation/evaluator.h"
#include "exec/user_kernels/user_kernel.h"
#include "runtime/on_stream.h"

namespace cupola {
namespace {

constexpr std::int64_t kMaxBlocks = 2147483647;

UserDefinition definition_of(const ElementwiseSource& source) {
  UserDefinition definition;
  definition.name = source.name;
  definition.inputs = parse_user_parameters(source.in_params, true);
  definition.outputs = parse_user_parameters(source.out_params, false);
  definition.preamble = source.preamble;
  definition.options = source.options;
  definition.reduce_dims = source.reduce_dims;
  definition.operation = source.operation;
  definition.loop_prep = source.loop_prep;
  definition.after_loop = source.after_loop;
  definition.check();
  return definition;
}

Dims loop_shape(const UserDefinition& definition, const UserCall& call,
                const ElementwiseLaunch& launch) {
  const std::optional<Dims> shape = user_shape(definition, call, definition.count());
  if (shape && launch.size) {
    throw ValueError(fmt::format(
        "{}: size= is for kernels all of whose arrays are raw; here they have the shape {}",
        definition.name, to_string(*shape)));
  }
  if (shape) return *shape;
  if (!launch.size) {
    throw ValueError(
        fmt::format("{}: nothing decides the number of elements: give an array for a parameter "
                    "that is not raw, or size=",
                    definition.name));
  }
  if (*launch.size < 0) {
    throw ValueError(
        fmt::format("{}: size must not be negative, got {}", definition.name, *launch.size));
  }
  return {*launch.size};
}

void check_raw_outputs(const UserDefinition& definition, const UserCall& call) {
  for (std::size_t i = call.given; i < definition.count(); ++i) {
    if (!definition.parameter(i).is_raw) continue;
    throw ValueError(fmt::format("{}: the raw output '{}' must be given, or size=", definition.name,
                                 definition.parameter(i).name));
  }
}

UserSpace space_of(const UserDefinition& definition, const UserCall& call, const Dims& shape) {
  UserSpace space{shape, std::vector<Dims>(definition.count())};
  for (std::size_t i = 0; i < definition.count(); ++i) {
    if (!call.is_array(i) || definition.parameter(i).is_raw) continue;
    const Array& array = call.array(i);
    space.strides[i] = broadcast_strides(array.shape(), strides_of(array), shape);
  }
  if (!definition.reduce_dims) return space;
  space.simplify();
  if (space.extents.empty()) {  // one element
    space.extents = {1};
    for (std::size_t i = 0; i < definition.count(); ++i) {
      if (call.is_array(i) && !definition.parameter(i).is_raw) space.strides[i] = {1};
    }
  }
  return space;
}

// The variant, and the words of its launch.
UserVariant variant_of(const UserDefinition& definition, const UserCall& call,
                       const UserSpace& space, std::int64_t count, UserWords& words) {
  UserVariant variant;
  variant.rank = static_cast<std::uint8_t>(space.extents.size());
  variant.is_wide = count >= std::int64_t{1} << 31;
  words.add(count);
  words.add(space.extents);
  for (std::size_t i = 0; i < definition.count(); ++i) {
    if (add_whole_argument(call, definition, i, variant, words)) continue;
    const bool is_flat = is_c_contiguous(space.extents, space.strides[i]);
    variant.arguments.push_back(
        {call.types[i], is_flat ? UserForm::contiguous : UserForm::strided, 0, false});
    words.add_address(pointer_of(call.array(i)));
    if (!is_flat) words.add(space.strides[i]);
  }
  return variant;
}

LaunchGeometry geometry_of(const Driver& driver, std::int64_t count, std::int64_t block) {
  LaunchGeometry geometry;
  if (!driver.compiles_plans()) block = kHostBlock;
  geometry.block[0] = static_cast<unsigned int>(block);
  geometry.grid[0] = static_cast<unsigned int>(std::min(kMaxBlocks, (count - 1) / block + 1));
  return geometry;
}

// Whether the function of the definition gives what the call asks for.
bool may_be_deferred(UserKernelState& state, const UserCall& call, const ElementwiseLaunch& launch,
                     const Dims& shape) {
  const UserDefinition& definition = state.definition();
  if (launch.size || launch.block_size != ElementwiseLaunch().block_size) return false;
  if (element_count(shape) == 0) return false;
  return call.given == definition.input_count() ||
         (state.functions().assigns_output() &&
          user_shape(definition, call, definition.input_count()) == shape);
}

// The results, which are to wait, where the call may be a part of other kernels.
std::optional<std::vector<Array>> deferred(UserKernelState& state, const UserCall& call) {
  const std::span<const UserFunction* const> functions = functions_for(state.functions(), call);
  if (functions.empty()) return std::nullopt;
  return make_user(*functions.front(), user_inputs(state.definition(), call));
}

}  // namespace

ElementwiseKernel::ElementwiseKernel(const ElementwiseSource& source)
    : state_(std::make_shared<UserKernelState>(definition_of(source))) {}

const UserDefinition& ElementwiseKernel::definition() const { return state_->definition(); }

std::vector<std::pair<std::vector<DType>, std::string>> ElementwiseKernel::texts() const {
  return state_->texts();
}

std::vector<Array> ElementwiseKernel::operator()(std::span<const Operand> arguments,
                                                 const ElementwiseLaunch& launch) const {
  const UserDefinition& definition = state_->definition();
  if (launch.block_size < 1 || launch.block_size > kMaxBlockSize) {
    throw LaunchError(fmt::format("{} cannot be launched with blocks of {} threads: 1 to {} can be",
                                  definition.name, launch.block_size, kMaxBlockSize));
  }
  UserCall call = make_user_call(definition, arguments, launch.stream);
  const std::shared_ptr<StreamState> stream = user_stream(call, launch.stream);
  const Dims shape = loop_shape(definition, call, launch);
  if (!launch.size) check_raw_outputs(definition, call);
  if (may_be_deferred(*state_, call, launch, shape)) {
    const OnStream on_stream(call.device, launch.stream ? stream : nullptr);
    if (auto results = deferred(*state_, call)) {
      return return_user_results(definition, call, launch.stream, shape, std::move(*results));
    }
  }
  store_user_inputs(call);
  std::vector<Array> results = make_user_outputs(definition, call, shape);
  const std::int64_t count = element_count(shape);
  if (count == 0) return results;
  separate_user_inputs(definition, call);
  UserWords words;
  const UserVariant variant =
      variant_of(definition, call, space_of(definition, call, shape), count, words);
  UserProgram& program = state_->find(variant, stream->driver());
  void* const argument = const_cast<void*>(words.data());
  launch_user_program(program, call, definition, stream, [&] {
    program.function().launch(geometry_of(stream->driver(), count, launch.block_size),
                              {&argument, 1}, stream->driver().of_platform(stream->handle()));
  });
  return results;
}

}  // namespace cupola
