#pragma once
// Small pieces that the kernel skeletons share.
#include "kernel_arguments.cuh"

namespace cupola_device {

#define CUPOLA_KERNEL_FN static __device__ __forceinline__

CUPOLA_KERNEL_FN unsigned int divide(unsigned int n, const Divider32& by) {
  return (__umulhi(n, by.multiplier) + n) >> by.shift;
}
CUPOLA_KERNEL_FN unsigned long long divide(unsigned long long n, const Divider64& by) {
  return (__umul64hi(n, by.multiplier) + n) >> by.shift;
}

// One access of the memory system where size and alignment allow.
template <class T, int N>
struct alignas(sizeof(T) * N >= 16 ? 16 : sizeof(T) * N) Vector {
  T at[N];
};
template <int N, class T>
CUPOLA_KERNEL_FN Vector<T, N> load_vector(const T* pointer, unsigned long long number) {
  return reinterpret_cast<const Vector<T, N>*>(pointer)[number];
}
template <int N, class T>
CUPOLA_KERNEL_FN void store_vector(T* pointer, unsigned long long number,
                                   const Vector<T, N>& value) {
  reinterpret_cast<Vector<T, N>*>(pointer)[number] = value;
}

template <class T>
union Words {
  T value;
  unsigned int word[(sizeof(T) + 3) / 4];
  __device__ Words() {}
};

// The value of the thread `distance` lanes further on in its group of `width` lanes.
template <class T>
CUPOLA_KERNEL_FN T shuffle_down(const T& value, int distance, int width) {
  Words<T> words;
  words.word[(sizeof(T) + 3) / 4 - 1] = 0;
  words.value = value;
#pragma unroll
  for (int i = 0; i < static_cast<int>((sizeof(T) + 3) / 4); ++i) {
    words.word[i] = __shfl_down_sync(0xFFFFFFFFu, words.word[i], distance, width);
  }
  return words.value;
}

template <class T>
CUPOLA_KERNEL_FN T shuffle_up(const T& value, int distance, int width) {
  Words<T> words;
  words.word[(sizeof(T) + 3) / 4 - 1] = 0;
  words.value = value;
#pragma unroll
  for (int i = 0; i < static_cast<int>((sizeof(T) + 3) / 4); ++i) {
    words.word[i] = __shfl_up_sync(0xFFFFFFFFu, words.word[i], distance, width);
  }
  return words.value;
}

template <class T>
CUPOLA_KERNEL_FN T smaller(T a, T b) {
  return a < b ? a : b;
}

}  // namespace cupola_device
