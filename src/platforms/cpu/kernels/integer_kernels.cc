// The loops of integers that are made by hand.

#include "platforms/cpu/kernels/division_loops.h"
#include "platforms/cpu/kernels/divisor_loops.h"
#include "platforms/cpu/kernels/narrow_integers.h"
#include "platforms/cpu/kernels/rows.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

using cupola::UfuncId;

#ifdef CUPOLA_CPU_NARROW_VECTORS
template <bool IsLeft, typename T>
void shift_loop(const void* const* inputs, void* output, int64_t count) {
  const auto* a = static_cast<const T*>(inputs[0]);
  const auto* b = static_cast<const T*>(inputs[1]);
  auto* out = static_cast<T*>(output);
  for (int64_t i = shift_front<IsLeft>(a, b, out, count); i < count; ++i) {
    out[i] = IsLeft ? left_shift(a[i], b[i]) : right_shift(a[i], b[i]);
  }
}
#endif

template <typename T>
void add_loops(cupola::cpu::KernelTables& tables, cupola::DType dtype) {
  const cupola::DType both[2] = {dtype, dtype};
  const auto loops = [&](UfuncId id) -> cupola::cpu::LoopFunction* {
    return tables.ufuncs[static_cast<int>(id)][cupola::cpu::find_loop_number(id, both)];
  };
  constexpr auto kFloor = division_loop<Rounding::down, true, T>;
  constexpr auto kRemainder = division_loop<Rounding::down, false, T>;
  loops(UfuncId::floor_divide)[0] = kFloor;
  loops(UfuncId::remainder)[0] = kRemainder;
  loops(UfuncId::divmod)[0] = kFloor;
  loops(UfuncId::divmod)[1] = kRemainder;
  loops(UfuncId::fmod)[0] = division_loop<Rounding::towards_zero, false, T>;
  loops(UfuncId::power)[0] = power_loop<T>;
  const auto by_one = [&](UfuncId id) -> cupola::cpu::LoopFunction& {
    return tables.by_scalar[static_cast<int>(id)][cupola::cpu::find_loop_number(id, both)][1];
  };
  by_one(UfuncId::left_shift) = shift_by_one<true, T>;
  by_one(UfuncId::right_shift) = shift_by_one<false, T>;
#ifdef CUPOLA_CPU_NARROW_VECTORS
  if constexpr (sizeof(T) <= 2) {
    loops(UfuncId::left_shift)[0] = shift_loop<true, T>;
    loops(UfuncId::right_shift)[0] = shift_loop<false, T>;
  }
#endif
  if constexpr (is_same<T, int64_t>) loops(UfuncId::sign)[0] = sign_of_integer_loop<T>;
  by_one(UfuncId::power) = power_by_one<T>;
  by_one(UfuncId::floor_divide) = division_by_one<Rounding::down, true, T>;
  by_one(UfuncId::remainder) = division_by_one<Rounding::down, false, T>;
  by_one(UfuncId::fmod) = division_by_one<Rounding::towards_zero, false, T>;
  constexpr bool kAreVectors = sizeof(T) <= 2 || (sizeof(T) == 4 && !SignedInteger<T>);
  if constexpr (kAreVectors) loops(UfuncId::bitwise_count)[0] = bit_count_loop<T>;
    // Without registers of tables the others are counted faster by an instruction for each.
#ifdef __AVX2__
  loops(UfuncId::gcd)[0] = divisor_loop<false, T>;
  loops(UfuncId::lcm)[0] = divisor_loop<true, T>;
  constexpr bool kIsCountedInBlocks = !kAreVectors;
#else
  constexpr bool kIsCountedInBlocks = is_same<T, int64_t>;
#endif
  if constexpr (kIsCountedInBlocks) loops(UfuncId::bitwise_count)[0] = wide_bit_count_loop<T>;
}

template <int D = 0>
void add_types(cupola::cpu::KernelTables& tables) {
  if constexpr (D < cupola::kDTypeCount) {
    constexpr auto kType = static_cast<cupola::DType>(D);
    using T = device_type_t<kType>;
    if constexpr (Integer<T>) add_loops<T>(tables, kType);
    add_types<D + 1>(tables);
  }
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE

namespace cupola::cpu {

void CUPOLA_CPU_JOIN(add_integer_kernels_, CUPOLA_CPU_TARGET)(KernelTables& tables) {
  CUPOLA_DEVICE_NAMESPACE::add_types(tables);
}

}  // namespace cupola::cpu
