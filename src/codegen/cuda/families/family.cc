#include "codegen/cuda/families/family.h"

#include "codegen/cuda/families/families.h"

namespace cupola {
namespace {

// The first one that takes the plan; the last takes all.
std::unique_ptr<const CudaFamily> family_of_map(const KernelPlan& plan) {
  for (FamilyOfPlan* const family :
       {mask_family, partition_family, sort_family, tally_family, scatter_family, strided_family}) {
    if (auto found = family(plan)) return found;
  }
  return elementwise_family(plan);
}

}  // namespace

std::unique_ptr<const CudaFamily> cuda_family(const KernelPlan& plan) {
  switch (plan.kind()) {
    case PlanKind::map:
      return family_of_map(plan);
    case PlanKind::reduce:
    case PlanKind::arg_reduce:
      return reduce_family(plan);
    case PlanKind::scan:
      return scan_family(plan);
    case PlanKind::segment_reduce:
      return segments_family(plan);
    case PlanKind::rows:
      return rows_family(plan);
  }
  __builtin_unreachable();
}

}  // namespace cupola
