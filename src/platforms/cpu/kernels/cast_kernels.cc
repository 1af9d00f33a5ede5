// Conversions between all pairs of types, selection by item size, and limits that are numbers.

#include "platforms/cpu/kernels/half_blocks.h"
#include "platforms/cpu/kernels/narrow_integers.h"
#include "platforms/cpu/kernels/truncation.h"
#include "platforms/cpu/kernels/widening.h"

#include "codegen/ufunc_expressions.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

template <typename To, typename From>
void cast_loop(const void* const* inputs, void* output, int64_t count) {
  const auto* from = static_cast<const From*>(inputs[0]);
  auto* to = static_cast<To*>(output);
  if constexpr (is_half<From> && is_same<To, float>) {
    widen_block(from, to, count);
  } else if constexpr (is_half<To> && is_same<From, float>) {
    narrow_block(from, to, count);
  } else if constexpr (is_same<From, bool> && Integer<To> && sizeof(To) == 1) {
    CUPOLA_CPU_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) to[i] = element(from, i) ? To(1) : To(0);
  } else if constexpr (is_same<From,
                               bool>) {  // by way of a number, which compilers make vectors of
    constexpr int64_t kBlock = 512;
    ::uint8_t ones[kBlock];
    for (int64_t begin = 0; begin < count; begin += kBlock) {
      const int64_t size = count - begin < kBlock ? count - begin : kBlock;
      for (int64_t i = 0; i < size; ++i) ones[i] = element(from, begin + i) ? 1 : 0;
      for (int64_t i = 0; i < size; ++i) to[begin + i] = cast<To>(ones[i]);
    }
  } else if constexpr (kWidensLong<To, From>) {
    widen_long(from, to, count);
  } else {
    // Of real numbers, or of integers.
    const int64_t front = truncate_front(from, to, count) + narrow_front(from, to, count);
    CUPOLA_CPU_INDEPENDENT
    for (int64_t i = front; i < count; ++i) to[i] = cast<To>(element(from, i));
  }
}

template <int To, int From>
void add_casts(cupola::cpu::KernelTables& tables) {
  if constexpr (To < cupola::kDTypeCount) {
    tables.casts[From][To] = cast_loop<device_type_t<static_cast<cupola::DType>(To)>,
                                       device_type_t<static_cast<cupola::DType>(From)>>;
    add_casts<To + 1, From>(tables);
  } else if constexpr (From + 1 < cupola::kDTypeCount) {
    add_casts<0, From + 1>(tables);
  }
}

// Of 16 bytes.
typedef uint64_t Pair __attribute__((vector_size(16), aligned(8), may_alias));

// Without a branch, which would be taken half of the time.
[[gnu::always_inline]] inline Pair choose(bool condition, Pair yes, Pair no) {
  const uint64_t all = condition ? ~uint64_t{0} : 0;
  const Pair mask{all, all};
  return (yes & mask) | (no & ~mask);
}
template <typename Item>
[[gnu::always_inline]] inline Item choose(bool condition, Item yes, Item no) {
  return condition ? yes : no;
}

template <typename Item>
void select_loop(const void* const* inputs, void* output, int64_t count) {
  const auto* condition = static_cast<const bool*>(inputs[0]);
  const auto* a = static_cast<const Item*>(inputs[1]);
  const auto* b = static_cast<const Item*>(inputs[2]);
  auto* out = static_cast<Item*>(output);
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    const Item yes = a[i];
    const Item no = b[i];
    out[i] = choose(element(condition, i), yes, no);
  }
}

template <typename T>
void clip_loop(const void* const* inputs, void* output, int64_t count) {
  using Above = UfuncExpression<cupola::UfuncId::maximum>;
  using Below = UfuncExpression<cupola::UfuncId::minimum>;
  const auto* values = static_cast<const T*>(inputs[0]);
  const T low = *static_cast<const T*>(inputs[1]);
  const T high = *static_cast<const T*>(inputs[2]);
  auto* out = static_cast<T*>(output);
  if constexpr (Real<T>) {
    // The same, also of zeros and of values that are NaN: compilers make branches of two choices
    // in a row between numbers of which either may be NaN.
    if (low == low && high == high) {
      CUPOLA_CPU_INDEPENDENT
      for (int64_t i = 0; i < count; ++i) {
        const T value = values[i];
        const T raised = value <= low ? low : value;
        out[i] = raised >= high ? high : raised;
      }
      return;
    }
  }
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) out[i] = Below::first(Above::first(values[i], low), high);
}

template <int D = 0>
void add_clips(cupola::cpu::KernelTables& tables) {
  if constexpr (D < cupola::kDTypeCount) {
    using T = device_type_t<static_cast<cupola::DType>(D)>;
    if constexpr (Integer<T> || (Real<T> && !is_half<T>)) tables.clips[D] = clip_loop<T>;
    add_clips<D + 1>(tables);
  }
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE

namespace cupola::cpu {

void CUPOLA_CPU_JOIN(add_cast_kernels_, CUPOLA_CPU_TARGET)(KernelTables& tables) {
  using namespace CUPOLA_DEVICE_NAMESPACE;
  add_casts<0, 0>(tables);
  add_clips(tables);
  tables.selects[0] = select_loop<::uint8_t>;
  tables.selects[1] = select_loop<::uint16_t>;
  tables.selects[2] = select_loop<::uint32_t>;
  tables.selects[3] = select_loop<::uint64_t>;
  tables.selects[4] = select_loop<Pair>;
}

}  // namespace cupola::cpu
