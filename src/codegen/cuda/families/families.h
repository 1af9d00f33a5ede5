#pragma once
// The families, one file each: null where a plan is of another one.

#include "codegen/cuda/families/family.h"

namespace cupola {

using FamilyOfPlan = std::unique_ptr<const CudaFamily>(const KernelPlan& plan);

FamilyOfPlan elementwise_family;  // contiguous operands, and what no other family of maps takes
FamilyOfPlan strided_family;      // operands with strides: strips, tiles
FamilyOfPlan scatter_family;      // elements that go to computed places, or are combined there
FamilyOfPlan tally_family;        // sums by place in shared memory
FamilyOfPlan mask_family;         // counts and numbers of the elements that a mask has
FamilyOfPlan partition_family;    // rows by bins
FamilyOfPlan sort_family;         // short rows by keys
FamilyOfPlan reduce_family;       // reductions, and places of extremes
FamilyOfPlan scan_family;         // running combinations
FamilyOfPlan segments_family;     // reductions of given parts of rows
FamilyOfPlan rows_family;         // reductions of rows, and what is made of them

}  // namespace cupola
