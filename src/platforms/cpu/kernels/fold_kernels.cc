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

// Products of complex numbers, both parts in one register: where they become too small to be normal
// numbers, processors take long for each instruction.
template <typename T>
void scan_products(const complex<T>* values, int64_t count, complex<T>& result,
                   complex<T>* prefixes) {
  typedef T Parts __attribute__((vector_size(16)));
  Parts product{result.re, result.im};
  for (int64_t i = 0; i < count; ++i) {
    const Parts straight{values[i].re, values[i].im}, crossed{-values[i].im, values[i].re};
    const Parts re = product[0] - Parts{}, im = product[1] - Parts{};  // of both signs of zero
    product = re * straight + im * crossed;
    prefixes[i] = {product[0], product[1]};
  }
  result = {product[0], product[1]};
}

template <typename Row, typename T>
void scan_loop(const void* values, int64_t count, void* accumulator, void* prefixes) {
  const auto* v = static_cast<const T*>(values);
  auto* out = static_cast<T*>(prefixes);
  T result = *static_cast<const T*>(accumulator);
  if constexpr (is_complex<T> && Row::kId == cupola::UfuncId::multiply) {
    return scan_products(v, count, *static_cast<T*>(accumulator), out);
  }
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
