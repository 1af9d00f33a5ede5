// The part of CUDA's vocabulary that bodies of elementwise and reduction kernels use, for the host
// compiler. Comes after the headers of C and C++, before all else.
#ifndef CUPOLA_DEVICE_USER_HOST
#define CUPOLA_DEVICE_USER_HOST

#ifndef __CUDACC_RTC__

#define __device__
#define __host__
#define __forceinline__ inline
#define __constant__

// Numbers of different types meet in their common type.
template <typename A, typename B>
requires(std::is_arithmetic_v<A>&& std::is_arithmetic_v<B>) inline std::common_type_t<A, B> min(
    A a, B b) {
  using T = std::common_type_t<A, B>;
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  return y < x || x != x ? y : x;
}
template <typename A, typename B>
requires(std::is_arithmetic_v<A>&& std::is_arithmetic_v<B>) inline std::common_type_t<A, B> max(
    A a, B b) {
  using T = std::common_type_t<A, B>;
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  return x < y || x != x ? y : x;
}

inline float rsqrtf(float a) { return 1.0f / sqrtf(a); }
inline double rsqrt(double a) { return 1.0 / sqrt(a); }
inline float rsqrt(float a) { return rsqrtf(a); }
inline float rcbrtf(float a) { return 1.0f / cbrtf(a); }
inline double rcbrt(double a) { return 1.0 / cbrt(a); }
inline double normcdf(double a) { return 0.5 * erfc(-a * 0.70710678118654752440); }
inline float normcdff(float a) { return static_cast<float>(normcdf(double(a))); }
inline float normcdf(float a) { return normcdff(a); }
inline double sinpi(double a) { return sin(a * 3.14159265358979323846); }
inline double cospi(double a) { return cos(a * 3.14159265358979323846); }
inline float sinpif(float a) { return static_cast<float>(sinpi(double(a))); }
inline float cospif(float a) { return static_cast<float>(cospi(double(a))); }
inline void sincos(float a, float* s, float* c) { *s = sinf(a), *c = cosf(a); }
inline float saturate(float a) { return a < 0.0f || a != a ? 0.0f : a > 1.0f ? 1.0f : a; }
#define __saturatef saturate
#define __fdividef(A, B) ((A) / (B))
#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __powf powf
#define __frsqrt_rn rsqrtf
#define __fsqrt_rn sqrtf
#define __dsqrt_rn sqrt
#define __frcp_rn(A) (1.0f / (A))
#define __fadd_rn(A, B) ((A) + (B))
#define __fsub_rn(A, B) ((A) - (B))
#define __fmul_rn(A, B) ((A) * (B))
#define __fdiv_rn(A, B) ((A) / (B))
#define __dadd_rn(A, B) ((A) + (B))
#define __dsub_rn(A, B) ((A) - (B))
#define __dmul_rn(A, B) ((A) * (B))
#define __ddiv_rn(A, B) ((A) / (B))
#define __fmaf_rn fmaf
#define __fma_rn fma
#define __ldg(POINTER) (*(POINTER))
inline int __popc(unsigned int a) { return __builtin_popcount(a); }
inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
inline int __clz(int a) { return a ? __builtin_clz(static_cast<unsigned int>(a)) : 32; }
inline int __clzll(long long a) {
  return a ? __builtin_clzll(static_cast<unsigned long long>(a)) : 64;
}
inline int __ffs(int a) { return __builtin_ffs(a); }
inline int __ffsll(long long a) { return __builtin_ffsll(a); }
inline int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
inline unsigned int __float_as_uint(float a) { return __builtin_bit_cast(unsigned int, a); }
inline float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
inline float __uint_as_float(unsigned int a) { return __builtin_bit_cast(float, a); }
inline long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
inline double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
inline int __float2int_rn(float a) { return static_cast<int>(rintf(a)); }
inline int __float2int_rz(float a) { return static_cast<int>(a); }
inline int __float2int_rd(float a) { return static_cast<int>(floorf(a)); }
inline int __float2int_ru(float a) { return static_cast<int>(ceilf(a)); }
inline int __double2int_rn(double a) { return static_cast<int>(rint(a)); }

namespace cupola_user {

// Replaces *place by what `function` makes of it, as one step; returns what was there.
template <typename T, typename Function>
inline T replace_at_once(T* place, Function function) {
  T seen;
  __atomic_load(place, &seen, __ATOMIC_RELAXED);
  for (;;) {
    T next = function(seen);
    if (__atomic_compare_exchange(place, &seen, &next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      return seen;
    }
  }
}

}  // namespace cupola_user

#define CUPOLA_USER_ATOMIC(NAME, EXPRESSION)                                                     \
  template <typename T>                                                                          \
  inline T NAME(T* place, std::type_identity_t<T> b) {                                           \
    return cupola_user::replace_at_once(place, [b](T a) { return static_cast<T>(EXPRESSION); }); \
  }
CUPOLA_USER_ATOMIC(atomicAdd, a + b)
CUPOLA_USER_ATOMIC(atomicSub, a - b)
CUPOLA_USER_ATOMIC(atomicMin, b < a ? b : a)
CUPOLA_USER_ATOMIC(atomicMax, a < b ? b : a)
CUPOLA_USER_ATOMIC(atomicAnd, a& b)
CUPOLA_USER_ATOMIC(atomicOr, a | b)
CUPOLA_USER_ATOMIC(atomicXor, a ^ b)
CUPOLA_USER_ATOMIC(atomicExch, b)
CUPOLA_USER_ATOMIC(atomicInc, a >= b ? T(0) : a + 1)
CUPOLA_USER_ATOMIC(atomicDec, a == T(0) || a > b ? b : a - 1)
#undef CUPOLA_USER_ATOMIC
template <typename T>
inline T atomicCAS(T* place, std::type_identity_t<T> expected, std::type_identity_t<T> b) {
  return cupola_user::replace_at_once(place, [=](T a) { return a == expected ? b : a; });
}

#endif

#endif
