#include "graph/node.h"

#include <fmt/format.h>

#include "base/containers/pointer_map.h"
#include "base/threads/recycling.h"
#include "cupola/error.h"
#include "graph/user_function.h"
#include "graph/views.h"

namespace cupola {

namespace {

Array make_pending(DType dtype, Dims shape, Device device, Operation&& operation,
                   std::vector<Array>&& inputs = {},
                   std::shared_ptr<const Siblings> siblings = nullptr) {
  // What is known of their memory counts for views of arrays that were stored meanwhile.
  for (const Array& input : inputs) {
    if (!is_stored(input)) node_of(input);
  }
  auto state = make_recycled<ArrayState>(dtype, std::move(shape), device);
  state->computation = make_recycled<const Node>(std::move(operation), std::move(inputs),
                                                 noted_position, std::move(siblings));
  return Array(std::move(state));
}

// The results of an operation with these outputs; `make` gives the operation of output number i.
template <typename Make>
std::vector<Array> make_results(std::span<const DType> outputs, const Dims& shape, Device device,
                                std::vector<Array>&& inputs, const Make& make) {
  std::vector<Array> results;
  results.reserve(outputs.size());
  const auto siblings = outputs.size() > 1 ? std::make_shared<Siblings>() : nullptr;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool is_last = i + 1 == outputs.size();
    results.push_back(make_pending(outputs[i], shape, device, make(static_cast<std::uint16_t>(i)),
                                   is_last ? std::move(inputs) : std::vector<Array>(inputs),
                                   siblings));
  }
  if (siblings) {
    for (const Array& result : results) siblings->all.push_back(result.handle());
  }
  return results;
}

Device common_device(std::span<const Array> inputs) {
  const Device device = inputs.front().device();
  for (const Array& input : inputs) {
    if (input.device() != device) {
      throw DeviceError(
          fmt::format("operands are on different devices: {} and {}; move one with to_device()",
                      device.to_string(), input.device().to_string()));
    }
  }
  return device;
}

Dims common_shape(std::span<const Array> inputs) {
  const Dims& first = inputs.front().shape();
  if (std::all_of(inputs.begin() + 1, inputs.end(),
                  [&](const Array& input) { return input.shape() == first; })) {
    return first;
  }
  std::vector<Dims> shapes;
  for (const Array& input : inputs) shapes.push_back(input.shape());
  return broadcast_shapes(shapes);
}

Dims reduced_shape(const Array& input, const Dims& axes, KeepAxes keep) {
  const Dims& shape = input.shape();
  Dims result;
  for (int i = 0; i < shape.rank(); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) {
      result.push_back(shape[i]);
    } else if (keep == KeepAxes::yes) {
      result.push_back(1);
    }
  }
  return result;
}

}  // namespace

NodePointer node_of(const Array& array) {
  auto node = std::static_pointer_cast<const Node>(pending_computation(array));
  if (!node || node->kind != NodeKind::view || !is_stored(node->inputs[0])) return node;
  publish_view(array, *node);
  return node_of(array);
}

Array make_scalar(const Scalar& value, Dims shape, Device device) {
  return make_pending(value.dtype(), std::move(shape), device,
                      {.kind = NodeKind::scalar, .value = value});
}

Array make_number(const Scalar& value, Device device) {
  auto state = make_recycled<ArrayState>(value.dtype(), Dims(), device);
  state->is_laid_out = true;
  state->computation = make_recycled<const Node>(value);
  return Array(std::move(state));
}

Array make_index(Dims shape, Device device) {
  return make_pending(DType::int64, std::move(shape), device, {.kind = NodeKind::index});
}

Array make_cast(const Array& input, DType dtype) {
  if (input.dtype() == dtype) return input;
  return make_pending(dtype, input.shape(), input.device(), {.kind = NodeKind::cast}, {input});
}

Array make_uniform_ufunc(UfuncId ufunc, DType output, const Array& a, const Array& b) {
  std::vector<Array> inputs;
  inputs.reserve(2);
  inputs.push_back(a);
  inputs.push_back(b);
  return make_pending(output, a.shape(), a.device(), {.kind = NodeKind::ufunc, .ufunc = ufunc},
                      std::move(inputs));
}

std::vector<Array> make_ufunc(UfuncId ufunc, const UfuncLoop& loop, std::vector<Array> inputs) {
  const Device device = common_device(inputs);
  const Dims shape = common_shape(inputs);
  for (int i = 0; i < loop.input_count; ++i) {
    Array& input = inputs[static_cast<std::size_t>(i)];
    if (input.dtype() != loop.input(i)) input = make_cast(input, loop.input(i));
  }
  const std::span<const DType> types(loop.types);
  return make_results(types.subspan(loop.input_count, loop.output_count), shape, device,
                      std::move(inputs), [&](std::uint16_t i) {
                        return Operation{.kind = NodeKind::ufunc, .ufunc = ufunc, .result = i};
                      });
}

Array make_ufunc(UfuncId ufunc, std::initializer_list<Array> inputs) {
  std::vector<OperandType> types;
  for (const Array& input : inputs) types.push_back({input.dtype(), std::nullopt});
  return make_ufunc(ufunc, resolve_ufunc(ufunc, types), inputs).front();
}

Array make_select(const Array& condition, const Array& a, const Array& b) {
  const std::vector<Array> inputs{condition, a, b};
  return make_pending(a.dtype(), common_shape(inputs), common_device(inputs),
                      {.kind = NodeKind::select}, std::vector<Array>(inputs));
}

std::vector<Array> make_user(const UserFunction& function, std::vector<Array> inputs) {
  const Device device = common_device(inputs);
  const Dims shape = common_shape(inputs);
  return make_results(function.outputs, shape, device, std::move(inputs), [&](std::uint16_t i) {
    return Operation{.kind = NodeKind::user, .result = i, .function = &function};
  });
}

Array make_gather(const Array& source, const Array& offsets) {
  const std::vector<Array> inputs{source, offsets};
  return make_pending(source.dtype(), offsets.shape(), common_device(inputs),
                      {.kind = NodeKind::gather}, std::vector<Array>(inputs));
}

Array make_roll(const Array& source, Dims shifts) {
  if (const NodePointer node = node_of(source); node && node->kind == NodeKind::roll) {
    for (std::size_t d = 0; d < shifts.size(); ++d) {
      shifts[d] = (shifts[d] + node->shifts[d]) % source.shape()[d];
    }
    return make_roll(node->inputs[0], std::move(shifts));
  }
  return make_pending(source.dtype(), source.shape(), source.device(),
                      {.kind = NodeKind::roll, .shifts = std::move(shifts)}, {source});
}

Array make_reduce(const Array& input, const Dims& axes, UfuncId combine, DType accumulator,
                  DType result, KeepAxes keep) {
  return make_pending(
      result, reduced_shape(input, axes, keep), input.device(),
      {.kind = NodeKind::reduce, .ufunc = combine, .axes = axes, .accumulator = accumulator},
      {make_cast(input, accumulator)});
}

Array make_user_reduce(const Array& input, const Dims& axes, const UserFunction& combine,
                       KeepAxes keep) {
  return make_pending(
      input.dtype(), reduced_shape(input, axes, keep), input.device(),
      {.kind = NodeKind::reduce, .axes = axes, .accumulator = input.dtype(), .function = &combine},
      {input});
}

Array make_arg_reduce(const Array& input, const Dims& axes, UfuncId combine, KeepAxes keep) {
  return make_pending(
      DType::int64, reduced_shape(input, axes, keep), input.device(),
      {.kind = NodeKind::arg_reduce, .ufunc = combine, .axes = axes, .accumulator = input.dtype()},
      {input});
}

Array make_scan(const Array& input, int axis, UfuncId combine, DType accumulator, DType result) {
  return make_pending(
      result, input.shape(), input.device(),
      {.kind = NodeKind::scan, .ufunc = combine, .axes = Dims{axis}, .accumulator = accumulator},
      {make_cast(input, accumulator)});
}

Array make_segment_reduce(const Array& input, int axis, const Array& first, const Array& last,
                          UfuncId combine, DType accumulator, DType result) {
  Dims shape = input.shape();
  shape[static_cast<std::size_t>(axis)] = first.size();
  return make_pending(result, shape, input.device(),
                      {.kind = NodeKind::segment_reduce,
                       .ufunc = combine,
                       .axes = Dims{axis},
                       .accumulator = accumulator},
                      {make_cast(input, accumulator), first, last});
}

}  // namespace cupola
