#pragma once
// Loops of reductions that need no tree, because their order does not matter; loops of several
// operations.

#include "platforms/cpu/interpreter/loops.h"

namespace cupola::cpu {

// The loops `tree` and `rows` of logical_and or logical_or, from values of `dtype`, which stand for
// booleans as they are, to booleans. They are null for bool itself, which needs no others than
// find_reduce()'s, and for other ufuncs.
const ReduceLoops& find_truth(UfuncId id, DType dtype);

// The combination of any number of values, if it is the same in every order; false, and no result,
// where that is not certain: where there are NaNs, or zeros, which may have signs.
using AnyOrderFunction = bool (*)(const void* values, std::int64_t count, void* result);
// Of minima and maxima of float32 and float64; else null.
AnyOrderFunction find_any_order(UfuncId id, DType dtype);

// The same of the minimum and the maximum together; null: there is none.
using BothExtremesFunction = bool (*)(const void* values, std::int64_t count, void* smallest,
                                      void* largest);
BothExtremesFunction find_both_extremes(DType dtype);

// out[i] = inputs[0][i] + inputs[1][i] * *inputs[2], both rounded; null: there is none.
LoopFunction find_added_product(DType dtype);

// sums[c] and squares[c] are the sums of d and of d * d, each rounded, over the rows' differences
// d = rows[r][c] - shifts[c], row by row; rows are `row_stride` elements apart, `row_count` > 0.
using DeviationsFunction = void (*)(const float* rows, std::int64_t row_stride,
                                    std::int64_t row_count, const double* shifts,
                                    std::int64_t count, double* sums, double* squares);
DeviationsFunction find_deviations();

struct DirectTables {
  ReduceLoops all[kDTypeCount];
  ReduceLoops any[kDTypeCount];
  AnyOrderFunction extrema[2][kDTypeCount];  // smallest, largest
  BothExtremesFunction both_extremes[kDTypeCount] = {};
  LoopFunction added_products[kDTypeCount] = {};
  DeviationsFunction deviations = nullptr;
};

void add_direct_kernels_baseline(DirectTables& tables);
#ifdef __x86_64__  // not every build has these
void add_direct_kernels_avx2(DirectTables& tables);
void add_direct_kernels_avx512(DirectTables& tables);
#endif

}  // namespace cupola::cpu
