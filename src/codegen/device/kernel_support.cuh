#pragma once
// Small pieces that the kernel skeletons share.
#include "kernel_arguments.cuh"

namespace cupola_device {

#define CUPOLA_KERNEL_FN static __device__ __forceinline__

CUPOLA_KERNEL_FN unsigned int quotient(unsigned int n, const Divider32& by) {
  return (__umulhi(n, by.multiplier) + n) >> by.shift;
}
CUPOLA_KERNEL_FN unsigned long long quotient(unsigned long long n, const Divider64& by) {
  return (__umul64hi(n, by.multiplier) + n) >> by.shift;
}

// The number of the block in the whole launch, which may run in parts.
template <class Arguments>
CUPOLA_KERNEL_FN unsigned int block_x(const Arguments& p) {
  return p.header.first_x + blockIdx.x;
}
template <class Arguments>
CUPOLA_KERNEL_FN unsigned int block_y(const Arguments& p) {
  return p.header.first_y + blockIdx.y;
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

// The value of one lane of each group of `width`.
template <class T>
CUPOLA_KERNEL_FN T shuffle_from(const T& value, int lane, int width) {
  Words<T> words;
  words.word[(sizeof(T) + 3) / 4 - 1] = 0;
  words.value = value;
#pragma unroll
  for (int i = 0; i < static_cast<int>((sizeof(T) + 3) / 4); ++i) {
    words.word[i] = __shfl_sync(0xFFFFFFFFu, words.word[i], lane, width);
  }
  return words.value;
}

// The unsigned integer of a number of bytes.
template <int Bytes>
struct WordOf;
template <>
struct WordOf<1> {
  using type = unsigned char;
};
template <>
struct WordOf<2> {
  using type = unsigned short;
};
template <>
struct WordOf<4> {
  using type = unsigned int;
};
template <>
struct WordOf<8> {
  using type = unsigned long long;
};
template <class To, class From>
CUPOLA_KERNEL_FN To bits_as(const From& from) {
  return __builtin_bit_cast(To, from);
}

// Past the first-level cache, for memory that other blocks write.
template <class T>
CUPOLA_KERNEL_FN T load_volatile(const T* place) {
  Words<T> words;
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof(T) / 4); ++i) {
    words.word[i] = reinterpret_cast<const volatile unsigned int*>(place)[i];
  }
  return words.value;
}
template <class T>
CUPOLA_KERNEL_FN void store_volatile(T* place, const T& value) {
  Words<T> words;
  words.value = value;
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof(T) / 4); ++i) {
    reinterpret_cast<volatile unsigned int*>(place)[i] = words.word[i];
  }
}

template <class T>
CUPOLA_KERNEL_FN T smaller(T a, T b) {
  return a < b ? a : b;
}

}  // namespace cupola_device
