// take, put and their relatives along an axis.

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/array_state.h"
#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "cupola/ops/manip.h"
#include "exec/evaluation/evaluator.h"
#include "exec/host/host_access.h"
#include "ops/indexing/index_host.h"
#include "ops/indexing/index_plan.h"
#include "ops/operands.h"
#include "ops/support.h"

namespace cupola {

namespace {

// Of results without elements nothing is taken.
void check_not_empty(const Dims& result, std::int64_t extent) {
  if (extent == 0 && element_count(result) > 0) {
    throw IndexError("cannot do a non-empty take from an empty axes.");
  }
}

void check_positions(const Array& indices) {
  check_cast(indices.dtype(), DType::int64, Casting::same_kind);
}

// Elements of the flattened array.
Array take_flat(const Array& a, const Array& indices, IndexMode mode) {
  check_not_empty(indices.shape(), a.size());
  if (indices.size() == 0) return allocate_array(a.dtype(), indices.shape(), a.device());
  const Array numbers = bounded_positions(indices, a.size(), 0, mode);
  return gather(a, flat_offsets(a.shape(), strides_of(a), numbers));
}

Array take_axis(const Array& a, const Array& indices, std::size_t axis, IndexMode mode) {
  const std::int64_t extent = a.shape()[axis];
  IndexPlan plan;
  plan.shape = a.shape();
  plan.layout = a.state().layout;
  plan.position = axis;
  plan.advanced_shape = indices.shape();
  plan.result_shape = a.shape();
  plan.result_shape.erase(axis);
  for (std::size_t i = 0; i < indices.shape().size(); ++i) {
    plan.result_shape.insert(axis + i, indices.shape()[i]);
  }
  check_not_empty(plan.result_shape, extent);
  // As in NumPy, which has nowhere to look for them where a dimension before the axis is empty.
  const std::span<const std::int64_t> outer(a.shape().begin(), axis);
  const bool none = indices.size() == 0 || std::find(outer.begin(), outer.end(), 0) != outer.end();
  const Array positions = none ? indices : bounded_positions(indices, extent, axis, mode);
  plan.advanced.push_back({positions, axis, axis, true});
  return gather_elements(a, plan);
}

struct AlongAxis {
  Array offsets;  // element offsets in `a`
  Dims shape;
};

// Where a[.., indices[.., i, ..], ..] lies: indices along `axis`, every other dimension in step.
AlongAxis along_axis(const Array& a, const Array& indices, std::int64_t wanted_axis) {
  const auto axis = static_cast<std::size_t>(normalize_axis(wanted_axis, a.rank()));
  if (!is_integer(indices.dtype())) throw IndexError("`indices` must be an integer array");
  if (indices.rank() != a.rank()) {
    throw ValueError(
        fmt::format("`indices` and `arr` must have the same number of dimensions, not {} and {}",
                    indices.rank(), a.rank()));
  }
  Dims others = a.shape();
  others[axis] = 1;
  AlongAxis result;
  try {
    const Dims shapes[] = {others, indices.shape()};
    result.shape = broadcast_shapes(shapes);
  } catch (const ValueError&) {
    throw IndexError(
        "shape mismatch: indexing arrays could not be broadcast together with shapes " +
        to_string(others) + " " + to_string(indices.shape()));
  }
  const auto scaled = [&](const Array& positions, std::size_t d) {
    return make_ufunc(UfuncId::multiply,
                      {positions, make_constant(strides_of(a)[d], DType::int64, a.device())});
  };
  const Array positions = bounded_positions(indices, a.shape()[axis], axis, IndexMode::raise);
  result.offsets = make_ufunc(
      UfuncId::add,
      {make_scalar(Scalar(std::int64_t{0}), result.shape, a.device()), scaled(positions, axis)});
  for (std::size_t d = 0; d < a.shape().size(); ++d) {
    if (d == axis || a.shape()[d] == 1) continue;
    const Array step = scaled(axis_positions(a.shape()[d], d, a.shape().size(), a.device()), d);
    result.offsets = make_ufunc(UfuncId::add, {result.offsets, step});
  }
  return result;
}

void check_flat_indices(const Array& indices) {
  if (indices.rank() != 1) {
    throw ValueError("when axis=None, `indices` must have a single dimension.");
  }
  if (!is_integer(indices.dtype())) throw IndexError("`indices` must be an integer array");
}

void scatter(const Array& a, const Array& offsets, const Array& value) {
  const Write each{.value = value, .target = a, .store = StoreKind::scatter, .offset = offsets};
  write({&each, 1});
}

// `count` values, repeated from the start as often as needed.
Array cycled(const Array& values, std::int64_t count) {
  if (values.size() == 1) return values;
  const Array line = evaluate(ravel(values));
  if (line.size() >= count) return make_view(line, {count}, line.state().layout);
  const Array number =
      make_ufunc(UfuncId::remainder, {make_index({count}, line.device()),
                                      make_constant(line.size(), DType::int64, line.device())});
  return take_numbers(line, number);
}

}  // namespace

Array take(const Array& a, const Array& indices, std::optional<std::int64_t> axis, IndexMode mode,
           const Array& out) {
  check_positions(indices);
  evaluate(a);
  const bool is_indexed = axis ? a.rank() > 0 : a.rank() == 1;
  const bool is_on_host = host_shares_memory(a.device()) && indices.size() <= kMaxIndexedOnHost;
  if (is_indexed && is_on_host && mode == IndexMode::raise && !out.has_value()) {
    Index index;
    index.resize(static_cast<std::size_t>(normalize_axis(axis.value_or(0), a.rank())), Slice{});
    index.emplace_back(indices);
    const IndexPlan plan = plan_index(a, index);
    const Array view = make_view(a, plan.shape, plan.layout);
    if (Array few = get_on_host(view, plan); few.has_value()) return few;
  }
  const Array source = axis && a.rank() == 0 ? ravel(a) : a;
  const auto normal = axis ? normalize_axis(*axis, source.rank()) : 0;
  if (out.has_value()) {
    check_output(out, a.device());
    check_cast(out.dtype(), a.dtype(), Casting::safe);
    Dims shape = indices.shape();
    if (axis) {
      shape = source.shape();
      shape.erase(static_cast<std::size_t>(normal));
      for (std::size_t i = 0; i < indices.shape().size(); ++i) {
        shape.insert(static_cast<std::size_t>(normal) + i, indices.shape()[i]);
      }
    }
    if (out.shape() != shape) {
      throw ValueError("output array does not match result of ndarray.take: " +
                       to_string(out.shape()) + " instead of " + to_string(shape));
    }
  }
  const Array result = axis ? take_axis(source, indices, static_cast<std::size_t>(normal), mode)
                            : take_flat(source, indices, mode);
  if (!out.has_value()) return result;
  if (out.size() > 0) write(result, evaluate(out));
  return out;
}

void put(const Array& a, const Array& indices, const Operand& values, IndexMode mode) {
  if (!a.writable()) throw ValueError("put: output array is read-only");
  check_cast(indices.dtype(), DType::int64, Casting::safe);
  check_number(values, a.dtype());
  const Array source = as_node(values, a.dtype(), a.device());
  if (values.is_array() && values.array().size() == 0) return;
  if (indices.size() == 0) return;
  if (a.size() == 0) throw IndexError("cannot replace elements of an empty array");
  evaluate(a);
  const Array line = ravel(indices);
  const Array value = cycled(source, line.size());
  const Array numbers = bounded_positions(line, a.size(), 0, mode);
  scatter(a, flat_offsets(a.shape(), strides_of(a), numbers), value);
}

Array take_along_axis(const Array& a, const Array& indices, std::optional<std::int64_t> axis) {
  evaluate(a);
  if (!axis) {
    check_flat_indices(indices);
    return take(a, indices);
  }
  const AlongAxis along = along_axis(a, indices, *axis);
  const Array target = allocate_array(a.dtype(), along.shape, a.device());
  if (target.size() > 0) write(make_gather(a, along.offsets), target);
  return target;
}

void put_along_axis(const Array& a, const Array& indices, const Operand& values,
                    std::optional<std::int64_t> axis) {
  if (!a.writable()) throw ValueError("assignment destination is read-only");
  evaluate(a);
  const Array value = as_node(values, a.dtype(), a.device());
  AlongAxis along;
  if (axis) {
    along = along_axis(a, indices, *axis);
  } else {
    check_flat_indices(indices);
    along.shape = indices.shape();
    along.offsets = flat_offsets(a.shape(), strides_of(a),
                                 bounded_positions(indices, a.size(), 0, IndexMode::raise));
  }
  const Dims shapes[] = {along.shape, value.shape()};
  if (value.rank() > along.shape.rank() || broadcast_shapes(shapes) != along.shape) {
    throw ValueError("shape mismatch: value array of shape " + to_string(value.shape()) +
                     " could not be broadcast to indexing result of shape " +
                     to_string(along.shape));
  }
  if (element_count(along.shape) > 0) scatter(a, along.offsets, value);
}

}  // namespace cupola
