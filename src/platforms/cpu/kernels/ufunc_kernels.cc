// The loops of one part of the rows of ufuncs.def: CUPOLA_CPU_PART says which.

#include "platforms/cpu/kernels/flag_groups.h"
#include "platforms/cpu/kernels/half_blocks.h"
#include "platforms/cpu/kernels/rows.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

template <typename Row, typename Out, typename A, typename B, typename C>
void ternary_loop(const void* const* inputs, void* output, int64_t count) {
  auto* out = static_cast<Out*>(output);
  const auto* a = static_cast<const A*>(inputs[0]);
  const auto* b = static_cast<const B*>(inputs[1]);
  const auto* c = static_cast<const C*>(inputs[2]);
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    out[i] = cast<Out>(Row::Expression::first(element(a, i), element(b, i), element(c, i)));
  }
}

// out[i] = value(i), of elements of type T.
template <typename T, typename Out, typename Value>
[[gnu::always_inline]] inline void fill_with(Out* out, int64_t count, const Value& value) {
  int64_t i = 0;
  if constexpr (is_same<Out, bool>) i = flag_groups<T>(out, count, value);
  CUPOLA_CPU_INDEPENDENT
  for (; i < count; ++i) out[i] = value(i);
}

template <typename Row, int Result, typename Out, typename A, typename B>
void plain_loop(const void* const* inputs, void* output, int64_t count) {
  auto* out = static_cast<Out*>(output);
  const auto* a = static_cast<const A*>(inputs[0]);
  if constexpr (Row::kInputs == 1) {
    fill_with<A>(
        out, count, [=](int64_t i) __attribute__((always_inline)) {
          return apply<Row, Result, Out>(element(a, i), 0);
        });
  } else {
    const auto* b = static_cast<const B*>(inputs[1]);
    fill_with<A>(
        out, count, [=](int64_t i) __attribute__((always_inline)) {
          return apply<Row, Result, Out>(element(a, i), element(b, i));
        });
  }
}

// The same with one operand that is the same everywhere, kept in a register.
template <typename Row, int Operand, typename Out, typename T>
void scalar_loop(const void* const* inputs, void* output, int64_t count) {
  auto* out = static_cast<Out*>(output);
  const auto* values = static_cast<const T*>(inputs[1 - Operand]);
  const T scalar = element(static_cast<const T*>(inputs[Operand]), 0);
  fill_with<T>(
      out, count, [=](int64_t i) __attribute__((always_inline)) {
        const T value = element(values, i);
        return Operand == 0 ? apply<Row, 0, Out>(scalar, value) : apply<Row, 0, Out>(value, scalar);
      });
}

// Rows that take no longer than reading another operand.
constexpr bool is_fast(cupola::UfuncId id) {
  using cupola::UfuncId;
  for (const UfuncId fast :
       {UfuncId::add,         UfuncId::subtract,      UfuncId::multiply,    UfuncId::divide,
        UfuncId::maximum,     UfuncId::minimum,       UfuncId::fmax,        UfuncId::fmin,
        UfuncId::greater,     UfuncId::greater_equal, UfuncId::less,        UfuncId::less_equal,
        UfuncId::equal,       UfuncId::not_equal,     UfuncId::bitwise_and, UfuncId::bitwise_or,
        UfuncId::bitwise_xor, UfuncId::left_shift,    UfuncId::right_shift, UfuncId::logical_and,
        UfuncId::logical_or,  UfuncId::logical_xor,   UfuncId::copysign}) {
    if (id == fast) return true;
  }
  return false;
}

constexpr int64_t kBlock = 256;

// A block of inputs as the expression takes them.
template <typename T>
const compute_t<T>* widened(const void* input, int64_t begin, int64_t count, float* buffer) {
  const auto* values = static_cast<const T*>(input) + begin;
  if constexpr (is_half<T>) {
    widen_block(values, buffer, count);
    return buffer;
  } else {
    return values;
  }
}

// 16-bit floats: converted block by block around the loop over float.
template <typename Row, int Result, typename Out, typename A, typename B>
void half_loop(const void* const* inputs, void* output, int64_t count) {
  float a[kBlock];
  float b[kBlock];
  compute_t<Out> results[kBlock];
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t size = count - begin < kBlock ? count - begin : kBlock;
    const void* wide[2] = {widened<A>(inputs[0], begin, size, a), nullptr};
    if constexpr (Row::kInputs == 2) wide[1] = widened<B>(inputs[1], begin, size, b);
    auto* out = static_cast<Out*>(output) + begin;
    using Loop = void (*)(const void* const*, void*, int64_t);
    constexpr Loop kLoop = plain_loop<Row, Result, compute_t<Out>, compute_t<A>, compute_t<B>>;
    if constexpr (is_half<Out>) {
      kLoop(wide, results, size);
      narrow_block(results, out, size);
    } else {
      kLoop(wide, out, size);
    }
  }
}

template <typename Row, int Loop, int Result>
void add_loop(cupola::cpu::KernelTables& tables) {
  constexpr cupola::UfuncLoop kLoop = Row::kLoops.loops[Loop];
  using Out = device_type_t<kLoop.types[static_cast<size_t>(Row::kInputs + Result)]>;
  using A = device_type_t<kLoop.types[0]>;
  using B = device_type_t<kLoop.types[Row::kInputs > 1 ? 1 : 0]>;
  constexpr bool kHalf = is_half<A> || is_half<B> || is_half<Out>;
  auto& place = tables.ufuncs[static_cast<int>(Row::kId)][Loop][Result];
  if constexpr (Row::kInputs == 3) {
    static_assert(Row::kOutputs == 1 && !kHalf);
    place = ternary_loop<Row, Out, A, B, device_type_t<kLoop.types[2]>>;
  } else if constexpr (kHalf && !Row::kRawHalves) {
    place = half_loop<Row, Result, Out, A, B>;
  } else {
    place = plain_loop<Row, Result, Out, A, B>;
    if constexpr (Row::kInputs == 2 && is_fast(Row::kId) && is_same<A, B>) {
      auto& by_scalar = tables.by_scalar[static_cast<int>(Row::kId)][Loop];
      by_scalar[0] = scalar_loop<Row, 0, Out, A>;
      by_scalar[1] = scalar_loop<Row, 1, Out, A>;
    }
  }
}

template <typename Row, int Loop = 0>
void add_row(cupola::cpu::KernelTables& tables) {
  if constexpr (Loop < Row::kLoopCount) {
    add_loop<Row, Loop, 0>(tables);
    if constexpr (Row::kOutputs == 2) add_loop<Row, Loop, 1>(tables);
    add_row<Row, Loop + 1>(tables);
  }
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE

namespace cupola::cpu {

void CUPOLA_CPU_JOIN(CUPOLA_CPU_JOIN(add_ufunc_kernels_, CUPOLA_CPU_TARGET),
                     CUPOLA_CPU_JOIN(_, CUPOLA_CPU_PART))(KernelTables& tables) {
  using namespace CUPOLA_DEVICE_NAMESPACE;
  for_each_row([&]<typename Row>(Row) {
    if constexpr (static_cast<int>(Row::kId) % kUfuncParts == CUPOLA_CPU_PART) {
      add_row<Row>(tables);
    }
  });
}

}  // namespace cupola::cpu
