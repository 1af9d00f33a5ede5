#pragma once
// The loops over contiguous elements of which the tile runner makes everything. They are compiled
// for several instruction sets; the best one for this machine is chosen once.

#include <cstdint>
#include <string_view>

#include "core/ufunc.h"
#include "cupola/dtype.h"

namespace cupola::cpu {

// output[i] = f(inputs[0][i], ...). The output may be one of the inputs.
using LoopFunction = void (*)(const void* const* inputs, void* output, std::int64_t count);

// The same of a ufunc of two results, which are apart; either may be one of the inputs.
using PairFunction = void (*)(const void* const* inputs, void* first, void* second,
                              std::int64_t count);

// accumulator = f(accumulator, values[i]); `count` > 0.
using FoldFunction = void (*)(const void* values, std::int64_t count, void* accumulator);
// The same; prefixes[i] is the accumulator after values[i]. `prefixes` may be `values`.
using ScanFunction = void (*)(const void* values, std::int64_t count, void* accumulator,
                              void* prefixes);
// result = combination of all values in a fixed tree; `count` > 0.
using TreeFunction = void (*)(const void* values, std::int64_t count, void* result);
// accumulators[i] = f(.. f(accumulators[i], rows[0][i]) .., rows[n-1][i]); rows are `row_stride`
// elements apart.
using RowsFunction = void (*)(const void* rows, std::int64_t row_stride, std::int64_t row_count,
                              std::int64_t count, void* accumulators);

// What a ufunc with a loop (T, T) -> T offers to reductions over T.
struct ReduceLoops {
  LoopFunction combine = nullptr;
  FoldFunction fold = nullptr;
  ScanFunction scan = nullptr;
  TreeFunction tree = nullptr;  // these two only where the ufunc is reorderable
  RowsFunction rows = nullptr;
};

// The largest or smallest value so far and its place.
struct Extremum {
  alignas(16) unsigned char value[16];
  std::int64_t index = -1;  // none yet
};
// Takes values first_index, first_index + 1, ... into account; the first NaN wins.
using ExtremumFunction = void (*)(const void* values, std::int64_t count, std::int64_t first_index,
                                  Extremum& best);
// The same for `count` accumulators, one value each, all numbered `index`.
using ExtremaFunction = void (*)(const void* values, std::int64_t count, std::int64_t index,
                                 void* best_values, std::int64_t* best_indices);
// The places in each of `row_count` rows of `length` values that lie one after the other.
using ExtremumRowsFunction = void (*)(const void* rows, std::int64_t row_count, std::int64_t length,
                                      std::int64_t* indices);

struct ExtremumLoops {
  ExtremumFunction along = nullptr;
  ExtremumRowsFunction rows = nullptr;
  ExtremaFunction across = nullptr;
};

// Null when the ufunc has no such loop. `loop` is the number of the loop in ufunc_info(id).loops.
LoopFunction find_loop(UfuncId id, int loop, int result);
// The loop of the first result that reads one element of the operand, and no more. Null: there is
// none, and nothing to gain.
LoopFunction find_scalar_loop(UfuncId id, int loop, int operand);
// The loop of both results; null: there is none, and each is computed by itself.
PairFunction find_pair(UfuncId id, int loop);
// The loop of `id` with these inputs; -1 if there is none.
int find_loop_number(UfuncId id, const DType* inputs);
LoopFunction find_cast(DType from, DType to);
// Members are null when `id` cannot combine values of `dtype`.
const ReduceLoops& find_reduce(UfuncId id, DType dtype);
const ExtremumLoops& find_extremum(bool largest, DType dtype);
// out[i] = inputs[0][i] ? inputs[1][i] : inputs[2][i] for elements of this size.
LoopFunction find_select(std::size_t item_size);

// out[i] = minimum(maximum(inputs[0][i], *inputs[1]), *inputs[2]); null: there is none.
LoopFunction find_clip(DType dtype);

// "baseline", "avx2", "avx512".
std::string_view instruction_set();

}  // namespace cupola::cpu
