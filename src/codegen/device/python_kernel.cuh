#pragma once
// What kernels translated from Python are made of: arrays with strides, atomic functions and warp
// shuffles of every type that has them, reductions of a warp and of a block. Compiled by NVRTC and,
// for the CPU platform, by the host compiler, where threads are emulated.
#include "codegen/device/types.cuh"

namespace cupola_device {

#define CUPOLA_PYTHON_FN [[maybe_unused]] static inline __device__

// Extents, and strides in bytes: the argument that follows an array's address.
template <int Rank>
struct Layout {
  int64_t shape[Rank > 0 ? Rank : 1];
  int64_t strides[Rank > 0 ? Rank : 1];
};

// Indices are not checked and not wrapped. The last stride of a C-contiguous array is known.
template <typename T, int Rank, bool Contiguous>
struct Array {
  T* data;
  Layout<Rank> layout;

  __device__ int64_t shape(int64_t dimension) const { return layout.shape[dimension]; }
  __device__ int64_t stride(int64_t dimension) const {
    return Contiguous && dimension == Rank - 1 ? int64_t(sizeof(T)) : layout.strides[dimension];
  }
  __device__ int64_t size() const {
    int64_t size = 1;
    for (int i = 0; i < Rank; ++i) size *= layout.shape[i];
    return size;
  }
  template <typename... Index>
  __device__ T& at(Index... index) const {
    static_assert(sizeof...(Index) == Rank);
    int64_t offset = 0;
    int dimension = 0;
    ((offset += int64_t(index) * stride(dimension++)), ...);
    return *reinterpret_cast<T*>(reinterpret_cast<int64_t>(data) + offset);
  }
  // The view of one place of the first dimension.
  __device__ Array<T, Rank - 1, Contiguous> row(int64_t index) const {
    Array<T, Rank - 1, Contiguous> result;
    result.data = reinterpret_cast<T*>(reinterpret_cast<int64_t>(data) + index * stride(0));
    for (int i = 1; i < Rank; ++i) {
      result.layout.shape[i - 1] = layout.shape[i];
      result.layout.strides[i - 1] = layout.strides[i];
    }
    return result;
  }
  __device__ Array<T, 1, Contiguous> ravel() const {
    Array<T, 1, Contiguous> result;
    result.data = data;
    result.layout.shape[0] = size();
    result.layout.strides[0] = sizeof(T);
    return result;
  }
};

// ---- threads

CUPOLA_PYTHON_FN uint32_t thread_number() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
CUPOLA_PYTHON_FN uint32_t block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
CUPOLA_PYTHON_FN uint32_t lane_number() { return thread_number() % 32; }
CUPOLA_PYTHON_FN uint64_t block_number() {
  return (uint64_t(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
CUPOLA_PYTHON_FN uint64_t grid_blocks() { return uint64_t(gridDim.x) * gridDim.y * gridDim.z; }

// ---- atomic functions: what was there is returned

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

// Replaces *place by what `function` makes of it, as one step.
template <typename T, typename Function>
CUPOLA_PYTHON_FN T replace_at_once(T* place, Function function) {
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

// Types for which CUDA has the function itself.
template <typename T>
inline constexpr bool is_atomic_word = is_same<T, int32_t> || is_same<T, uint32_t>;

template <typename T, typename Sum>
CUPOLA_PYTHON_FN T atomic_add(T* place, T value, Sum sum) {
  if constexpr (is_atomic_word<T> || Real<T>) {
    return atomicAdd(place, value);
  } else if constexpr (Integer<T> && sizeof(T) == 8) {
    return static_cast<T>(atomicAdd(reinterpret_cast<unsigned long long*>(place),
                                    static_cast<unsigned long long>(value)));
  } else {
    return replace_at_once(place, [=](T a) { return sum(a, value); });
  }
}
template <typename T, typename Function>
CUPOLA_PYTHON_FN T atomic_update(T* place, T value, Function function) {
  return replace_at_once(place, [=](T a) { return function(a, value); });
}
template <typename T>
CUPOLA_PYTHON_FN T atomic_exchange(T* place, T value) {
  return replace_at_once(place, [=](T) { return value; });
}
template <typename T>
CUPOLA_PYTHON_FN T atomic_compare(T* place, T expected, T value) {
  using Word = typename AtomicWord<sizeof(T)>::type;
  return __builtin_bit_cast(
      T, atomicCAS(reinterpret_cast<Word*>(place), __builtin_bit_cast(Word, expected),
                   __builtin_bit_cast(Word, value)));
}
#define CUPOLA_PYTHON_ATOMIC(NAME, CUDA_NAME, EXPRESSION)                \
  template <typename T>                                                  \
  CUPOLA_PYTHON_FN T NAME(T* place, T value) {                           \
    if constexpr (is_atomic_word<T>) {                                   \
      return CUDA_NAME(place, value);                                    \
    } else {                                                             \
      return replace_at_once(place, [=](T a) { return T(EXPRESSION); }); \
    }                                                                    \
  }
CUPOLA_PYTHON_ATOMIC(atomic_minimum, atomicMin, value < a ? value : a)
CUPOLA_PYTHON_ATOMIC(atomic_maximum, atomicMax, a < value ? value : a)
CUPOLA_PYTHON_ATOMIC(atomic_and, atomicAnd, a& value)
CUPOLA_PYTHON_ATOMIC(atomic_or, atomicOr, a | value)
CUPOLA_PYTHON_ATOMIC(atomic_xor, atomicXor, a ^ value)
#undef CUPOLA_PYTHON_ATOMIC
CUPOLA_PYTHON_FN uint32_t atomic_increment(uint32_t* place, uint32_t last) {
  return atomicInc(place, last);
}
CUPOLA_PYTHON_FN uint32_t atomic_decrement(uint32_t* place, uint32_t last) {
  return atomicDec(place, last);
}

// ---- shuffles, 32 bits at a time

template <typename T>
struct ShuffleWords {
  unsigned int word[(sizeof(T) + 3) / 4];
};
#define CUPOLA_PYTHON_SHUFFLE(NAME, CUDA_NAME, LANE)                          \
  template <typename T>                                                       \
  CUPOLA_PYTHON_FN T NAME(unsigned int mask, T value, LANE lane, int width) { \
    constexpr int kWords = (sizeof(T) + 3) / 4;                               \
    ShuffleWords<T> words = {};                                               \
    memcpy(&words, &value, sizeof(T));                                        \
    for (int i = 0; i < kWords; ++i) {                                        \
      words.word[i] = CUDA_NAME(mask, words.word[i], lane, width);            \
    }                                                                         \
    memcpy(&value, &words, sizeof(T));                                        \
    return value;                                                             \
  }
CUPOLA_PYTHON_SHUFFLE(shuffle, __shfl_sync, int)
CUPOLA_PYTHON_SHUFFLE(shuffle_up, __shfl_up_sync, unsigned int)
CUPOLA_PYTHON_SHUFFLE(shuffle_down, __shfl_down_sync, unsigned int)
CUPOLA_PYTHON_SHUFFLE(shuffle_xor, __shfl_xor_sync, int)
#undef CUPOLA_PYTHON_SHUFFLE

// ---- reductions, by the names of CUB: lane 0, or thread 0, has the result

template <typename T>
struct WarpReduce {
  struct TempStorage {
    T value;
  };
  template <typename Function>
  static __device__ T reduce(T value, Function function) {
    const uint32_t lane = lane_number(), left = block_threads() - (thread_number() - lane);
    const uint32_t lanes = left < 32 ? left : 32;  // the last warp of a block may have fewer
    const unsigned int mask = lanes == 32 ? 0xFFFFFFFFu : (1u << lanes) - 1;
    for (uint32_t distance = 1; distance < 32; distance *= 2) {
      const T other = shuffle_down(mask, value, distance, 32);
      if (lane + distance < lanes) value = function(value, other);
    }
    return value;
  }
  template <typename Function>
  static __device__ T reduce(TempStorage&, T value, Function function) {
    return reduce(value, function);
  }
};

template <typename T, int Threads>
struct BlockReduce {
  static constexpr int kWarps = (Threads + 31) / 32;
  struct TempStorage {
    T value[kWarps];
  };
  template <typename Function>
  static __device__ T reduce(TempStorage& storage, T value, Function function) {
    value = WarpReduce<T>::reduce(value, function);
    if (lane_number() == 0) storage.value[thread_number() / 32] = value;
    __syncthreads();
    if (thread_number() == 0) {
      for (int i = 1; i < kWarps; ++i) value = function(value, storage.value[i]);
    }
    return value;
  }
};

// ---- copies by a group of threads

template <typename To, typename From>
CUPOLA_PYTHON_FN void copy_together(uint64_t rank, uint64_t threads, To* to, const From* from,
                                    uint64_t bytes) {
  auto* const target = reinterpret_cast<unsigned char*>(to);
  const auto* const source = reinterpret_cast<const unsigned char*>(from);
  for (uint64_t i = rank; i < bytes; i += threads) target[i] = source[i];
}

}  // namespace cupola_device
