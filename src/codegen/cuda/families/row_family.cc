#include "codegen/cuda/families/row_family.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "codegen/cuda/plan_facts.h"

namespace cupola {
namespace {

// Magnitude of the smallest stride that moves; a huge number when none does.
std::int64_t smallest_stride(const Dims& extents, const Dims& strides, int first, int last) {
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  for (int d = first; d < last; ++d) {
    const auto at = static_cast<std::size_t>(d);
    const std::int64_t stride = strides[at] < 0 ? -strides[at] : strides[at];
    if (extents[at] > 1 && stride > 0) smallest = std::min(smallest, stride);
  }
  return smallest;
}

}  // namespace

RowFamily::RowFamily(const KernelPlan& plan) : CudaFamily(plan) {
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    if (!is_loaded(plan, i) || plan.inputs[i].per_row) continue;
    const OperandLayout layout = effective_layout(plan, i);
    may_load_quads_ |= layout == OperandLayout::contiguous && plan.inputs[i].aligned16;
    may_have_columns_ |= layout == OperandLayout::strided && kept_rank(plan) > 0;
  }
}

std::uint64_t RowFamily::lanes_of_short_row(const StageBuilder& stages) {
  return std::min<std::uint64_t>(32, std::bit_ceil(ceil_div(stages.length(), 16)));
}

bool RowFamily::loads_quads(const StageBuilder& stages) const {
  return may_load_quads_ && (stages.kept() == 1 || stages.length() % 4 == 0);
}

bool RowFamily::is_outer(const StageBuilder& stages) const {
  const LaunchArguments& arguments = stages.arguments();
  if (!may_have_columns_ || stages.kept() < kFewestColumns) return false;
  if (arguments.is_outer) return *arguments.is_outer;
  const int kept = kept_rank(plan_);
  std::int64_t votes = 0;
  for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
    if (!is_loaded(plan_, i)) continue;
    const auto bytes = static_cast<std::int64_t>(item_size(plan_.inputs[i].dtype));
    const OperandLayout layout = effective_layout(plan_, i);
    if (layout == OperandLayout::contiguous) votes -= bytes;
    if (layout != OperandLayout::strided) continue;
    const Dims& strides = arguments.inputs[i].strides;
    const bool is_column = smallest_stride(arguments.extents, strides, 0, kept) <
                           smallest_stride(arguments.extents, strides, kept, plan_.rank);
    votes += is_column ? bytes : -bytes;
  }
  return votes > 0;
}

}  // namespace cupola
