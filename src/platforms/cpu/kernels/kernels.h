#pragma once
// The tables that the kernels of one instruction set fill.

#include "platforms/cpu/interpreter/loops.h"

namespace cupola::cpu {

inline constexpr int kMaxLoops = 20;   // of one ufunc
inline constexpr int kUfuncParts = 8;  // translation units for the rows of ufuncs.def

struct KernelTables {
  LoopFunction ufuncs[kUfuncCount][kMaxLoops][2] = {};
  // Of one result, with the first or the second operand the same everywhere.
  LoopFunction by_scalar[kUfuncCount][kMaxLoops][2] = {};
  PairFunction pairs[kUfuncCount][kMaxLoops] = {};
  LoopFunction casts[kDTypeCount][kDTypeCount] = {};
  LoopFunction clips[kDTypeCount] = {};
  LoopFunction selects[5] = {};  // by the logarithm of the item size
  ReduceLoops reduce[kUfuncCount][kDTypeCount] = {};
  ExtremumLoops extrema[2][kDTypeCount] = {};  // smallest, largest
};

#define CUPOLA_CPU_DECLARE_KERNELS(TARGET)                   \
  void add_ufunc_kernels_##TARGET##_0(KernelTables& tables); \
  void add_ufunc_kernels_##TARGET##_1(KernelTables& tables); \
  void add_ufunc_kernels_##TARGET##_2(KernelTables& tables); \
  void add_ufunc_kernels_##TARGET##_3(KernelTables& tables); \
  void add_ufunc_kernels_##TARGET##_4(KernelTables& tables); \
  void add_ufunc_kernels_##TARGET##_5(KernelTables& tables); \
  void add_ufunc_kernels_##TARGET##_6(KernelTables& tables); \
  void add_ufunc_kernels_##TARGET##_7(KernelTables& tables); \
  void add_cast_kernels_##TARGET(KernelTables& tables);      \
  void add_integer_kernels_##TARGET(KernelTables& tables);   \
  void add_math_kernels_##TARGET(KernelTables& tables);      \
  void add_random_kernels_##TARGET(KernelTables& tables);    \
  void add_sampler_kernels_##TARGET(KernelTables& tables);   \
  void add_fold_kernels_##TARGET(KernelTables& tables);      \
  void add_tree_kernels_##TARGET(KernelTables& tables);      \
  void add_extremum_kernels_##TARGET(KernelTables& tables)

CUPOLA_CPU_DECLARE_KERNELS(baseline);
#ifdef __x86_64__  // not every build has these
CUPOLA_CPU_DECLARE_KERNELS(avx2);
CUPOLA_CPU_DECLARE_KERNELS(avx512);
#endif

}  // namespace cupola::cpu
