// Combination in order, and running combination, for every ufunc with a loop (T, T) -> T.

#include "platforms/cpu/kernels/rows.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

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
  int64_t i = 0;
  constexpr bool kInAnyOrder =
      Row::kId == cupola::UfuncId::multiply || Row::kId == cupola::UfuncId::add;
  if constexpr (Integer<T> && kInAnyOrder) {
    // Whole numbers make the same sum or product in any order: one step waits for the last four.
    for (; i + 4 <= count; i += 4) {
      const T two = combine<Row>(v[i], v[i + 1]);
      const T three = combine<Row>(two, v[i + 2]);
      const T four = combine<Row>(two, combine<Row>(v[i + 2], v[i + 3]));
      out[i] = combine<Row>(result, v[i]);
      out[i + 1] = combine<Row>(result, two);
      out[i + 2] = combine<Row>(result, three);
      result = combine<Row>(result, four);
      out[i + 3] = result;
    }
  }
  for (; i < count; ++i) {
    result = combine<Row>(result, v[i]);
    out[i] = result;
  }
  *static_cast<T*>(accumulator) = result;
}

template <typename Row, int Loop = 0>
void add_row(cupola::cpu::KernelTables& tables) {
  if constexpr (Loop < Row::kLoopCount) {
    if constexpr (Row::combines(Loop)) {
      constexpr cupola::DType kType = Row::kLoops.loops[Loop].types[0];
      using T = device_type_t<kType>;
      auto& place = tables.reduce[static_cast<int>(Row::kId)][static_cast<int>(kType)];
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
  using namespace CUPOLA_DEVICE_NAMESPACE;
  for_each_row([&]<typename Row>(Row) { add_row<Row>(tables); });
}

}  // namespace cupola::cpu
