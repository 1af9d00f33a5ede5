// Combination in order, and running combination, for every ufunc with a loop (T, T) -> T.

#include "platforms/cpu/kernels/rows.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

template <typename Row, typename T>
[[gnu::always_inline]] inline T combine(T a, T b) {
  if constexpr (Row::kRule.raw_halves) {
    return apply<Row, 0, T>(a, b);
  } else {
    return apply<Row, 0, T>(widen(a), widen(b));
  }
}

template <typename Row, typename T>
void fold_loop(const void* values, int64_t count, void* accumulator) {
  const auto* v = static_cast<const T*>(values);
  T result = *static_cast<const T*>(accumulator);
  for (int64_t i = 0; i < count; ++i) result = combine<Row>(result, v[i]);
  *static_cast<T*>(accumulator) = result;
}

template <typename Row, typename T>
void scan_loop(const void* values, int64_t count, void* accumulator, void* prefixes) {
  const auto* v = static_cast<const T*>(values);
  auto* out = static_cast<T*>(prefixes);
  T result = *static_cast<const T*>(accumulator);
  for (int64_t i = 0; i < count; ++i) {
    result = combine<Row>(result, v[i]);
    out[i] = result;
  }
  *static_cast<T*>(accumulator) = result;
}

template <typename Row, int Loop = 0>
void add_row(cupola::cpu::KernelTables& tables) {
  if constexpr (Row::kInputs == 2 && Row::kOutputs == 1 &&
                Loop < static_cast<int>(Row::kLoops.count)) {
    constexpr cupola::UfuncLoop kLoop = Row::kLoops.loops[Loop];
    if constexpr (kLoop.types[0] == kLoop.types[1] && kLoop.types[0] == kLoop.types[2]) {
      using T = device_t<kLoop.types[0]>;
      auto& place =
          tables.reduce[static_cast<int>(Row::kId)][static_cast<int>(kLoop.types[0])];
      place.fold = fold_loop<Row, T>;
      place.scan = scan_loop<Row, T>;
    }
    add_row<Row, Loop + 1>(tables);
  }
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE

namespace cupola::cpu {

void CUPOLA_CPU_JOIN(add_fold_kernels_, CUPOLA_CPU_TARGET)(KernelTables& tables) {
#define CUPOLA_UFUNC(NAME, ...) \
  CUPOLA_DEVICE_NAMESPACE::add_row<CUPOLA_DEVICE_NAMESPACE::Row_##NAME>(tables);
#include "cupola/opdefs/ufuncs.def"
#undef CUPOLA_UFUNC
}

}  // namespace cupola::cpu
