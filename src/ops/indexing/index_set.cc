// a[index] = value. Everything that can be wrong is found before anything is written.

#include <fmt/format.h>

#include "core/array_state.h"
#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "exec/evaluation/evaluator.h"
#include "ops/indexing/index_host.h"
#include "ops/indexing/index_plan.h"
#include "ops/operands.h"
#include "ops/support.h"

namespace cupola {

namespace {

const Array* single_mask(const Index& index) {
  if (index.size() != 1) return nullptr;
  const auto* mask = std::get_if<Array>(&index.front());
  if (mask == nullptr || mask->dtype() != DType::bool_ || mask->rank() == 0) return nullptr;
  return mask;
}

bool mask_fits(const Array& a, const Array& mask) {
  if (mask.rank() > a.rank()) return false;
  return std::equal(mask.shape().begin(), mask.shape().end(), a.shape().begin());
}

bool is_one_element(const Operand& value) {
  return !value.is_array() || (value.array().rank() <= 1 && value.array().size() == 1);
}

// The value, when every selected element (of the dimensions after the mask's) gets the same.
std::optional<Operand> common_value(const Array& a, const Array& mask, const Operand& value) {
  if (!value.is_array()) return value;
  Dims rest;
  for (std::size_t i = mask.shape().size(); i < a.shape().size(); ++i) rest.push_back(a.shape()[i]);
  const Operand stripped = without_leading_ones(value, rest.size());
  const Dims& shape = stripped.array().shape();
  if (shape.size() > rest.size()) return std::nullopt;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t extent = rest[rest.size() - shape.size() + i];
    if (shape[i] != extent && shape[i] != 1) return std::nullopt;
  }
  return stripped;
}

// a[mask] = values, one value for every true element of a mask of a's shape.
void assign_in_order(const Array& a, const Array& mask, const Array& values) {
  if (values.rank() > 1) {
    throw TypeError(
        fmt::format("NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, "
                    "input has {} dimensions",
                    values.rank()));
  }
  const MaskCount counted = count_mask(mask);
  if (counted.count != values.size()) {
    throw ValueError(
        fmt::format("NumPy boolean array indexing assignment cannot assign {} input values to the "
                    "{} output values where the mask is true",
                    values.size(), counted.count));
  }
  if (counted.count == 0) return;
  const Write expand{.value = evaluate(values),
                     .target = a,
                     .store = StoreKind::expand,
                     .offset = counted.ends,
                     .predicate = mask};
  write({&expand, 1});
}

// True when the assignment was one through a mask alone and is done. A mask that waits becomes a
// part of the kernel that assigns one value; several are counted first.
bool assign_masked(const Array& a, const Array& mask, const Operand& value) {
  const bool whole = mask.rank() == a.rank();
  if (whole && expand_on_host(a, mask, value)) return true;
  if (whole && value.is_array() && !is_one_element(value)) {
    as_node(value, a.dtype(), a.device());
    assign_in_order(a, evaluate(mask), value.array());
    return true;
  }
  const std::optional<Operand> common = common_value(a, mask, value);
  if (!common) return false;
  const Array where = with_trailing_ones(mask, static_cast<std::size_t>(a.rank() - mask.rank()));
  if (a.size() > 0) {
    assign(a, *common, Casting::unsafe_, where);
  } else {
    as_node(*common, a.dtype(), a.device());  // a number must fit all the same
  }
  return true;
}

void assign_scattered(const Array& a, const IndexPlan& plan, const Operand& value) {
  const Operand stripped = without_leading_ones(value, plan.result_shape.size());
  const Array source = as_node(stripped, a.dtype(), a.device());
  if (!broadcasts_to(source.shape(), plan.result_shape)) {
    throw ValueError(
        fmt::format("shape mismatch: value array of shape {} could not be broadcast "
                    "to indexing result of shape {}",
                    to_string(value.is_array() ? value.array().shape() : Dims{}),
                    to_string(plan.result_shape)));
  }
  const Array offsets = offsets_node(plan, a.device());
  if (element_count(plan.result_shape) == 0) return;
  const Write scatter{.value = source,
                      .target = make_view(a, plan.shape, plan.layout),
                      .store = StoreKind::scatter,
                      .offset = offsets};
  write({&scatter, 1});
}

// An element takes a number or an array without dimensions, a boolean one any array of one element.
void check_element(const Operand& value, DType dtype) {
  if (!value.is_array() || value.array().rank() == 0) return;
  if (dtype == DType::bool_ && value.array().size() == 1) return;
  const std::string shape = to_string(value.array().shape());
  if (is_complex(dtype)) {
    throw TypeError("only 0-dimensional arrays can be converted to Python scalars, not shape " +
                    shape);
  }
  throw ValueError("setting an array element with a sequence: the value has shape " + shape);
}

bool picks_one_element(const Array& a, const Index& index) {
  const auto is_number = [](const auto& term) {
    if (const auto* array = std::get_if<Array>(&term)) {
      return array->rank() == 0 && array->dtype() != DType::bool_;
    }
    return std::holds_alternative<std::int64_t>(term);
  };
  return static_cast<int>(index.size()) == a.rank() &&
         std::all_of(index.begin(), index.end(), is_number);
}

}  // namespace

void set_index(const Array& a, const Index& index, const Operand& value) {
  if (!a.writable()) throw ValueError("assignment destination is read-only");
  check_number(value, a.dtype());
  evaluate(a);
  if (const Array* mask = single_mask(index);
      mask != nullptr && mask_fits(a, *mask) && assign_masked(a, *mask, value)) {
    return;
  }
  const IndexPlan plan = plan_index(a, index);
  if (picks_one_element(a, index)) check_element(value, a.dtype());
  const Array view = make_view(a, plan.shape, plan.layout);
  if (plan.is_basic) return assign(view, value, Casting::unsafe_);
  if (!set_on_host(view, plan, value)) assign_scattered(a, plan, value);
}

}  // namespace cupola
