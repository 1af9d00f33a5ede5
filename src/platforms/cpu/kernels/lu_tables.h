#pragma once
// The loops of one instruction set that factor stacks of small matrices, several side by side.

#include <cstdint>

namespace cupola::cpu {

inline constexpr std::int64_t kLargestInLanes = 6;  // rows

// The `info` of a matrix that is far from regular, or has NaN: nothing else of it is written.
inline constexpr std::int32_t kLeftAlone = -1;

// As FactorProblem has them: column-major, one right behind the other.
struct SmallSystems {
  void* a;                // `count` squares of `n` rows
  void* b;                // as many matrices of `n` rows and `columns` columns
  std::int64_t* pivots;   // count * n
  std::int32_t* info;     // count
  std::int64_t count, n;  // n <= kLargestInLanes
  std::int64_t columns;   // 0: b is null
};

struct LuFunctions {
  // getrf, and getrs where there is a b.
  void (*float32)(const SmallSystems& systems) = nullptr;
  void (*float64)(const SmallSystems& systems) = nullptr;
};

// Of the best instruction set of this machine.
const LuFunctions& lu_functions();

void add_lu_kernels_baseline(LuFunctions& functions);
#ifdef __x86_64__  // not every build has these
void add_lu_kernels_avx2(LuFunctions& functions);
void add_lu_kernels_avx512(LuFunctions& functions);
#endif

}  // namespace cupola::cpu
