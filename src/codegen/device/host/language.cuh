// CUDA's words, minima and atomic functions for the host compiler.
#ifndef CUPOLA_DEVICE_HOST_LANGUAGE
#define CUPOLA_DEVICE_HOST_LANGUAGE

#define __device__
#define __host__
#define __global__
#define __constant__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __align__(BYTES) __attribute__((aligned(BYTES)))
#define __builtin_align__(BYTES) __attribute__((aligned(BYTES)))
#ifndef __clang__
#define __builtin_assume(CONDITION) ((CONDITION) ? void() : __builtin_unreachable())
#endif

extern "C" int printf(const char* format, ...);

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
inline unsigned int umin(unsigned int a, unsigned int b) { return b < a ? b : a; }
inline unsigned int umax(unsigned int a, unsigned int b) { return a < b ? b : a; }
inline long long llmin(long long a, long long b) { return b < a ? b : a; }
inline long long llmax(long long a, long long b) { return a < b ? b : a; }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return b < a ? b : a;
}
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return a < b ? b : a;
}

#ifndef CUPOLA_HOST_BEFORE_ATOMIC
#define CUPOLA_HOST_FN inline
#define CUPOLA_HOST_BEFORE_ATOMIC()
#endif

namespace cupola_host {

// Replaces *place by what `function` makes of it, as one step; returns what was there.
template <typename T, typename Function>
CUPOLA_HOST_FN T replace_at_once(T* place, Function function) {
  CUPOLA_HOST_BEFORE_ATOMIC();
  T seen;
  __atomic_load(place, &seen, __ATOMIC_RELAXED);
  for (;;) {
    T next = function(seen);
    if (__atomic_compare_exchange(place, &seen, &next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      return seen;
    }
  }
}

}  // namespace cupola_host

// For the threads of the host, all scopes are one.
#define CUPOLA_USER_ATOMIC(NAME, EXPRESSION)                                                     \
  template <typename T>                                                                          \
  CUPOLA_HOST_FN T NAME(T* place, std::type_identity_t<T> b) {                                   \
    return cupola_host::replace_at_once(place, [b](T a) { return static_cast<T>(EXPRESSION); }); \
  }                                                                                              \
  template <typename T>                                                                          \
  CUPOLA_HOST_FN T NAME##_block(T* place, std::type_identity_t<T> b) {                           \
    return NAME(place, b);                                                                       \
  }                                                                                              \
  template <typename T>                                                                          \
  CUPOLA_HOST_FN T NAME##_system(T* place, std::type_identity_t<T> b) {                          \
    return NAME(place, b);                                                                       \
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
CUPOLA_HOST_FN T atomicCAS(T* place, std::type_identity_t<T> expected, std::type_identity_t<T> b) {
  return cupola_host::replace_at_once(place, [=](T a) { return a == expected ? b : a; });
}
template <typename T>
CUPOLA_HOST_FN T atomicCAS_block(T* place, std::type_identity_t<T> expected,
                                 std::type_identity_t<T> b) {
  return atomicCAS(place, expected, b);
}
template <typename T>
CUPOLA_HOST_FN T atomicCAS_system(T* place, std::type_identity_t<T> expected,
                                  std::type_identity_t<T> b) {
  return atomicCAS(place, expected, b);
}

// Hints to caches say nothing here.
#define CUPOLA_USER_LOAD(NAME)            \
  template <typename T>                   \
  CUPOLA_HOST_FN T NAME(const T* place) { \
    return *place;                        \
  }
CUPOLA_USER_LOAD(__ldg)
CUPOLA_USER_LOAD(__ldca)
CUPOLA_USER_LOAD(__ldcg)
CUPOLA_USER_LOAD(__ldcs)
CUPOLA_USER_LOAD(__ldcv)
CUPOLA_USER_LOAD(__ldlu)
#undef CUPOLA_USER_LOAD
#define CUPOLA_USER_STORE(NAME)                                       \
  template <typename T>                                               \
  CUPOLA_HOST_FN void NAME(T* place, std::type_identity_t<T> value) { \
    *place = value;                                                   \
  }
CUPOLA_USER_STORE(__stwb)
CUPOLA_USER_STORE(__stcg)
CUPOLA_USER_STORE(__stcs)
CUPOLA_USER_STORE(__stwt)
#undef CUPOLA_USER_STORE
CUPOLA_HOST_FN void __threadfence() {
  CUPOLA_HOST_BEFORE_ATOMIC();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
CUPOLA_HOST_FN void __threadfence_block() { __threadfence(); }
CUPOLA_HOST_FN void __threadfence_system() { __threadfence(); }

#endif
