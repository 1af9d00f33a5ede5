#include "codegen/cuda/families/family.h"

#include "codegen/cuda/families/families.h"
#include "cupola/error.h"

namespace cupola {

std::unique_ptr<const CudaFamily> cuda_family(const KernelPlan& plan) {
  for (FamilyOfPlan* const family :
       {mask_family, partition_family, sort_family, tally_family, scatter_family, strided_family,
        elementwise_family, reduce_family, scan_family, segments_family, rows_family}) {
    if (auto kernels = family(plan)) return kernels;
  }
  throw CompileError("no family of CUDA kernels takes the plan");
}

}  // namespace cupola
