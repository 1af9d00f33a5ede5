// Vectorised division and bit counts of integers, for which processors have no vector instruction.

#include "platforms/cpu/kernels/rows.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

using cupola::UfuncId;

// Both results of a division.
template <typename T>
struct Division {
  T quotient, rest;
};

enum class Rounding { down, towards_zero };

// All bits set, or none. Compilers make vectors of masks where they would keep a choice a branch.
template <typename T>
[[gnu::always_inline]] inline T mask_of(bool condition) {
  return static_cast<T>(-static_cast<T>(condition));
}

// As floor_divide and remainder, or fmod, from the truncated quotient.
template <Rounding kRounding, typename T>
[[gnu::always_inline]] inline Division<T> rounded(T a, T b, T quotient) {
  const T rest = subtract(a, multiply(quotient, b));
  if constexpr (kRounding == Rounding::down && SignedInteger<T>) {
    const T below =
        static_cast<T>(mask_of<T>(rest != 0) & mask_of<T>(static_cast<T>(rest ^ b) < 0));
    return {add(quotient, below), add(rest, static_cast<T>(below & b))};
  } else {
    return {quotient, rest};
  }
}

// By floating-point numbers with more than twice the bits of T: their truncated quotient is exact.
template <Rounding kRounding, typename T>
[[gnu::always_inline]] inline Division<T> divided(T a, T b) {
  using Wide = select_t<sizeof(T) <= 2, float, double>;
  using Whole = select_t<sizeof(T) <= 2, int32_t, T>;
  const T exists = mask_of<T>(b != 0);
  const T is_negation = SignedInteger<T> ? mask_of<T>(b == static_cast<T>(-1)) : T(0);
  // -1 and 0 become 1: no quotient is beyond the type.
  const T divisor = static_cast<T>((b & exists & ~is_negation) | (~exists & 1) | (is_negation & 1));
  const auto quotient =
      static_cast<T>(static_cast<Whole>(static_cast<Wide>(a) / static_cast<Wide>(divisor)));
  const T opposite = subtract(static_cast<T>(quotient ^ is_negation), is_negation);
  const Division<T> both = rounded<kRounding>(a, b, opposite);
  return {static_cast<T>(both.quotient & exists), static_cast<T>(both.rest & exists)};
}

// Whole numbers up to this go from and to float64 by an addition, and their quotients, truncated,
// are exact.
constexpr int64_t kDoubleLimit = int64_t{1} << 51;
constexpr double kDoubleShift = 0x1.8p52;
[[gnu::always_inline]] inline double to_double(int64_t small) {
  return bit_cast<double>(small + bit_cast<int64_t>(kDoubleShift)) - kDoubleShift;
}
[[gnu::always_inline]] inline int64_t from_double(double whole) {
  return bit_cast<int64_t>(whole + kDoubleShift) - bit_cast<int64_t>(kDoubleShift);
}
template <typename T>
bool are_small(const T* a, const T* b, int64_t count) {
  constexpr auto kLimit = static_cast<uint64_t>(kDoubleLimit);
  constexpr uint64_t kShift = SignedInteger<T> ? kLimit : 0, kEnd = kLimit + kShift;
  uint64_t all = 0;
  for (int64_t i = 0; i < count; ++i) {
    all |= (static_cast<uint64_t>(a[i]) + kShift) | (static_cast<uint64_t>(b[i]) + kShift);
  }
  return all < kEnd;  // a power of two
}

// As above, of small numbers of 64 bits.
template <Rounding kRounding, typename T>
[[gnu::always_inline]] inline Division<T> divided_by_doubles(T a, T b) {
  const T exists = mask_of<T>(b != 0);
  const double dividend = to_double(static_cast<int64_t>(a));
  const double divisor = to_double(static_cast<int64_t>(b) | (1 & ~static_cast<int64_t>(exists)));
  const auto quotient = static_cast<T>(from_double(trunc(dividend / divisor)));
  const double product = trunc(dividend / divisor) * divisor;
  const auto rest = static_cast<T>(from_double(dividend - product));
  if constexpr (kRounding == Rounding::down && SignedInteger<T>) {
    const T below = mask_of<T>(rest != 0) & mask_of<T>((rest ^ b) < 0);
    return {(quotient + below) & exists, rest + (below & b)};
  } else {
    return {quotient & exists, rest};
  }
}

__extension__ typedef unsigned __int128 uint128_t;

// Division of unsigned numbers of N bits by one number: Granlund and Montgomery, "Division by
// Invariant Integers using Multiplication", 1994, figure 4.1.
template <typename U>
class Divisor {
 public:
  explicit Divisor(U d) {
    constexpr int kBits = 8 * static_cast<int>(sizeof(U));
    int log = 0;
    while (log < kBits && (static_cast<Double>(1) << log) < d) ++log;
    const Double rest = (static_cast<Double>(1) << log) - d;
    multiplier_ = static_cast<U>((rest << kBits) / d + 1);
    first_ = log < 1 ? log : 1;
    second_ = log < 1 ? 0 : log - 1;
  }
  [[gnu::always_inline]] U quotient(U n) const {
    const U high = high_product(n, multiplier_);
    return static_cast<U>(static_cast<U>(high + (static_cast<U>(n - high) >> first_)) >> second_);
  }

 private:
  [[gnu::always_inline]] static U high_product(U a, U b) {
    constexpr int kBits = 8 * static_cast<int>(sizeof(U));
#ifdef __AVX512DQ__
    if constexpr (kBits == 64) {  // by products of 64 bits, of which there are vectors
      constexpr U kLow = 0xffffffff;
      const U low = (a & kLow) * (b & kLow);
      const U first = (a >> 32) * (b & kLow) + (low >> 32);
      const U second = (a & kLow) * (b >> 32) + (first & kLow);
      return (a >> 32) * (b >> 32) + (first >> 32) + (second >> 32);
    }
#endif
    return static_cast<U>(static_cast<Double>(a) * b >> kBits);
  }

  using Double = select_t<sizeof(U) <= 2, uint32_t, select_t<sizeof(U) == 4, uint64_t, uint128_t>>;
  U multiplier_;
  int first_, second_;
};

// Of numbers of 8 bits, for which one product of 16 bits is exact.
class ByteDivisor {
 public:
  explicit ByteDivisor(::uint8_t d)
      : multiplier_(d == 1 ? uint16_t(0) : static_cast<uint16_t>(0x10000 / d + 1)),
        itself_(d == 1 ? uint16_t(0xff) : uint16_t(0)) {}
  [[gnu::always_inline]] uint16_t quotient(uint16_t n) const {
    const auto product = static_cast<uint16_t>(static_cast<uint32_t>(n) * multiplier_ >> 16);
    return static_cast<uint16_t>(product | static_cast<uint16_t>(n & itself_));
  }

 private:
  uint16_t multiplier_, itself_;
};

template <typename T>
using divisor_t = select_t<sizeof(T) == 1, ByteDivisor, Divisor<unsigned_t<T>>>;

// a / b for b > 0.
template <Rounding kRounding, typename T>
[[gnu::always_inline]] inline Division<T> divided(T a, T b, const divisor_t<T>& by) {
  using U = unsigned_t<T>;
  const U sign = is_negative(a) ? static_cast<U>(-1) : U(0);
  const U carry = kRounding == Rounding::down ? U(0) : sign;
  const auto size = static_cast<U>((static_cast<U>(a) ^ sign) - carry);
  const auto quotient =
      static_cast<T>(static_cast<U>((static_cast<U>(by.quotient(size)) ^ sign) - carry));
  return {quotient, subtract(a, multiply(quotient, b))};
}

constexpr int64_t kBlock = 512;

template <Rounding kRounding, bool IsQuotient, typename T>
void division_loop(const void* const* inputs, void* output, int64_t count) {
  const auto* a = static_cast<const T*>(inputs[0]);
  const auto* b = static_cast<const T*>(inputs[1]);
  auto* out = static_cast<T*>(output);
  const auto value = [](const Division<T>& both) { return IsQuotient ? both.quotient : both.rest; };
  divisor_t<T> by(1);
  T by_value = 1;
  for (; count > 0; count -= kBlock, a += kBlock, b += kBlock, out += kBlock) {
    const int64_t size = count < kBlock ? count : kBlock;
    const T first = b[0];
    const auto rest = static_cast<size_t>(size - 1) * sizeof(T);
    if (first > 0 && __builtin_memcmp(b, b + 1, rest) == 0) {
      if (first != by_value) by = divisor_t<T>(static_cast<unsigned_t<T>>(first));
      by_value = first;
      const divisor_t<T> kept = by;  // in registers
      CUPOLA_CPU_INDEPENDENT
      for (int64_t i = 0; i < size; ++i) out[i] = value(divided<kRounding>(a[i], first, kept));
    } else if constexpr (sizeof(T) <= 4) {
      CUPOLA_CPU_INDEPENDENT
      for (int64_t i = 0; i < size; ++i) out[i] = value(divided<kRounding>(a[i], b[i]));
    } else if (are_small(a, b, size)) {
      CUPOLA_CPU_INDEPENDENT
      for (int64_t i = 0; i < size; ++i) {
        out[i] = value(divided_by_doubles<kRounding>(a[i], b[i]));
      }
    } else {
      for (int64_t i = 0; i < size; ++i) {
        const T divisor = b[i];  // the output may be one of the inputs
        const T result =
            value(rounded<kRounding>(a[i], divisor, truncated_quotient(a[i], divisor)));
        out[i] = divisor == 0 ? T(0) : result;
      }
    }
  }
}

template <Rounding kRounding, bool IsQuotient, typename T>
void division_by_one(const void* const* inputs, void* output, int64_t count) {
  const auto* a = static_cast<const T*>(inputs[0]);
  const T b = *static_cast<const T*>(inputs[1]);
  auto* out = static_cast<T*>(output);
  const auto value = [](const Division<T>& both) { return IsQuotient ? both.quotient : both.rest; };
  if (b > 0) {
    const divisor_t<T> by(static_cast<unsigned_t<T>>(b));
    CUPOLA_CPU_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = value(divided<kRounding>(a[i], b, by));
  } else if constexpr (sizeof(T) <= 4) {
    CUPOLA_CPU_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = value(divided<kRounding>(a[i], b));
  } else {
    for (int64_t i = 0; i < count; ++i) {
      const T result = value(rounded<kRounding>(a[i], b, truncated_quotient(a[i], b)));
      out[i] = b == 0 ? T(0) : result;
    }
  }
}

// By a number of bits within the type for all, or by the general function.
template <bool IsLeft, typename T>
void shift_by_one(const void* const* inputs, void* output, int64_t count) {
  const auto* a = static_cast<const T*>(inputs[0]);
  const T b = *static_cast<const T*>(inputs[1]);
  auto* out = static_cast<T*>(output);
  if (b < 0 || static_cast<uint64_t>(b) >= 8 * sizeof(T)) {
    CUPOLA_CPU_INDEPENDENT
    for (int64_t i = 0; i < count; ++i)
      out[i] = IsLeft ? left_shift(a[i], b) : right_shift(a[i], b);
    return;
  }
  const int bits = static_cast<int>(b);
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    out[i] = IsLeft ? static_cast<T>(static_cast<unsigned_t<T>>(a[i]) << bits)
                    : static_cast<T>(a[i] >> bits);
  }
}

// By squaring: all elements of a block have the same factors.
template <typename T>
void power_by_one(const void* const* inputs, void* output, int64_t count) {
  const auto* a = static_cast<const T*>(inputs[0]);
  const T b = *static_cast<const T*>(inputs[1]);
  auto* out = static_cast<T*>(output);
  if (is_negative(b)) {
    for (int64_t i = 0; i < count; ++i) out[i] = power(a[i], b);
    return;
  }
  T bases[kBlock], results[kBlock];
  for (; count > 0; count -= kBlock, a += kBlock, out += kBlock) {
    const int64_t size = count < kBlock ? count : kBlock;
    for (int64_t i = 0; i < size; ++i) bases[i] = a[i];
    for (int64_t i = 0; i < size; ++i) results[i] = (b & 1) != 0 ? bases[i] : T(1);
    for (T left = static_cast<T>(b >> 1); left != 0; left = static_cast<T>(left >> 1)) {
      for (int64_t i = 0; i < size; ++i) bases[i] = multiply(bases[i], bases[i]);
      if ((left & 1) == 0) continue;
      for (int64_t i = 0; i < size; ++i) results[i] = multiply(results[i], bases[i]);
    }
    for (int64_t i = 0; i < size; ++i) out[i] = results[i];
  }
}

template <typename T>
void bit_count_loop(const void* const* inputs, void* output, int64_t count) {
  using U = unsigned_t<T>;
  const auto* in = static_cast<const T*>(inputs[0]);
  auto* out = static_cast<uint8_t*>(output);
  constexpr auto kOnes = static_cast<U>(0x0101010101010101u);
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    U bits = magnitude(in[i]);
    bits = static_cast<U>(bits - ((bits >> 1) & static_cast<U>(kOnes * 0x55)));
    bits = static_cast<U>((bits & static_cast<U>(kOnes * 0x33)) +
                          ((bits >> 2) & static_cast<U>(kOnes * 0x33)));
    bits = static_cast<U>((bits + (bits >> 4)) & static_cast<U>(kOnes * 0x0f));
    for (int half = 4 * static_cast<int>(sizeof(U)); half >= 8; half /= 2) {
      bits = static_cast<U>(bits + (bits >> half));
    }
    out[i] = static_cast<uint8_t>(bits & 0x7f);
  }
}

// Of int64: an instruction counts the bits of one, vectors make them positive before.
inline void wide_bit_count_loop(const void* const* inputs, void* output, int64_t count) {
  const auto* in = static_cast<const int64_t*>(inputs[0]);
  auto* out = static_cast<uint8_t*>(output);
  uint64_t sizes[kBlock];
  for (; count > 0; count -= kBlock, in += kBlock, out += kBlock) {
    const int64_t size = count < kBlock ? count : kBlock;
    for (int64_t i = 0; i < size; ++i) sizes[i] = magnitude(in[i]);
    for (int64_t i = 0; i < size; ++i) {
      out[i] = static_cast<uint8_t>(__builtin_popcountll(sizes[i]));
    }
  }
}

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
  const auto by_one = [&](UfuncId id) -> cupola::cpu::LoopFunction& {
    return tables.by_scalar[static_cast<int>(id)][cupola::cpu::find_loop_number(id, both)][1];
  };
  by_one(UfuncId::left_shift) = shift_by_one<true, T>;
  by_one(UfuncId::right_shift) = shift_by_one<false, T>;
  by_one(UfuncId::power) = power_by_one<T>;
  by_one(UfuncId::floor_divide) = division_by_one<Rounding::down, true, T>;
  by_one(UfuncId::remainder) = division_by_one<Rounding::down, false, T>;
  by_one(UfuncId::fmod) = division_by_one<Rounding::towards_zero, false, T>;
  // The others are counted faster by an instruction for each.
  constexpr bool kAreVectors = sizeof(T) <= 2 || (sizeof(T) == 4 && !SignedInteger<T>);
  if constexpr (kAreVectors) loops(UfuncId::bitwise_count)[0] = bit_count_loop<T>;
  if constexpr (is_same<T, int64_t>) loops(UfuncId::bitwise_count)[0] = wide_bit_count_loop;
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
