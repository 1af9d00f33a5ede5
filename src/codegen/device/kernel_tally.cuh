#pragma once
// Sums of integers at computed places, of which there are few: each block sums in shared memory,
// and adds what it has to the result. Body as for maps (load()), and compute() with its Result.
#include "kernel_map.cuh"

namespace cupola_device {

// Shared memory adds words of 4 bytes by itself. The carries of the lower words, each of which one
// thread sees, belong to the upper ones.
template <class Word>
struct TallyWords {
  static constexpr bool kIsWide = sizeof(Word) == 8;
  unsigned int low[kTallyPlaces];
  unsigned int high[kIsWide ? kTallyPlaces : 1];

  __device__ void clear(unsigned int place) {
    low[place] = 0;
    if constexpr (kIsWide) high[place] = 0;
  }
  __device__ void add(unsigned int place, Word value) {
    const unsigned int lower = static_cast<unsigned int>(value);
    if constexpr (kIsWide) {
      const unsigned int before = atomicAdd(low + place, lower);
      const unsigned int upper =
          static_cast<unsigned int>(value >> 32) + (before + lower < before ? 1u : 0u);
      if (upper != 0) atomicAdd(high + place, upper);
    } else {
      atomicAdd(low + place, lower);
    }
  }
  __device__ Word sum(unsigned int place) const {
    if constexpr (kIsWide) return static_cast<Word>(high[place]) << 32 | low[place];
    return low[place];
  }
};

template <class Body, int Unroll>
CUPOLA_KERNEL_FN void tally_elements(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  using Word = typename WordOf<sizeof(typename Body::Result().out0)>::type;
  __shared__ TallyWords<Word> words;
  const unsigned int places = static_cast<unsigned int>(p.header.slots);
  for (unsigned int i = threadIdx.x; i < places; i += blockDim.x) words.clear(i);
  __syncthreads();
  const Flat tile = static_cast<Flat>(p.header.tile);
  const Flat first = static_cast<Flat>(block_x(p)) * tile;
  const Flat count = smaller(static_cast<Flat>(p.header.count) - first, tile);
  const typename Body::Uniform uniform = Body::uniform(p);
  for (Flat done = 0; done < count; done += static_cast<Flat>(blockDim.x) * Unroll) {
    typename Body::Element x[Unroll];
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const Flat i = done + static_cast<Flat>(u) * blockDim.x + threadIdx.x;
      if (i < count) x[u] = Body::load(p, first + i);
    }
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const Flat i = done + static_cast<Flat>(u) * blockDim.x + threadIdx.x;
      if (i >= count) continue;
      const typename Body::Result y = Body::compute(p, uniform, x[u], first + i);
      if (y.wanted0) words.add(static_cast<unsigned int>(y.offset0), bits_as<Word>(y.out0));
    }
  }
  __syncthreads();
  // Other devices of a set may add to the same result.
  Word* const result = reinterpret_cast<Word*>(p.out0);
  for (unsigned int i = threadIdx.x; i < places; i += blockDim.x) {
    if (const Word sum = words.sum(i)) atomicAdd_system(result + i, sum);
  }
}

}  // namespace cupola_device
