// Atomic functions of the types for which CUDA has none of its own. Templates, so that functions
// of the same name in the user's text go first. The host's are in host/language.cuh.
#ifndef CUPOLA_DEVICE_USER_ATOMICS
#define CUPOLA_DEVICE_USER_ATOMICS

#include "codegen/device/user_half.cuh"

#ifdef __CUDACC_RTC__

namespace cupola_user {

template <typename T>
struct Same {
  using type = T;
};
template <typename T>
using same_t = typename Same<T>::type;  // no template argument is deduced from it

template <typename T>
concept LongLong = cupola_device::is_same<T, long long>;
template <typename T>
concept Half = cupola_device::is_same<T, float16> || cupola_device::is_same<T, bfloat16>;
template <typename T>
concept Real = cupola_device::Real<T> || Half<T>;

template <int Bytes>
struct AtomicWord {
  using type = unsigned short;
};
template <>
struct AtomicWord<4> {
  using type = unsigned int;
};
template <>
struct AtomicWord<8> {
  using type = unsigned long long;
};

// Replaces *place by what `function` makes of it, as one step; returns what was there.
template <typename T, typename Function>
CUPOLA_USER_FN T replace_at_once(T* place, Function function) {
  using Word = typename AtomicWord<sizeof(T)>::type;
  auto* const word = reinterpret_cast<Word*>(place);
  Word seen = *word;
  for (;;) {
    const Word expected = seen;
    const T next = function(__builtin_bit_cast(T, expected));
    seen = atomicCAS(word, expected, __builtin_bit_cast(Word, next));
    if (seen == expected) return __builtin_bit_cast(T, seen);
  }
}

}  // namespace cupola_user

template <cupola_user::LongLong T>
CUPOLA_USER_FN T atomicAdd(T* place, cupola_user::same_t<T> b) {
  return static_cast<T>(
      atomicAdd(reinterpret_cast<unsigned long long*>(place), static_cast<unsigned long long>(b)));
}
template <cupola_user::LongLong T>
CUPOLA_USER_FN T atomicSub(T* place, cupola_user::same_t<T> b) {
  return atomicAdd(place, -b);
}
template <cupola_user::LongLong T>
CUPOLA_USER_FN T atomicExch(T* place, cupola_user::same_t<T> b) {
  return static_cast<T>(
      atomicExch(reinterpret_cast<unsigned long long*>(place), static_cast<unsigned long long>(b)));
}
template <cupola_user::LongLong T>
CUPOLA_USER_FN T atomicCAS(T* place, cupola_user::same_t<T> expected, cupola_user::same_t<T> b) {
  return static_cast<T>(atomicCAS(reinterpret_cast<unsigned long long*>(place),
                                  static_cast<unsigned long long>(expected),
                                  static_cast<unsigned long long>(b)));
}
template <cupola_user::Half T>
CUPOLA_USER_FN T atomicAdd(T* place, cupola_user::same_t<T> b) {
  return cupola_user::replace_at_once(place, [b](T a) { return T(float(a) + float(b)); });
}
template <cupola_user::Real T>
CUPOLA_USER_FN T atomicSub(T* place, cupola_user::same_t<T> b) {
  return atomicAdd(place, T(-b));
}
template <cupola_user::Real T>
CUPOLA_USER_FN T atomicMax(T* place, cupola_user::same_t<T> b) {
  return cupola_user::replace_at_once(place, [b](T a) { return a < b ? b : a; });
}
template <cupola_user::Real T>
CUPOLA_USER_FN T atomicMin(T* place, cupola_user::same_t<T> b) {
  return cupola_user::replace_at_once(place, [b](T a) { return b < a ? b : a; });
}

#endif

#endif
