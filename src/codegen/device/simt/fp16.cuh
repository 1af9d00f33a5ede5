// <cuda_fp16.h> and <cuda_bf16.h> for kernels on the host: values of 16 bits whose every operation
// is done in float and rounded once.
#ifndef CUPOLA_DEVICE_SIMT_FP16
#define CUPOLA_DEVICE_SIMT_FP16

#include "codegen/device/half.cuh"
#include "codegen/device/host/conversions.cuh"
#include "codegen/device/host/real_functions.cuh"

namespace cupola_simt {

template <typename Bits>
class Half {
 public:
  Half() = default;
  template <typename T>
  requires(std::is_arithmetic_v<T>) Half(T value) : bits_(rounded(value, Bits{})) {}
  operator float() const { return cupola_device::to_float(bits_); }
  Half& operator+=(Half b) { return *this = *this + b; }
  Half& operator-=(Half b) { return *this = *this - b; }
  Half& operator*=(Half b) { return *this = *this * b; }
  Half& operator/=(Half b) { return *this = *this / b; }
  Half& operator++() { return *this += Half(1); }
  Half& operator--() { return *this -= Half(1); }
  Half operator++(int) {
    const Half before = *this;
    ++*this;
    return before;
  }
  Half operator--(int) {
    const Half before = *this;
    --*this;
    return before;
  }
  friend Half operator+(Half a, Half b) { return float(a) + float(b); }
  friend Half operator-(Half a, Half b) { return float(a) - float(b); }
  friend Half operator*(Half a, Half b) { return float(a) * float(b); }
  friend Half operator/(Half a, Half b) { return float(a) / float(b); }
  friend Half operator+(Half a) { return a; }
  friend Half operator-(Half a) { return -float(a); }
  friend bool operator==(Half a, Half b) { return float(a) == float(b); }
  friend bool operator!=(Half a, Half b) { return float(a) != float(b); }
  friend bool operator<(Half a, Half b) { return float(a) < float(b); }
  friend bool operator>(Half a, Half b) { return float(a) > float(b); }
  friend bool operator<=(Half a, Half b) { return float(a) <= float(b); }
  friend bool operator>=(Half a, Half b) { return float(a) >= float(b); }

 private:
  template <typename T>
  static auto converted(T value) {
    if constexpr (sizeof(T) < 4 || std::is_same_v<T, float>) {
      return static_cast<float>(value);
    } else {
      return static_cast<double>(value);
    }
  }
  template <typename T>
  static cupola_device::float16 rounded(T value, cupola_device::float16) {
    return cupola_device::to_float16(converted(value));
  }
  template <typename T>
  static cupola_device::bfloat16 rounded(T value, cupola_device::bfloat16) {
    return cupola_device::to_bfloat16(converted(value));
  }
  Bits bits_;
};

template <typename H>
struct Half2 {
  H x, y;
  friend Half2 operator+(Half2 a, Half2 b) { return {a.x + b.x, a.y + b.y}; }
  friend Half2 operator-(Half2 a, Half2 b) { return {a.x - b.x, a.y - b.y}; }
  friend Half2 operator*(Half2 a, Half2 b) { return {a.x * b.x, a.y * b.y}; }
  friend Half2 operator/(Half2 a, Half2 b) { return {a.x / b.x, a.y / b.y}; }
  friend Half2 operator-(Half2 a) { return {-a.x, -a.y}; }
  Half2& operator+=(Half2 b) { return *this = *this + b; }
  Half2& operator-=(Half2 b) { return *this = *this - b; }
  Half2& operator*=(Half2 b) { return *this = *this * b; }
  Half2& operator/=(Half2 b) { return *this = *this / b; }
  friend bool operator==(Half2 a, Half2 b) { return a.x == b.x && a.y == b.y; }
};

template <typename H>
unsigned short bits16(H a) {
  return __builtin_bit_cast(unsigned short, a);
}
// The neighbour of the nearest value where the direction asks for it.
template <typename H, cupola_host::Rounding R, typename T>
H half_towards(T value) {
  const H nearest(value);
  const double got = float(nearest), exact = static_cast<double>(value);
  const bool is_up = got < exact && (R == cupola_host::Rounding::up ||
                                     (R == cupola_host::Rounding::zero && exact < 0));
  const bool is_down = got > exact && (R == cupola_host::Rounding::down ||
                                       (R == cupola_host::Rounding::zero && exact > 0));
  if (!is_up && !is_down) return nearest;
  const unsigned short bits = bits16(nearest);
  if ((bits & 0x7FFF) == 0)
    return __builtin_bit_cast(H, static_cast<unsigned short>(is_up ? 1 : 0x8001));
  const bool grows = is_up == ((bits & 0x8000) == 0);
  return __builtin_bit_cast(H, static_cast<unsigned short>(grows ? bits + 1 : bits - 1));
}
template <typename H>
H saturated(float a) {
  return a > 0 ? (a < 1 ? a : 1.0f) : 0.0f;
}
template <typename H>
H with_nan(H a, H b, H chosen) {
  const float nan = __builtin_nanf("");
  return a != a || b != b ? H(nan) : chosen;
}

}  // namespace cupola_simt

#define CUPOLA_HALF2(NAME, H, EXPRESSION)                 \
  inline H##2 NAME(H##2 a) {                              \
    const auto one = [](H a) -> H { return EXPRESSION; }; \
    return {one(a.x), one(a.y)};                          \
  }
#define CUPOLA_HALF_UNARY(NAME, H, EXPRESSION) \
  inline H h##NAME(H a) { return EXPRESSION; } \
  CUPOLA_HALF2(h2##NAME, H, EXPRESSION)
#define CUPOLA_HALF_BINARY(NAME, H, EXPRESSION)       \
  inline H __h##NAME(H a, H b) { return EXPRESSION; } \
  inline H##2 __h##NAME##2(H##2 a, H##2 b) { return {__h##NAME(a.x, b.x), __h##NAME(a.y, b.y)}; }
#define CUPOLA_HALF_SATURATING(NAME, H, OP)                                        \
  inline H __h##NAME(H a, H b) { return a OP b; }                                  \
  inline H __h##NAME##_rn(H a, H b) { return a OP b; }                             \
  inline H __h##NAME##_sat(H a, H b) { return cupola_simt::saturated<H>(a OP b); } \
  inline H##2 __h##NAME##2(H##2 a, H##2 b) { return a OP b; }                      \
  inline H##2 __h##NAME##2_rn(H##2 a, H##2 b) { return a OP b; }                   \
  inline H##2 __h##NAME##2_sat(H##2 a, H##2 b) {                                   \
    return {__h##NAME##_sat(a.x, b.x), __h##NAME##_sat(a.y, b.y)};                 \
  }
// Unordered ones are true where either is a NaN.
#define CUPOLA_HALF_COMPARE(NAME, H, OP)                                                           \
  inline bool __h##NAME(H a, H b) { return a OP b; }                                               \
  inline bool __h##NAME##u(H a, H b) { return a != a || b != b || a OP b; }                        \
  inline bool __hb##NAME##2(H##2 a, H##2 b) { return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y); } \
  inline H##2 __h##NAME##2(H##2 a, H##2 b) {                                                       \
    return {H(__h##NAME(a.x, b.x)), H(__h##NAME(a.y, b.y))};                                       \
  }                                                                                                \
  inline unsigned int __h##NAME##2_mask(H##2 a, H##2 b) {                                          \
    return (__h##NAME(a.x, b.x) ? 0xFFFFu : 0u) | (__h##NAME(a.y, b.y) ? 0xFFFF0000u : 0u);        \
  }
#define CUPOLA_HALF_INTEGER(NAME, H, WORD, T, SUFFIX, DIRECTION)                   \
  inline T __##WORD##2##NAME##_##SUFFIX(H a) {                                     \
    return cupola_host::to_integer<T, cupola_host::Rounding::DIRECTION>(float(a)); \
  }                                                                                \
  inline H __##NAME##2##WORD##_##SUFFIX(T a) {                                     \
    return cupola_simt::half_towards<H, cupola_host::Rounding::DIRECTION>(a);      \
  }
#define CUPOLA_HALF_DIRECTION(H, WORD, FLOAT, SUFFIX, DIRECTION)              \
  CUPOLA_HALF_INTEGER(short, H, WORD, short, SUFFIX, DIRECTION)               \
  CUPOLA_HALF_INTEGER(ushort, H, WORD, unsigned short, SUFFIX, DIRECTION)     \
  CUPOLA_HALF_INTEGER(int, H, WORD, int, SUFFIX, DIRECTION)                   \
  CUPOLA_HALF_INTEGER(uint, H, WORD, unsigned int, SUFFIX, DIRECTION)         \
  CUPOLA_HALF_INTEGER(ll, H, WORD, long long, SUFFIX, DIRECTION)              \
  CUPOLA_HALF_INTEGER(ull, H, WORD, unsigned long long, SUFFIX, DIRECTION)    \
  inline H __float2##WORD##_##SUFFIX(float a) {                               \
    return cupola_simt::half_towards<H, cupola_host::Rounding::DIRECTION>(a); \
  }
#define CUPOLA_HALF_TYPE(H, WORD, FLOAT, FLOAT22)                                           \
  inline H __float2##WORD(float a) { return a; }                                            \
  inline H __double2##WORD(double a) { return a; }                                          \
  inline float __##WORD##2float(H a) { return a; }                                          \
  inline H##2 __float2##WORD##2_rn(float a) { return {a, a}; }                              \
  inline H##2 __floats2##WORD##2_rn(float a, float b) { return {a, b}; }                    \
  inline H##2 __float22##WORD##2_rn(float2 a) { return {a.x, a.y}; }                        \
  inline float2 FLOAT22(H##2 a) { return {a.x, a.y}; }                                      \
  inline float __low2float(H##2 a) { return a.x; }                                          \
  inline float __high2float(H##2 a) { return a.y; }                                         \
  inline H##2 __##WORD##2##WORD##2(H a) { return {a, a}; }                                  \
  inline H##2 __halves2##WORD##2(H a, H b) { return {a, b}; }                               \
  inline H##2 make_##WORD##2(H a, H b) { return {a, b}; }                                   \
  inline short __##WORD##_as_short(H a) { return __builtin_bit_cast(short, a); }            \
  inline unsigned short __##WORD##_as_ushort(H a) { return cupola_simt::bits16(a); }        \
  inline H __short_as_##WORD(short a) { return __builtin_bit_cast(H, a); }                  \
  inline H __ushort_as_##WORD(unsigned short a) { return __builtin_bit_cast(H, a); }        \
  CUPOLA_HALF_DIRECTION(H, WORD, FLOAT, rn, nearest)                                        \
  CUPOLA_HALF_DIRECTION(H, WORD, FLOAT, rz, zero)                                           \
  CUPOLA_HALF_DIRECTION(H, WORD, FLOAT, ru, up)                                             \
  CUPOLA_HALF_DIRECTION(H, WORD, FLOAT, rd, down)                                           \
  CUPOLA_HALF_SATURATING(add, H, +)                                                         \
  CUPOLA_HALF_SATURATING(sub, H, -)                                                         \
  CUPOLA_HALF_SATURATING(mul, H, *)                                                         \
  inline H __hdiv(H a, H b) { return a / b; }                                               \
  inline H##2 __h2div(H##2 a, H##2 b) { return a / b; }                                     \
  inline H __hneg(H a) { return -a; }                                                       \
  inline H##2 __hneg2(H##2 a) { return -a; }                                                \
  inline H __habs(H a) { return fabsf(float(a)); }                                          \
  CUPOLA_HALF2(__habs2, H, fabsf(float(a)))                                                 \
  inline bool __hisnan(H a) { return a != a; }                                              \
  inline int __hisinf(H a) { return isinf(float(a)) ? (float(a) > 0 ? 1 : -1) : 0; }        \
  inline H##2 __hisnan2(H##2 a) { return {H(__hisnan(a.x)), H(__hisnan(a.y))}; }            \
  CUPOLA_HALF_BINARY(max, H, a != a ? b : b > a ? b : a)                                    \
  CUPOLA_HALF_BINARY(min, H, a != a ? b : b < a ? b : a)                                    \
  inline H __hmax_nan(H a, H b) { return cupola_simt::with_nan(a, b, __hmax(a, b)); }       \
  inline H __hmin_nan(H a, H b) { return cupola_simt::with_nan(a, b, __hmin(a, b)); }       \
  inline H __hfma(H a, H b, H c) {                                                          \
    return H(double(float(a)) * double(float(b)) + double(float(c)));                       \
  }                                                                                         \
  inline H __hfma_sat(H a, H b, H c) { return cupola_simt::saturated<H>(__hfma(a, b, c)); } \
  inline H __hfma_relu(H a, H b, H c) { return __hmax(__hfma(a, b, c), H(0)); }             \
  inline H##2 __hfma2(H##2 a, H##2 b, H##2 c) {                                             \
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};                                  \
  }                                                                                         \
  CUPOLA_HALF_COMPARE(eq, H, ==)                                                            \
  CUPOLA_HALF_COMPARE(ne, H, !=)                                                            \
  CUPOLA_HALF_COMPARE(lt, H, <)                                                             \
  CUPOLA_HALF_COMPARE(le, H, <=)                                                            \
  CUPOLA_HALF_COMPARE(gt, H, >)                                                             \
  CUPOLA_HALF_COMPARE(ge, H, >=)                                                            \
  CUPOLA_HALF_UNARY(exp, H, expf(float(a)))                                                 \
  CUPOLA_HALF_UNARY(exp2, H, exp2f(float(a)))                                               \
  CUPOLA_HALF_UNARY(exp10, H, exp10f(float(a)))                                             \
  CUPOLA_HALF_UNARY(log, H, logf(float(a)))                                                 \
  CUPOLA_HALF_UNARY(log2, H, log2f(float(a)))                                               \
  CUPOLA_HALF_UNARY(log10, H, log10f(float(a)))                                             \
  CUPOLA_HALF_UNARY(sqrt, H, sqrtf(float(a)))                                               \
  CUPOLA_HALF_UNARY(rsqrt, H, 1.0f / sqrtf(float(a)))                                       \
  CUPOLA_HALF_UNARY(rcp, H, 1.0f / float(a))                                                \
  CUPOLA_HALF_UNARY(sin, H, sinf(float(a)))                                                 \
  CUPOLA_HALF_UNARY(cos, H, cosf(float(a)))                                                 \
  CUPOLA_HALF_UNARY(tanh, H, tanhf(float(a)))                                               \
  CUPOLA_HALF_UNARY(floor, H, floorf(float(a)))                                             \
  CUPOLA_HALF_UNARY(ceil, H, ceilf(float(a)))                                               \
  CUPOLA_HALF_UNARY(trunc, H, truncf(float(a)))                                             \
  CUPOLA_HALF_UNARY(rint, H, rintf(float(a)))

using __half = cupola_simt::Half<cupola_device::float16>;
using __half2 = cupola_simt::Half2<__half>;
using half = __half;
using half2 = __half2;
using __nv_bfloat16 = cupola_simt::Half<cupola_device::bfloat16>;
using __nv_bfloat162 = cupola_simt::Half2<__nv_bfloat16>;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

CUPOLA_HALF_TYPE(__half, half, float, __half22float2)
CUPOLA_HALF_TYPE(__nv_bfloat16, bfloat16, float, __bfloat1622float2)

#define CUPOLA_HALF_PARTS(H)                                       \
  inline H __low2##H(H##2 a) { return a.x; }                       \
  inline H __high2##H(H##2 a) { return a.y; }                      \
  inline H##2 __low2##H##2(H##2 a) { return {a.x, a.x}; }          \
  inline H##2 __high2##H##2(H##2 a) { return {a.y, a.y}; }         \
  inline H##2 __lows2##H##2(H##2 a, H##2 b) { return {a.x, b.x}; } \
  inline H##2 __highs2##H##2(H##2 a, H##2 b) { return {a.y, b.y}; }
CUPOLA_HALF_PARTS(half)
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
inline __half2 __lowhigh2highlow(__half2 a) { return {a.y, a.x}; }

#undef CUPOLA_HALF_PARTS
#undef CUPOLA_HALF_TYPE
#undef CUPOLA_HALF_DIRECTION
#undef CUPOLA_HALF_INTEGER
#undef CUPOLA_HALF_COMPARE
#undef CUPOLA_HALF_SATURATING
#undef CUPOLA_HALF_BINARY
#undef CUPOLA_HALF_UNARY
#undef CUPOLA_HALF2

#endif
