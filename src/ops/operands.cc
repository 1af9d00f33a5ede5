#include "ops/operands.h"

#include <fmt/format.h>

#include "cupola/error.h"
#include "cupola/runtime.h"
#include "exec/evaluator.h"

namespace cupola {

namespace {

std::vector<Array> array_operands(std::span<const Operand> operands) {
  std::vector<Array> arrays;
  arrays.reserve(operands.size());
  for (const Operand& operand : operands) {
    if (operand.is_array()) arrays.push_back(evaluate(operand.array()));
  }
  return arrays;
}

Array allocate_result(const Array& result, const Dims& shape, std::span<const Array> operands,
                      char order) {
  if (order == 'K') return allocate_like(result.dtype(), shape, result.device(), operands);
  const bool all_f = order == 'A' && !operands.empty() &&
                     std::all_of(operands.begin(), operands.end(), [](const Array& operand) {
                       return is_f_contiguous(operand) && !is_c_contiguous(operand);
                     });
  return allocate_array(result.dtype(), shape, result.device(),
                        all_f          ? 'F'
                        : order == 'F' ? 'F'
                                       : 'C');
}

// Without gaps, the axes in the order of a's strides (the larger outside, equal ones as they are).
Array allocate_in_memory_order(DType dtype, const Array& a) {
  if (is_c_contiguous(a)) return allocate_array(dtype, a.shape(), a.device());
  const auto stride = [&](std::int64_t axis) {
    return std::abs(strides_of(a)[static_cast<std::size_t>(axis)]);
  };
  Dims order;
  for (int axis = 0; axis < a.rank(); ++axis) order.push_back(axis);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto first, auto second) { return stride(first) > stride(second); });
  Dims sorted;
  for (const std::int64_t axis : order) sorted.push_back(a.shape()[static_cast<std::size_t>(axis)]);
  const Dims steps = c_strides(sorted);
  Layout layout{Dims(order.size(), 0), 0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    layout.strides[static_cast<std::size_t>(order[i])] = steps[i];
  }
  return make_view(allocate_array(dtype, sorted, a.device()), a.shape(), std::move(layout));
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

Device operand_device(std::span<const Operand> operands, const UfuncOptions& options) {
  std::optional<Device> device;
  const auto visit = [&](const Array& array) {
    if (!array.has_value()) return;
    if (device && *device != array.device()) {
      throw DeviceError(
          fmt::format("operands are on different devices: {} and {}; move one with to_device()",
                      device->to_string(), array.device().to_string()));
    }
    device = array.device();
  };
  for (const Operand& operand : operands) visit(operand.array());
  visit(options.where);
  for (const Array& out : options.out) visit(out);
  if (device) return *device;
  return options.device ? *options.device : current_device();
}

Array as_node(const Operand& operand, DType dtype, const Device& device) {
  if (operand.is_array()) {
    if (operand.array().device() != device) {
      throw DeviceError(
          fmt::format("operands are on different devices: {} and {}; move one with to_device()",
                      device.to_string(), operand.array().device().to_string()));
    }
    return make_cast(operand.array(), dtype);
  }
  return make_scalar(operand.scalar().cast(dtype), {}, device);
}

std::vector<Array> store_results(std::vector<Array> results, const Dims& shape,
                                 std::span<const Operand> operands, const UfuncOptions& options) {
  const std::vector<Array> arrays = array_operands(operands);
  std::vector<Write> writes;
  for (std::size_t i = 0; i < results.size(); ++i) {
    Write each{.value = results[i], .target = {}};
    if (i < options.out.size() && options.out[i].has_value()) {
      each.target = evaluate(options.out[i]);
      if (options.where.has_value()) {
        each.value =
            make_select(options.where, make_cast(results[i], each.target.dtype()), each.target);
      }
    } else {
      each.target = allocate_result(results[i], shape, arrays, parse_order(options.order));
    }
    results[i] = each.target;
    writes.push_back(std::move(each));
  }
  write(writes);
  return results;
}

Array allocate_ordered(DType dtype, const Array& a, char order) {
  switch (parse_order(order)) {
    case 'C':
      return allocate_array(dtype, a.shape(), a.device(), 'C');
    case 'F':
      return allocate_array(dtype, a.shape(), a.device(), 'F');
    case 'A':
      return allocate_array(dtype, a.shape(), a.device(),
                            is_f_contiguous(a) && !is_c_contiguous(a) ? 'F' : 'C');
    default:
      return allocate_in_memory_order(dtype, a);
  }
}

char parse_order(char order) {
  if (order != 'C' && order != 'F' && order != 'A' && order != 'K') {
    throw ValueError(fmt::format("order must be one of 'C', 'F', 'A', or 'K' (got '{}')", order));
  }
  return order;
}

}  // namespace cupola
