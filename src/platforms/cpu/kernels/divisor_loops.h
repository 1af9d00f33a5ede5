#pragma once
// Common divisors and multiples of integers, by vectors: halving and subtracting (Stein, 1967),
// all elements of a block together.

#include "platforms/cpu/kernels/integer_loops.h"

#ifdef __AVX2__

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

// The greatest common divisors of `size` <= kIntegerBlock numbers.
template <typename U>
void put_divisors(const U* x, const U* y, U* divisors, int64_t size) {
  U left[kIntegerBlock];
  for (int64_t i = 0; i < size; ++i) {
    const bool is_zero = y[i] == 0;
    left[i] = is_zero ? U(0) : x[i];
    divisors[i] = is_zero ? x[i] : y[i];
  }
  U any = 1;
  while (any != 0) {
    any = 0;
    CUPOLA_CPU_INDEPENDENT
    for (int64_t i = 0; i < size; ++i) {
      const U a = left[i], b = divisors[i];
      const U a_is_odd = mask_of<U>((a & 1) != 0), b_is_odd = mask_of<U>((b & 1) != 0);
      const U smaller = a < b ? a : b, larger = a < b ? b : a;
      // Of two odd numbers the difference, of others the even one is halved, first the first.
      const U both = a_is_odd & b_is_odd;
      const U halved = static_cast<U>(((larger - smaller) & both) | (a & ~a_is_odd)) >> 1;
      const U half_of_b = static_cast<U>((b & ~b_is_odd) >> 1);
      const U next = static_cast<U>(halved | (a & a_is_odd & ~b_is_odd));
      left[i] = next;
      divisors[i] =
          static_cast<U>((smaller & both) | (b & ~a_is_odd) | (half_of_b & a_is_odd & ~b_is_odd));
      any |= next;
    }
  }
  // What both could be halved by.
  for (int64_t i = 0; i < size; ++i) {
    const U all = x[i] | y[i];
    const bool has_zero = x[i] == 0 || y[i] == 0;
    const U common = has_zero ? U(1) : static_cast<U>(all & (U(0) - all));
    divisors[i] = static_cast<U>(divisors[i] * common);
  }
}

// As lcm(): of magnitudes that `divisor` divides, or is zero like them.
template <typename U>
[[gnu::always_inline]] inline U common_multiple(U x, U y, U divisor) {
  // Floating-point numbers that hold the quotient have it without an error.
  using Wide = select_t<sizeof(U) <= 2, float, select_t<sizeof(U) == 4, double, U>>;
  const Wide by = divisor == 0 ? Wide(1) : static_cast<Wide>(divisor);
  return static_cast<U>(static_cast<U>(static_cast<Wide>(x) / by) * y);
}

template <bool IsMultiple, typename T>
void divisor_loop(const void* const* inputs, void* output, int64_t count) {
  using U = unsigned_t<T>;
  const auto* a = static_cast<const T*>(inputs[0]);
  const auto* b = static_cast<const T*>(inputs[1]);
  auto* out = static_cast<T*>(output);
  U x[kIntegerBlock], y[kIntegerBlock], divisors[kIntegerBlock];
  for (; count > 0;
       count -= kIntegerBlock, a += kIntegerBlock, b += kIntegerBlock, out += kIntegerBlock) {
    const int64_t size = count < kIntegerBlock ? count : kIntegerBlock;
    for (int64_t i = 0; i < size; ++i) {
      x[i] = magnitude(a[i]);
      y[i] = magnitude(b[i]);
    }
    put_divisors(x, y, divisors, size);
    for (int64_t i = 0; i < size; ++i) {
      out[i] = static_cast<T>(IsMultiple ? common_multiple(x[i], y[i], divisors[i]) : divisors[i]);
    }
  }
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
#endif
