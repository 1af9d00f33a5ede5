// One call of a user's kernel: arguments are checked, and packed into words.

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "cupola/error.h"
#include "driver/driver.h"
#include "exec/evaluation/allocation.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "exec/launch/use_order.h"
#include "exec/observation/observed_launch.h"
#include "exec/user_kernels/user_kernel.h"

namespace cupola {
namespace {

constexpr std::size_t kMaxWords = 4096 / 8;  // what the parameters of a CUDA kernel may have

void check_counts(const UserDefinition& definition, std::size_t given) {
  if (given == definition.input_count() || given == definition.count()) return;
  throw TypeError(fmt::format("{}() takes {} arguments, or {} with its outputs, but {} {} given",
                              definition.name, definition.input_count(), definition.count(), given,
                              given == 1 ? "was" : "were"));
}

void check_kinds(const UserDefinition& definition, const UserCall& call) {
  for (std::size_t i = 0; i < call.given; ++i) {
    if (call.is_array(i)) continue;
    const UserParameter& parameter = definition.parameter(i);
    if (parameter.is_raw || i >= definition.input_count()) {
      throw TypeError(fmt::format("{}: the {} '{}' must be an array, not a number", definition.name,
                                  parameter.is_raw ? "raw parameter" : "output", parameter.name));
    }
  }
}

Device common_device(const UserCall& call, const std::optional<Stream>& stream) {
  std::optional<Device> device;
  for (std::size_t i = 0; i < call.given; ++i) {
    if (!call.is_array(i)) continue;
    const Device& own = call.array(i).device();
    if (device && *device != own) {
      throw DeviceError(
          fmt::format("the arrays of a kernel are on different devices: {} and {}; move one with "
                      "to_device()",
                      device->to_string(), own.to_string()));
    }
    device = own;
  }
  if (device) return *device;
  return stream ? stream->device() : current_device();
}

// A number for a parameter of another kind must keep its value.
void check_value(const Scalar& value, DType dtype) {
  const std::complex<double> number = value.to_complex();
  const bool fits = is_complex(dtype) || number.imag() == 0;
  const bool is_whole = !is_integer(dtype) || !is_inexact(value.dtype()) ||
                        std::trunc(number.real()) == number.real();
  if (fits && is_whole) return;
  throw TypeError(fmt::format("{} cannot be a value of {} without a change", value.to_string(),
                              name_of(dtype)));
}

void check_output(const UserDefinition& definition, const UserCall& call, std::size_t i,
                  const Dims& shape) {
  const Array& out = call.array(i);
  const std::string& name = definition.parameter(i).name;
  if (!out.writable()) {
    throw ValueError(fmt::format("{}: the output '{}' is read-only", definition.name, name));
  }
  if (!definition.parameter(i).is_raw && out.shape() != shape) {
    throw ValueError(fmt::format("{}: the output '{}' has the shape {}, but {} is computed",
                                 definition.name, name, to_string(out.shape()), to_string(shape)));
  }
}

}  // namespace

UserCall make_user_call(const UserDefinition& definition, std::span<const Operand> arguments,
                        const std::optional<Stream>& stream) {
  check_counts(definition, arguments.size());
  UserCall call{{arguments.begin(), arguments.end()}, arguments.size(), current_device(), {}};
  check_kinds(definition, call);
  call.device = common_device(call, stream);
  call.operands.resize(definition.count(), Operand(false));
  std::vector<UserArgumentType> types;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    if (i >= call.given) {
      types.emplace_back();
    } else if (call.is_array(i)) {
      types.push_back({call.array(i).dtype(), true, std::nullopt});
    } else {
      const Scalar& scalar = call.operands[i].scalar();
      types.push_back({scalar.dtype(), false, scalar.weak_kind()});
    }
  }
  call.types = resolve_user_types(definition, types);
  return call;
}

void store_user_inputs(const UserCall& call) {
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < call.given; ++i) {
    if (call.is_array(i)) arrays.push_back(call.array(i));
  }
  evaluate(arrays);
}

std::span<const UserFunction* const> functions_for(UserFunctions& functions, const UserCall& call) {
  Driver& driver = current_stream(call.device)->driver();
  if (!functions.may_fuse()) return {};
  return functions.find(call.types, driver, call.device.index());
}

Array user_input(const UserCall& call, std::size_t i) {
  if (call.is_array(i)) return call.array(i);
  return make_scalar(user_value(call.operands[i].scalar(), call.types[i]), {}, call.device);
}

std::vector<Array> user_inputs(const UserDefinition& definition, const UserCall& call) {
  std::vector<Array> inputs;
  for (std::size_t i = 0; i < definition.input_count(); ++i) inputs.push_back(user_input(call, i));
  return inputs;
}

std::vector<Array> return_user_results(const UserDefinition& definition, UserCall& call,
                                       const std::optional<Stream>& stream, const Dims& shape,
                                       std::vector<Array> results) {
  if (call.given > definition.input_count()) {
    std::vector<Array> outputs = make_user_outputs(definition, call, shape);
    write(results.front(), outputs.front());
    return outputs;
  }
  for (const Array& result : results) {
    check_size(result.dtype(), shape);
    lay_out(result, c_strides(shape));
  }
  for (const Array& result : results) defer(result);
  if (stream) evaluate(results);
  return results;
}

Scalar user_value(const Scalar& value, DType dtype) {
  check_value(value, dtype);
  return value.cast(dtype);
}

std::shared_ptr<StreamState> user_stream(const UserCall& call,
                                         const std::optional<Stream>& stream) {
  if (!stream) return current_stream(call.device);
  check_same_device(*stream->state(), call.device, "an array");
  return stream->state();
}

std::optional<Dims> user_shape(const UserDefinition& definition, const UserCall& call,
                               std::size_t end) {
  std::vector<Dims> shapes;
  for (std::size_t i = 0; i < std::min(end, call.given); ++i) {
    if (call.is_array(i) && !definition.parameter(i).is_raw)
      shapes.push_back(call.array(i).shape());
  }
  if (shapes.empty()) return std::nullopt;
  return broadcast_shapes(shapes);
}

std::vector<Array> make_user_outputs(const UserDefinition& definition, UserCall& call,
                                     const Dims& shape) {
  std::vector<Array> outputs;
  for (std::size_t i = definition.input_count(); i < definition.count(); ++i) {
    if (i < call.given) {
      check_output(definition, call, i, shape);
    } else {
      call.operands[i] = allocate_array(call.types[i], shape, call.device);
    }
    outputs.push_back(call.array(i));
  }
  return outputs;
}

void separate_user_inputs(const UserDefinition& definition, UserCall& call) {
  for (std::size_t i = 0; i < definition.input_count(); ++i) {
    if (!call.is_array(i) || !definition.inputs[i].is_const) continue;
    const bool is_raw = definition.inputs[i].is_raw;
    for (std::size_t k = definition.input_count(); k < definition.count(); ++k) {
      const Array& in = call.array(i);
      const Array& out = call.array(k);
      const bool in_step = !definition.is_reduction && !is_raw && !definition.parameter(k).is_raw &&
                           is_same_view(in, out);
      if (in_step || !may_overlap(in, out)) continue;
      const Array copy = allocate_array(in.dtype(), in.shape(), call.device);
      write(in, copy);
      call.operands[i] = copy;
      break;
    }
  }
}

void UserSpace::simplify() {
  Dims merged;
  std::vector<Dims> steps(strides.size());
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] == 1) continue;
    bool joins = !merged.empty();
    for (std::size_t k = 0; joins && k < strides.size(); ++k) {
      if (!strides[k].empty()) joins = steps[k].back() == strides[k][d] * extents[d];
    }
    if (joins) {
      merged.back() *= extents[d];
    } else {
      merged.push_back(extents[d]);
    }
    for (std::size_t k = 0; k < strides.size(); ++k) {
      if (strides[k].empty()) continue;
      if (joins) {
        steps[k].back() = strides[k][d];
      } else {
        steps[k].push_back(strides[k][d]);
      }
    }
  }
  extents = std::move(merged);
  strides = std::move(steps);
}

void UserWords::add_value(const Scalar& value, DType dtype) {
  const Scalar converted = user_value(value, dtype);
  std::int64_t words[2] = {0, 0};
  std::memcpy(words, converted.data(), item_size(dtype));
  add(words[0]);
  add(words[1]);
}

void UserWords::add_raw(const Array& array) {
  add_address(pointer_of(array));
  add(array.size());
  add(array.shape());
  for (const std::int64_t stride : strides_of(array)) add(stride * array.item_size());
}

const void* UserWords::data() const {
  if (words_.size() > kMaxWords) {
    throw ValueError(fmt::format("the kernel's arguments take {} bytes, of which {} are possible",
                                 8 * words_.size(), 8 * kMaxWords));
  }
  return words_.data();
}

bool add_whole_argument(const UserCall& call, const UserDefinition& definition, std::size_t i,
                        UserVariant& variant, UserWords& words) {
  const DType type = call.types[i];
  if (!call.is_array(i)) {
    variant.arguments.push_back({type, UserForm::value, 0, false});
    words.add_value(call.operands[i].scalar(), type);
    return true;
  }
  if (!definition.parameter(i).is_raw) return false;
  const Array& array = call.array(i);
  variant.arguments.push_back(
      {type, UserForm::raw, static_cast<std::uint8_t>(array.rank()), is_c_contiguous(array)});
  words.add_raw(array);
  return true;
}

void launch_user_program(UserProgram& program, const UserCall& call,
                         const UserDefinition& definition,
                         const std::shared_ptr<StreamState>& stream,
                         const std::function<void()>& launch, const Array& scratch) {
  program.load(call.device.members().front());  // while the stream waits for nothing
  std::vector<Array> reads, writes;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    if (!call.is_array(i)) continue;
    (definition.parameter(i).is_const ? reads : writes).push_back(call.array(i));
  }
  if (scratch.has_value()) writes.push_back(scratch);
  for (const Array& written : writes) compute_readers(written);
  OrderedUse use(stream, reads, writes);
  const ObservedWork observed([&] { return named_work(*stream, definition.name, reads, writes); });
  launch();
  use.record();
}

}  // namespace cupola
