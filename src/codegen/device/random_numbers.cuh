// Random numbers as functions of an element's position, a key and the number of a draw. Elements
// next to each other share a block of Philox: four of 32 bits, two of 64. Kernels that compute
// neighbours in one thread compute the block once.
//
// Logarithm, sine and cosine stand here, of additions, multiplications, divisions and square roots
// only, so that every platform gives the same bits and compilers vectorise. Source of their
// polynomials: S. L. Moshier, Cephes.
#ifndef CUPOLA_DEVICE_RANDOM_NUMBERS
#define CUPOLA_DEVICE_RANDOM_NUMBERS

#ifndef __CUDACC_RTC__
#include "codegen/device/float_math.cuh"
#include "codegen/device/philox.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

CUPOLA_FN PhiloxBlock random_block(uint64_t number, uint64_t key, uint64_t draw) {
  return philox({static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32),
                 static_cast<uint32_t>(draw), static_cast<uint32_t>(draw >> 32)},
                key);
}
CUPOLA_FN uint64_t joined_words(uint32_t low, uint32_t high) {
  return static_cast<uint64_t>(high) << 32 | low;
}

CUPOLA_FN uint32_t random_uint32(int64_t position, uint64_t key, uint64_t draw) {
  const auto place = static_cast<uint64_t>(position);
  const PhiloxBlock block = random_block(place >> 2, key, draw);
  const uint32_t even = (place & 2) != 0 ? block.z : block.x;
  const uint32_t odd = (place & 2) != 0 ? block.w : block.y;
  return (place & 1) != 0 ? odd : even;
}
CUPOLA_FN uint64_t random_uint64(int64_t position, uint64_t key, uint64_t draw) {
  const auto place = static_cast<uint64_t>(position);
  const PhiloxBlock block = random_block(place >> 1, key, draw);
  const uint32_t low = (place & 1) != 0 ? block.z : block.x;
  const uint32_t high = (place & 1) != 0 ? block.w : block.y;
  return joined_words(low, high);
}

// Exact: 24 bits of the word, and 53.
CUPOLA_FN float unit_interval(uint32_t bits) {
  return static_cast<float>(static_cast<int32_t>(bits >> 8)) * 0x1p-24f;
}
// In two parts, each of which converts as a signed integer of 32 bits.
CUPOLA_FN double unit_interval(uint64_t bits) {
  const auto high = static_cast<int32_t>(bits >> 37);
  const auto low = static_cast<int32_t>(static_cast<uint32_t>(bits >> 11) & 0x3FFFFFFu);
  return (static_cast<double>(high) * 0x1p26 + static_cast<double>(low)) * 0x1p-53;
}
CUPOLA_FN float random_float32(int64_t position, uint64_t key, uint64_t draw) {
  return unit_interval(random_uint32(position, key, draw));
}
CUPOLA_FN double random_float64(int64_t position, uint64_t key, uint64_t draw) {
  return unit_interval(random_uint64(position, key, draw));
}

// (bits + 1/2) / 2^32, rounded: never zero, and with all bits where it is small, as the logarithm
// wants it. Halved first, for conversion as a signed integer.
CUPOLA_FN float above_zero(uint32_t bits) {
  const auto high = static_cast<float>(static_cast<int32_t>(bits >> 16));
  const auto low = static_cast<float>(static_cast<int32_t>(bits & 0xFFFFu));
  return high * 0x1p-16f + (low * 0x1p-32f + 0x1p-33f);
}
// (53 bits + 1/2) / 2^53, rounded.
CUPOLA_FN double above_zero(uint64_t bits) { return unit_interval(bits) + 0x1p-54; }

// The logarithm of a normal number in (0, 1].
CUPOLA_FN float log_of_unit(float a) {
  const auto bits = bit_cast<int32_t>(a);
  // a == m * 2^e with m in [sqrt(1/2), sqrt(2)).
  const int32_t e = (bits - 0x3F3504F3) >> 23;
  const float x = bit_cast<float>(bits - e * 0x800000) - 1.0f;
  const float z = x * x;
  float p = 7.0376836292e-2f;
  p = p * x - 1.1514610310e-1f;
  p = p * x + 1.1676998740e-1f;
  p = p * x - 1.2420140846e-1f;
  p = p * x + 1.4249322787e-1f;
  p = p * x - 1.6668057665e-1f;
  p = p * x + 2.0000714765e-1f;
  p = p * x - 2.4999993993e-1f;
  p = p * x + 3.3333331174e-1f;
  const auto n = static_cast<float>(e);
  const float y = p * x * z + n * -2.12194440e-4f - 0.5f * z;
  return x + y + n * 0.693359375f;
}
CUPOLA_FN double log_of_unit(double a) {
  const auto bits = bit_cast<int64_t>(a);
  const auto high = static_cast<int32_t>(bits >> 32);
  const int32_t e = (high - 0x3FE6A09E) >> 20;
  const double x = bit_cast<double>(bits - static_cast<int64_t>(e) * (int64_t(1) << 52)) - 1.0;
  const double z = x * x;
  double p = 1.01875663804580931796e-4;
  p = p * x + 4.97494994976747001425e-1;
  p = p * x + 4.70579119878881725854e0;
  p = p * x + 1.44989225341610930846e1;
  p = p * x + 1.79368678507819816313e1;
  p = p * x + 7.70838733755885391666e0;
  double q = x + 1.12873587189167450590e1;
  q = q * x + 4.52279145837532221105e1;
  q = q * x + 8.29875266912776603211e1;
  q = q * x + 7.11544750618563894466e1;
  q = q * x + 2.31251620126765340583e1;
  const auto n = static_cast<double>(e);
  const double y = x * (z * p / q) + n * -2.121944400546905827679e-4 - 0.5 * z;
  return x + y + n * 0.693359375;
}

CUPOLA_FN float sine_polynomial(float a, float z) {
  const float p = (-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f;
  return p * z * a + a;
}
CUPOLA_FN float cosine_polynomial(float z) {
  const float p = (2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f;
  return p * z * z - 0.5f * z + 1.0f;
}
CUPOLA_FN double sine_polynomial(double a, double z) {
  double p = 1.58962301576546568060e-10;
  p = p * z - 2.50507477628578072866e-8;
  p = p * z + 2.75573136213857245213e-6;
  p = p * z - 1.98412698295895385996e-4;
  p = p * z + 8.33333333332211858878e-3;
  p = p * z - 1.66666666666666307295e-1;
  return p * z * a + a;
}
CUPOLA_FN double cosine_polynomial(double z) {
  double p = -1.13585365213876817300e-11;
  p = p * z + 2.08757008419747316778e-9;
  p = p * z - 2.75573141792967388112e-7;
  p = p * z + 2.48015872888517045348e-5;
  p = p * z - 1.38888888888730564116e-3;
  p = p * z + 4.16666666666665929218e-2;
  return p * z * z - 0.5 * z + 1.0;
}

// The cosine of an angle between -pi/4 and pi/4 and so many quarter turns.
template <Real T>
CUPOLA_FN T cosine_after(uint32_t quarters, T angle) {
  const T square = angle * angle;
  const T sine = sine_polynomial(angle, square);
  const T cosine = cosine_polynomial(square);
  const T value = (quarters & 1) != 0 ? sine : cosine;
  return ((quarters + 1) & 2) != 0 ? -value : value;
}
// The cosine of an angle in turns / 2^32, and / 2^64, that begins so many quarters of a turn
// earlier.
CUPOLA_FN float cosine_of_turns(uint32_t turns, uint32_t earlier) {
  const uint32_t quarters = (turns + 0x20000000u) >> 30;
  const auto rest = static_cast<int32_t>(turns - (quarters << 30));
  return cosine_after(quarters - earlier, static_cast<float>(rest) * 1.46291807926715968e-9f);
}
CUPOLA_FN double cosine_of_turns(uint64_t turns, uint32_t earlier) {
  const auto quarters = static_cast<uint32_t>((turns + (uint64_t(1) << 61)) >> 62);
  const uint64_t rest = turns - (static_cast<uint64_t>(quarters) << 62);
  const auto high = static_cast<int32_t>(static_cast<uint32_t>(rest >> 32));
  const auto low = static_cast<int32_t>(static_cast<uint32_t>(rest) >> 1);
  const double scaled = static_cast<double>(high) + static_cast<double>(low) * 0x1p-31;
  return cosine_after(quarters - earlier, scaled * 1.46291807926715968105e-9);
}

// Box and Muller's: a radius and an angle are two numbers. The second one has the sine, which is
// the cosine a quarter of a turn earlier; polynomials of both are the same, and computed once.
template <typename Word>
CUPOLA_FN auto normal_number(Word radius, Word turns, bool is_second) {
  const auto squared = log_of_unit(above_zero(radius)) * -2;
  return sqrt(squared) * cosine_of_turns(turns, is_second ? 1 : 0);
}
CUPOLA_FN float normal_float32(int64_t position, uint64_t key, uint64_t draw) {
  const auto place = static_cast<uint64_t>(position);
  const PhiloxBlock block = random_block(place >> 2, key, draw);
  const uint32_t radius = (place & 2) != 0 ? block.z : block.x;
  const uint32_t turns = (place & 2) != 0 ? block.w : block.y;
  return normal_number(radius, turns, (place & 1) != 0);
}
CUPOLA_FN double normal_float64(int64_t position, uint64_t key, uint64_t draw) {
  const auto place = static_cast<uint64_t>(position);
  const PhiloxBlock block = random_block(place >> 1, key, draw);
  return normal_number(joined_words(block.x, block.y), joined_words(block.z, block.w),
                       (place & 1) != 0);
}

template <typename Word>
CUPOLA_FN auto exponential_number(Word bits) {
  return 0 - log_of_unit(above_zero(bits));
}
CUPOLA_FN float exponential_float32(int64_t position, uint64_t key, uint64_t draw) {
  return exponential_number(random_uint32(position, key, draw));
}
CUPOLA_FN double exponential_float64(int64_t position, uint64_t key, uint64_t draw) {
  return exponential_number(random_uint64(position, key, draw));
}

// The upper 64 bits of the product. In parts of 32 bits the host's loops vectorise.
CUPOLA_FN uint64_t multiply_high(uint64_t a, uint64_t b) {
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#else
  const uint64_t a_low = a & 0xFFFFFFFFu;
  const uint64_t b_low = b & 0xFFFFFFFFu;
  const uint64_t crossed = (a >> 32) * b_low + (a_low * b_low >> 32);
  const uint64_t other = a_low * (b >> 32) + (crossed & 0xFFFFFFFFu);
  return (a >> 32) * (b >> 32) + (crossed >> 32) + (other >> 32);
#endif
}

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
