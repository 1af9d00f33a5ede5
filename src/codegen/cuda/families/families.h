#pragma once
// The families, one file each.

#include "codegen/cuda/families/family.h"

namespace cupola {

using FamilyOfPlan = std::unique_ptr<const CudaFamily>(const KernelPlan& plan);

// Of maps: null where a plan is of another one.
FamilyOfPlan mask_family;       // counts and numbers of the elements that a mask has
FamilyOfPlan partition_family;  // rows by bins
FamilyOfPlan sort_family;       // short rows by keys
FamilyOfPlan tally_family;      // sums by place in shared memory
FamilyOfPlan scatter_family;    // elements that go to computed places, or are combined there
FamilyOfPlan strided_family;    // operands with strides
// The others have a kind of plan each, and elementwise_family all maps that are left.
FamilyOfPlan elementwise_family;
FamilyOfPlan reduce_family;  // and places of extremes
FamilyOfPlan scan_family;
FamilyOfPlan segments_family;
FamilyOfPlan rows_family;

}  // namespace cupola
