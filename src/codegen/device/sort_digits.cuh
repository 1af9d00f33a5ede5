// The order in which values are sorted, as unsigned integers that are compared byte by byte. -0.0
// is 0.0, every NaN is one value behind all others. Complex numbers are ordered by the imaginary
// part, then by the real one, then by which of them are NaN: NumPy's order.
#ifndef CUPOLA_DEVICE_SORT_DIGITS
#define CUPOLA_DEVICE_SORT_DIGITS

#ifndef __CUDACC_RTC__
#include "codegen/device/types.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

// Of a floating-point number with these bits.
template <typename Word>
CUPOLA_FN Word ordered_float_bits(Word bits, Word infinity) {
  const Word top = static_cast<Word>(Word(1) << (8 * sizeof(Word) - 1));
  const Word flipped =
      static_cast<Word>(top | (Word(0) - static_cast<Word>(bits >> (8 * sizeof(Word) - 1))));
  const Word ordered = static_cast<Word>(bits == top ? top : bits ^ flipped);
  const bool is_nan = static_cast<Word>(bits << 1) > static_cast<Word>(infinity << 1);
  return is_nan ? static_cast<Word>(~Word(0)) : ordered;
}

template <BoolOrInteger T>
CUPOLA_FN unsigned_t<T> ordered_bits(T a) {
  const auto bits = static_cast<unsigned_t<T>>(a);
  if constexpr (SignedInteger<T>) {
    return static_cast<unsigned_t<T>>(bits ^ unsigned_t<T>(1) << (8 * sizeof(T) - 1));
  } else {
    return bits;
  }
}
CUPOLA_FN uint16_t ordered_bits(float16 a) { return ordered_float_bits(a.bits, uint16_t(0x7C00)); }
CUPOLA_FN uint16_t ordered_bits(bfloat16 a) { return ordered_float_bits(a.bits, uint16_t(0x7F80)); }
template <Real T>
CUPOLA_FN unsigned_t<T> ordered_bits(T a) {
  return ordered_float_bits(bit_cast<unsigned_t<T>>(a), bit_cast<unsigned_t<T>>(infinity<T>()));
}

// Bytes that decide the order of T.
template <typename T>
inline constexpr int sort_digits = static_cast<int>(sizeof(T)) + (is_complex<T> ? 1 : 0);

// Number `number` of them, from the one that decides last.
template <typename T>
CUPOLA_FN uint8_t sort_digit(T a, uint8_t number) {
  return static_cast<uint8_t>(ordered_bits(a) >> 8 * (number % sizeof(T)));
}
template <typename T>
CUPOLA_FN uint8_t sort_digit(complex<T> a, uint8_t number) {
  if (number < sizeof(T)) return sort_digit(a.im, number);
  if (number < 2 * sizeof(T)) return sort_digit(a.re, number);
  return static_cast<uint8_t>((a.re != a.re ? 2 : 0) + (a.im != a.im ? 1 : 0));
}

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
