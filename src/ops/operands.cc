#include "ops/operands.h"

#include <fmt/format.h>

#include <numeric>

#include "base/mutant.h"
#include "cupola/error.h"
#include "cupola/ops/manip.h"
#include "cupola/runtime.h"
#include "cupola/transfer.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "graph/result_layout.h"
#include "ops/elementwise/elements.h"

namespace cupola {

namespace {

// Arrays that are as the result, row-major.
bool are_row_major(std::span<const Operand> operands, const Dims& shape) {
  return std::all_of(operands.begin(), operands.end(), [&](const Operand& operand) {
    if (!operand.is_array()) return true;
    const Array& array = operand.array();
    return is_laid_out(array) && array.shape() == shape && is_c_contiguous(array);
  });
}

// Those whose layouts decide the result's. None: it is row-major.
std::vector<Array> array_operands(std::span<const Operand> operands, const Dims& shape) {
  std::vector<Array> arrays;
  if (are_row_major(operands, shape)) return arrays;
  arrays.reserve(operands.size());
  for (const Operand& operand : operands) {
    if (!operand.is_array()) continue;
    const Array& array = operand.array();
    arrays.push_back(is_laid_out(array) ? array : evaluate(array));
  }
  return arrays;
}

bool is_f_only(const Array& array) { return is_f_contiguous(array) && !is_c_contiguous(array); }

Dims result_strides(const Dims& shape, std::span<const Array> operands, char order) {
  const bool all_f =
      !operands.empty() && std::all_of(operands.begin(), operands.end(),
                                       [](const Array& array) { return is_f_contiguous(array); });
  if (order == 'F' || (order == 'A' && all_f)) return f_strides(shape);
  if (order != 'K') return c_strides(shape);
  return like_strides(shape, operands);
}

// Those of `shape` without gaps, the axes in the order of a's strides (the larger outside, equal
// ones as they are).
Dims memory_order_strides(const Array& a, const Dims& shape) {
  if (is_c_contiguous(a) || shape.size() != a.shape().size()) return c_strides(shape);
  const auto stride = [&](std::size_t axis) { return std::abs(strides_of(a)[axis]); };
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](auto first, auto second) { return stride(first) > stride(second); });
  return dense_strides(shape, order);
}

// Where an order is asked for, memory must be in that order before it is read.
bool is_usual(const Dims& strides, const Dims& shape, std::span<const Array> operands, char order) {
  return order == 'K' || strides == like_strides(shape, operands);
}

bool has_outputs(const UfuncOptions& options) {
  return std::any_of(options.out.begin(), options.out.end(),
                     [](const Array& out) { return out.has_value(); });
}

// Results that are nobody's yet.
bool may_wait(std::span<const Array> results, const Dims& shape) {
  return std::all_of(results.begin(), results.end(), [&](const Array& result) {
    return !is_stored(result) && !is_laid_out(result) && result.shape() == shape;
  });
}

}  // namespace

std::vector<OperandType> operand_types(std::span<const Operand> operands) {
  std::vector<OperandType> types;
  types.reserve(operands.size());
  for (const Operand& operand : operands) {
    if (operand.is_array()) {
      types.push_back({operand.array().dtype(), std::nullopt});
    } else {
      types.push_back({operand.scalar().dtype(), operand.scalar().weak_kind()});
    }
  }
  return types;
}

DType result_dtype(std::span<const Operand> operands) {
  std::vector<DType> typed;
  std::vector<WeakKind> weak;
  for (const OperandType& type : operand_types(operands)) {
    if (type.weak) {
      weak.push_back(*type.weak);
    } else {
      typed.push_back(type.dtype);
    }
  }
  return result_type(typed, weak);
}

[[noreturn]] static void throw_different(const Device& one, const Device& other) {
  throw DeviceError(
      fmt::format("operands are on different devices: {} and {}; move one with to_device()",
                  one.to_string(), other.to_string()));
}

Device operand_device(std::span<const Operand> operands, const UfuncOptions& options) {
  std::optional<Device> device;
  const auto visit = [&](const Array& array) {
    if (!array.has_value()) return;
    if (!device || array.device().contains(*device)) {
      device = array.device();
    } else if (!device->contains(array.device())) {
      throw_different(*device, array.device());
    }
  };
  for (const Operand& operand : operands) visit(operand.array());
  visit(options.where);
  for (const Array& out : options.out) visit(out);
  if (device && !CUPOLA_MUTANT(work_on_current_device)) return *device;
  return options.device ? *options.device : current_device();
}

Array on_device(const Array& array, const Device& device) {
  if (array.device() == device) return array;
  if (!device.contains(array.device())) throw_different(device, array.device());
  return to_device(array, device);
}

std::span<const Operand> on_device(std::span<const Operand> operands, const Device& device,
                                   std::vector<Operand>& kept) {
  const auto is_elsewhere = [&](const Operand& operand) {
    return operand.is_array() && operand.array().device() != device;
  };
  if (std::none_of(operands.begin(), operands.end(), is_elsewhere)) return operands;
  for (const Operand& operand : operands) {
    kept.push_back(is_elsewhere(operand) ? Operand(on_device(operand.array(), device)) : operand);
  }
  return kept;
}

Array as_node(const Operand& operand, DType dtype, const Device& device) {
  if (operand.is_array()) return make_cast(on_device(operand.array(), device), dtype);
  return make_scalar(operand.scalar().cast(dtype), {}, device);
}

Scalar loop_value(UfuncId ufunc, const Scalar& scalar, DType dtype) {
  const bool logical = ufunc == UfuncId::logical_and || ufunc == UfuncId::logical_or ||
                       ufunc == UfuncId::logical_xor;
  return logical ? scalar.cast(DType::bool_).cast(dtype) : scalar.cast(dtype);
}

std::vector<Array> store_results(std::vector<Array> results, const Dims& shape,
                                 std::span<const Operand> operands, const UfuncOptions& options) {
  const bool is_stored_there = options.out.size() == 1 && options.out[0].has_value() &&
                               !options.where.has_value() &&
                               store_element(results[0], options.out[0]);
  if (is_stored_there) return options.out;
  const std::vector<Array> arrays = array_operands(operands, shape);
  const char order = parse_order(options.order);
  const Dims strides = result_strides(shape, arrays, order);
  if (!has_outputs(options) && may_wait(results, shape) &&
      is_usual(strides, shape, arrays, order)) {
    for (const Array& result : results) lay_out(result, strides);
    for (const Array& result : results) defer(result);
    return results;
  }
  std::vector<Write> writes;
  for (std::size_t i = 0; i < results.size(); ++i) {
    Write each{.value = results[i], .target = {}};
    if (i < options.out.size() && options.out[i].has_value()) {
      each.target = evaluate(options.out[i]);
      if (options.where.has_value()) {
        each.value = make_select(on_device(options.where, each.target.device()),
                                 make_cast(results[i], each.target.dtype()), each.target);
      }
    } else {
      check_size(results[i].dtype(), shape);
      each.target =
          allocate_strided(results[i].dtype(), shape, results[i].device(), strides, arrays);
    }
    results[i] = each.target;
    writes.push_back(std::move(each));
  }
  write(writes);
  return results;
}

Dims ordered_strides(const Array& a, char order) { return ordered_strides(a, order, a.shape()); }

Dims ordered_strides(const Array& a, char order, const Dims& shape) {
  switch (parse_order(order)) {
    case 'C':
      return c_strides(shape);
    case 'F':
      return f_strides(shape);
    case 'A':
      return is_f_only(a) ? f_strides(shape) : c_strides(shape);
    default:
      return memory_order_strides(a, shape);
  }
}

Operand without_leading_ones(const Operand& value, std::size_t rank) {
  if (!value.is_array() || value.array().shape().size() <= rank) return value;
  const Dims& shape = value.array().shape();
  Dims axes;
  while (shape.size() - axes.size() > rank && shape[axes.size()] == 1) {
    axes.push_back(static_cast<std::int64_t>(axes.size()));
  }
  return axes.empty() ? value : Operand(squeeze(value.array(), axes));
}

Array allocate_ordered(DType dtype, const Array& a, char order) {
  check_size(dtype, a.shape());
  return allocate_strided(dtype, a.shape(), a.device(), ordered_strides(a, order), {&a, 1});
}

char parse_order(char order) {
  if (order != 'C' && order != 'F' && order != 'A' && order != 'K') {
    throw ValueError(fmt::format("order must be one of 'C', 'F', 'A', or 'K' (got '{}')", order));
  }
  return order;
}

}  // namespace cupola
