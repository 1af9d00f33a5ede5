#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "cupola/error.h"
#include "driver/driver.h"
#include "exec/evaluation/evaluator.h"
#include "exec/user_kernels/user_kernel.h"
#include "runtime/on_stream.h"

namespace cupola {
namespace {

UserDefinition definition_of(const ReductionSource& source) {
  UserDefinition definition;
  definition.is_reduction = true;
  definition.name = source.name;
  definition.inputs = parse_user_parameters(source.in_params, true);
  definition.outputs = parse_user_parameters(source.out_params, false);
  definition.preamble = source.preamble;
  definition.options = source.options;
  definition.reduce_dims = source.reduce_dims;
  definition.map = source.map;
  definition.reduce = source.reduce;
  definition.post_map = source.post_map;
  definition.identity = source.identity;
  definition.reduce_type = source.reduce_type;
  definition.check();
  if (definition.outputs.empty()) {
    throw ValueError(fmt::format("{}: a reduction needs an output", definition.name));
  }
  for (const UserParameter& output : definition.outputs) {
    if (!output.is_raw) continue;
    throw ValueError(fmt::format("{}: the output '{}' of a reduction cannot be raw",
                                 definition.name, output.name));
  }
  return definition;
}

// How the dimensions of the inputs are divided.
struct SplitAxes {
  Dims kept, reduced;  // numbers of dimensions
  Dims kept_shape;     // of the results
  Dims reduced_shape;
  Dims result_shape;  // with keepdims, extents of 1 in between
};

SplitAxes axes_of(const Dims& shape, const ReductionLaunch& launch) {
  SplitAxes result;
  const int rank = shape.rank();
  if (launch.axes) {
    result.reduced = normalize_axes(*launch.axes, rank);
    std::sort(result.reduced.begin(), result.reduced.end());
  } else {
    for (int axis = 0; axis < rank; ++axis) result.reduced.push_back(axis);
  }
  for (int axis = 0; axis < rank; ++axis) {
    const std::int64_t extent = shape[static_cast<std::size_t>(axis)];
    if (std::find(result.reduced.begin(), result.reduced.end(), axis) != result.reduced.end()) {
      result.reduced_shape.push_back(extent);
      if (launch.keepdims) result.result_shape.push_back(1);
    } else {
      result.kept.push_back(axis);
      result.kept_shape.push_back(extent);
      result.result_shape.push_back(extent);
    }
  }
  return result;
}

Dims chosen(const Dims& strides, const Dims& axes) {
  Dims result;
  for (const std::int64_t axis : axes) result.push_back(strides[static_cast<std::size_t>(axis)]);
  return result;
}

// The strides of an output along the kept dimensions.
Dims output_strides(const Array& out, const SplitAxes& axes, bool keepdims) {
  return keepdims ? chosen(strides_of(out), axes.kept) : strides_of(out);
}

// The spaces of results and of the elements of one, with the strides of all arrays in each.
struct Spaces {
  UserSpace kept, reduced;
};

Spaces spaces_of(const UserDefinition& definition, const UserCall& call, const Dims& shape,
                 const SplitAxes& axes, bool keepdims) {
  Spaces spaces;
  spaces.kept = {axes.kept_shape, std::vector<Dims>(definition.count())};
  spaces.reduced = {axes.reduced_shape, std::vector<Dims>(definition.count())};
  for (std::size_t i = 0; i < definition.count(); ++i) {
    if (!call.is_array(i) || definition.parameter(i).is_raw) continue;
    const Array& array = call.array(i);
    if (i < definition.input_count()) {
      const Dims strides = broadcast_strides(array.shape(), strides_of(array), shape);
      spaces.kept.strides[i] = chosen(strides, axes.kept);
      spaces.reduced.strides[i] = chosen(strides, axes.reduced);
    } else {
      spaces.kept.strides[i] = output_strides(array, axes, keepdims);
      spaces.reduced.strides[i] = Dims(axes.reduced.size(), 0);
    }
  }
  if (definition.reduce_dims) {
    spaces.kept.simplify();
    spaces.reduced.simplify();
  }
  return spaces;
}

// The stride of the last dimension that moves an input, of the first input that moves; 0: none.
std::int64_t last_stride(const UserSpace& space, std::size_t inputs) {
  for (std::size_t i = 0; i < inputs; ++i) {
    if (space.strides[i].empty() || space.strides[i].back() == 0) continue;
    return std::abs(space.strides[i].back());
  }
  return 0;
}

// How a launch is cut. It depends on extents and strides only.
struct Cut {
  std::int64_t lanes = 1;  // threads of one result
  std::int64_t tiles = 1;
  std::int64_t tile = 0;  // elements
  bool lanes_fastest = true;
};

constexpr std::int64_t kEnoughBlocks = 1024;
constexpr std::int64_t kElementsPerLane = 16;
constexpr std::int64_t kHostTile = 16384;
constexpr std::int64_t kMaxTiles = 65535;

std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

void cut_tiles(Cut& cut, std::int64_t length, std::int64_t tiles, std::int64_t multiple) {
  tiles = std::clamp<std::int64_t>(tiles, 1, kMaxTiles);
  cut.tile =
      quotient_up(quotient_up(std::max<std::int64_t>(length, 1), tiles), multiple) * multiple;
  cut.tiles = std::max<std::int64_t>(1, quotient_up(length, cut.tile));
}

// Whether neighbours in memory belong to one result.
bool runs_along(const Spaces& spaces, std::size_t inputs, std::int64_t results) {
  const std::int64_t along = last_stride(spaces.reduced, inputs);
  const std::int64_t across = last_stride(spaces.kept, inputs);
  return across == 0 || (along != 0 && along <= across) || results == 1;
}

Cut cut_for_host(const Spaces& spaces, std::size_t inputs, std::int64_t results,
                 std::int64_t length) {
  Cut cut;
  if (!runs_along(spaces, inputs, results)) cut.lanes = std::min(kHostNeighbours, results);
  const bool divides = quotient_up(results, cut.lanes) < 64 && length * cut.lanes > kHostTile;
  cut_tiles(cut, length, divides ? quotient_up(length * cut.lanes, kHostTile) : 1, 1);
  return cut;
}

Cut cut_for_cuda(const Spaces& spaces, std::size_t inputs, std::int64_t results,
                 std::int64_t length) {
  Cut cut;
  const auto most = static_cast<std::int64_t>(kUserReductionThreads);
  const auto power = [](std::int64_t n) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
  };
  cut.lanes_fastest = runs_along(spaces, inputs, results);
  if (cut.lanes_fastest) {
    cut.lanes = std::clamp<std::int64_t>(power(quotient_up(length, 4)), 1, most);
  } else {
    const std::int64_t slots = std::min<std::int64_t>(32, power(results));
    cut.lanes = std::min(most / slots, power(std::max<std::int64_t>(length, 1)));
  }
  const std::int64_t blocks = quotient_up(results, most / cut.lanes);
  const std::int64_t useful = length / (cut.lanes * kElementsPerLane);
  cut_tiles(cut, length, std::min(useful, quotient_up(kEnoughBlocks, blocks)), cut.lanes);
  return cut;
}

UserVariant variant_of(const UserDefinition& definition, const UserCall& call, const Spaces& spaces,
                       std::int64_t elements, UserWords& words) {
  UserVariant variant;
  variant.rank = static_cast<std::uint8_t>(spaces.kept.extents.size());
  variant.reduced_rank = static_cast<std::uint8_t>(spaces.reduced.extents.size());
  variant.is_wide = elements >= std::int64_t{1} << 31;
  words.add(spaces.kept.extents);
  words.add(spaces.reduced.extents);
  for (std::size_t i = 0; i < definition.count(); ++i) {
    if (add_whole_argument(call, definition, i, variant, words)) continue;
    variant.arguments.push_back({call.types[i], UserForm::strided, 0, false});
    words.add_address(pointer_of(call.array(i)));
    words.add(spaces.kept.strides[i]);
    words.add(spaces.reduced.strides[i]);
  }
  return variant;
}

void launch_cut(UserProgram& program, const Cut& cut, std::int64_t results, bool on_cuda,
                const void* words, StreamHandle stream) {
  void* const argument = const_cast<void*>(words);
  LaunchGeometry geometry, finish;
  if (on_cuda) {
    geometry.block[0] = finish.block[0] = kUserReductionThreads;
    geometry.grid[0] =
        static_cast<unsigned int>(quotient_up(results, kUserReductionThreads / cut.lanes));
    geometry.grid[1] = static_cast<unsigned int>(cut.tiles);
  } else {
    geometry.grid[0] = static_cast<unsigned int>(quotient_up(results, cut.lanes) * cut.tiles);
  }
  finish.grid[0] = static_cast<unsigned int>(results);
  program.function().launch(geometry, {&argument, 1}, stream);
  if (cut.tiles > 1) program.finish().launch(finish, {&argument, 1}, stream);
}

Dims input_shape(const UserDefinition& definition, const UserCall& call) {
  if (const auto shape = user_shape(definition, call, definition.input_count())) return *shape;
  throw ValueError(
      fmt::format("{}: nothing decides the number of elements: give an array for an input that is "
                  "not raw",
                  definition.name));
}

void check_identity(const UserDefinition& definition, const Dims& shape, const SplitAxes& axes) {
  const bool is_empty = element_count(axes.reduced_shape) == 0;
  if (!is_empty || element_count(axes.kept_shape) == 0 || definition.identity) return;
  throw ValueError(
      fmt::format("zero-size array to reduction operation {} which has no identity (shape {})",
                  definition.name, to_string(shape)));
}

// Whether the functions of the definition give what the call asks for.
bool may_be_deferred(UserKernelState& state, const UserCall& call, const Dims& shape) {
  const std::span<const std::size_t> finishing = state.functions().finishing_inputs();
  const bool finishes_numbers = std::none_of(finishing.begin(), finishing.end(),
                                             [&](std::size_t i) { return call.is_array(i); });
  const bool has_outputs = call.given > state.definition().input_count();
  return finishes_numbers && element_count(shape) > 0 &&
         (!has_outputs || state.functions().assigns_output());
}

// The results, pending, where the call may be a part of other kernels.
std::optional<std::vector<Array>> deferred(UserKernelState& state, const UserCall& call,
                                           const SplitAxes& axes, KeepAxes keep) {
  const UserDefinition& definition = state.definition();
  const std::span<const UserFunction* const> functions = functions_for(state.functions(), call);
  if (functions.empty()) return std::nullopt;
  Array value = make_user(*functions[kUserMap], user_inputs(definition, call)).front();
  if (!axes.reduced.empty()) {
    value = make_user_reduce(value, axes.reduced, *functions[kUserCombine], keep);
  }
  std::vector<Array> inputs{value};
  for (const std::size_t i : state.functions().finishing_inputs())
    inputs.push_back(user_input(call, i));
  return make_user(*functions[kUserFinish], std::move(inputs));
}

// By a kernel of its own.
std::vector<Array> launch_alone(UserKernelState& state, UserCall& call, const Dims& shape,
                                const SplitAxes& axes, bool keepdims,
                                const std::shared_ptr<StreamState>& stream) {
  const UserDefinition& definition = state.definition();
  const std::int64_t results = element_count(axes.kept_shape);
  const std::int64_t length = element_count(axes.reduced_shape);
  store_user_inputs(call);
  std::vector<Array> outputs = make_user_outputs(definition, call, axes.result_shape);
  if (results == 0) return outputs;
  separate_user_inputs(definition, call);

  const Spaces spaces = spaces_of(definition, call, shape, axes, keepdims);
  const bool on_cuda = stream->driver().compiles_plans();
  const Cut cut = on_cuda ? cut_for_cuda(spaces, definition.input_count(), results, length)
                          : cut_for_host(spaces, definition.input_count(), results, length);
  UserWords words;
  for (const std::int64_t word :
       {results, length, cut.tiles, cut.tile, cut.lanes, std::int64_t{cut.lanes_fastest}}) {
    words.add(word);
  }
  UserWords arrays;
  const UserVariant variant = variant_of(definition, call, spaces, results * length, arrays);
  Array scratch;
  if (cut.tiles > 1) {
    const std::int64_t bytes = results * cut.tiles * user_partial_bytes(definition, variant);
    scratch = allocate_array(DType::uint8, {bytes}, call.device);
  }
  words.add_address(scratch.has_value() ? pointer_of(scratch) : nullptr);
  words.add(arrays);
  UserProgram& program = state.find(variant, stream->driver());
  launch_user_program(
      program, call, definition, stream,
      [&] {
        launch_cut(program, cut, results, on_cuda, words.data(),
                   stream->driver().of_platform(stream->handle()));
      },
      scratch);
  return outputs;
}

}  // namespace

ReductionKernel::ReductionKernel(const ReductionSource& source)
    : state_(std::make_shared<UserKernelState>(definition_of(source))) {}

const UserDefinition& ReductionKernel::definition() const { return state_->definition(); }

std::vector<std::pair<std::vector<DType>, std::string>> ReductionKernel::texts() const {
  return state_->texts();
}

std::vector<Array> ReductionKernel::operator()(std::span<const Operand> arguments,
                                               const ReductionLaunch& launch) const {
  const UserDefinition& definition = state_->definition();
  UserCall call = make_user_call(definition, arguments, launch.stream);
  const std::shared_ptr<StreamState> stream = user_stream(call, launch.stream);
  const Dims shape = input_shape(definition, call);
  const SplitAxes axes = axes_of(shape, launch);
  check_identity(definition, shape, axes);
  if (may_be_deferred(*state_, call, shape)) {
    const OnStream on_stream(call.device, launch.stream ? stream : nullptr);
    const KeepAxes keep = launch.keepdims ? KeepAxes::yes : KeepAxes::no;
    if (auto results = deferred(*state_, call, axes, keep)) {
      return return_user_results(definition, call, launch.stream, axes.result_shape,
                                 std::move(*results));
    }
  }
  return launch_alone(*state_, call, shape, axes, launch.keepdims, stream);
}

}  // namespace cupola
