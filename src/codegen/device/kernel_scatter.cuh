#pragma once
// Stores at computed places. Body as for maps, and Result, compute(), kScatters, target(),
// store_scattered() and store_others() (the plain and combining outputs).
#include "kernel_map.cuh"

namespace cupola_device {

// Combines `value` into *place, once, whatever other threads do to it. `Combine::apply(a, b)`.
template <class Combine, class T>
CUPOLA_KERNEL_FN void atomic_combine(T* place, T value, unsigned int* locks) {
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    using Word = typename WordOf<sizeof(T)>::type;
    Word* word = reinterpret_cast<Word*>(place);
    Word seen = *static_cast<volatile Word*>(word);
    for (;;) {
      const Word wanted = bits_as<Word>(Combine::apply(bits_as<T>(seen), value));
      const Word found = atomicCAS(word, seen, wanted);
      if (found == seen) return;
      seen = found;
    }
  } else if constexpr (sizeof(T) < 4) {
    // The part of the aligned word around the element.
    const unsigned long long address = reinterpret_cast<unsigned long long>(place);
    unsigned int* word = reinterpret_cast<unsigned int*>(address & ~3ull);
    const unsigned int shift = static_cast<unsigned int>(address & 3) * 8;
    const unsigned int mask = ((1u << (sizeof(T) * 8)) - 1) << shift;
    using Part = typename WordOf<sizeof(T)>::type;
    unsigned int seen = *static_cast<volatile unsigned int*>(word);
    for (;;) {
      const T old = bits_as<T>(static_cast<Part>((seen & mask) >> shift));
      const unsigned int part = bits_as<Part>(Combine::apply(old, value));
      const unsigned int found = atomicCAS(word, seen, (seen & ~mask) | (part << shift));
      if (found == seen) return;
      seen = found;
    }
  } else {
    unsigned long long address = reinterpret_cast<unsigned long long>(place) / sizeof(T);
    unsigned int* lock = locks + (address & (kLocks - 1));
    for (bool done = false; !done;) {
      if (atomicCAS(lock, 0u, 1u) == 0u) {
        __threadfence();
        const T old = load_volatile(place);
        store_volatile(place, Combine::apply(old, value));
        __threadfence();
        atomicExch(lock, 0u);
        done = true;
      }
    }
  }
}

// The device adds integers by itself.
template <class T>
CUPOLA_KERNEL_FN void atomic_add(T* place, T value) {
  using Word = typename WordOf<sizeof(T)>::type;
  atomicAdd(reinterpret_cast<Word*>(place), bits_as<Word>(value));
}

struct ScatterTarget {
  long long offset;
  bool wanted;
};

CUPOLA_KERNEL_FN unsigned long long mix(unsigned long long key) {
  key ^= key >> 33;
  key *= 0xFF51AFD7ED558CCDull;
  key ^= key >> 33;
  key *= 0xC4CEB9FE1A85EC53ull;
  return key ^ (key >> 33);
}

// Open addressing; a slot's owner is the last element that stores to the slot's offset. All bits
// of an empty slot are set, which is the offset -1 flipped: no element has it.
struct ScatterTable {
  unsigned long long* keys;
  long long* owners;
  unsigned long long slots;

  static __device__ unsigned long long key_of(long long offset) {
    return static_cast<unsigned long long>(offset) ^ (1ull << 63);
  }
  __device__ void claim(long long offset, long long element) const {
    const unsigned long long key = key_of(offset);
    for (unsigned long long slot = mix(key) & (slots - 1);; slot = (slot + 1) & (slots - 1)) {
      const unsigned long long found = atomicCAS(keys + slot, ~0ull, key);
      if (found == ~0ull || found == key) {
        atomicMax(owners + slot, element);
        return;
      }
    }
  }
  __device__ bool owns(long long offset, long long element) const {
    const unsigned long long key = key_of(offset);
    unsigned long long slot = mix(key) & (slots - 1);
    while (keys[slot] != key) slot = (slot + 1) & (slots - 1);
    return owners[slot] == element;
  }
};

template <class Body>
CUPOLA_KERNEL_FN ScatterTable scatter_table(const typename Body::Arguments& p, int number) {
  auto* words = reinterpret_cast<unsigned long long*>(static_cast<char*>(p.header.scratch) +
                                                      Body::kLockBytes);
  words += static_cast<unsigned long long>(number) * 2 * p.header.slots;
  return {words, reinterpret_cast<long long*>(words + p.header.slots), p.header.slots};
}

// First of two passes: which element is the last for each offset.
template <class Body>
CUPOLA_KERNEL_FN void scatter_claim(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const Flat i = static_cast<Flat>(block_x(p)) * blockDim.x + threadIdx.x;
  if (i >= p.header.count) return;
  const auto result = Body::compute(p, Body::uniform(p), Body::load(p, i), i);
#pragma unroll
  for (int s = 0; s < Body::kScatters; ++s) {
    const ScatterTarget target = Body::target(result, s);
    if (target.wanted) scatter_table<Body>(p, s).claim(target.offset, i);
  }
}

template <class Body>
CUPOLA_KERNEL_FN void scatter_store(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const Flat i = static_cast<Flat>(block_x(p)) * blockDim.x + threadIdx.x;
  if (i >= p.header.count) return;
  const auto result = Body::compute(p, Body::uniform(p), Body::load(p, i), i);
#pragma unroll
  for (int s = 0; s < Body::kScatters; ++s) {
    const ScatterTarget target = Body::target(result, s);
    if (target.wanted && scatter_table<Body>(p, s).owns(target.offset, i)) {
      Body::store_scattered(p, result, s);
    }
  }
  Body::store_others(p, i, result);
}

// Few elements: one block goes through them in order, 256 at a time.
template <class Body>
CUPOLA_KERNEL_FN void scatter_small(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  __shared__ long long offsets[256];
  __shared__ bool wanted[256];
  const Flat count = static_cast<Flat>(p.header.count);
  for (Flat begin = 0; begin < count; begin += 256) {
    const Flat i = begin + threadIdx.x;
    const bool inside = i < count;
    typename Body::Result result;
    if (inside) result = Body::compute(p, Body::uniform(p), Body::load(p, i), i);
#pragma unroll
    for (int s = 0; s < Body::kScatters; ++s) {
      ScatterTarget target{0, false};
      if (inside) target = Body::target(result, s);
      __syncthreads();
      offsets[threadIdx.x] = target.offset;
      wanted[threadIdx.x] = target.wanted;
      __syncthreads();
      bool last = target.wanted;
      for (unsigned int t = threadIdx.x + 1; last && t < 256; ++t) {
        last = !wanted[t] || offsets[t] != target.offset;
      }
      if (last) Body::store_scattered(p, result, s);
    }
    if (inside) Body::store_others(p, i, result);
  }
}

// Every store strictly in row-major order, for combinations whose order matters.
template <class Body>
CUPOLA_KERNEL_FN void map_in_order(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const Flat count = static_cast<Flat>(p.header.count);
  for (Flat begin = 0; begin < count; begin += 256) {
    const Flat i = begin + threadIdx.x;
    typename Body::Result result;
    if (i < count) result = Body::compute(p, Body::uniform(p), Body::load(p, i), i);
    for (unsigned int turn = 0; turn < 256; ++turn) {
      if (threadIdx.x == turn && i < count) {
        for (int s = 0; s < Body::kScatters; ++s) {
          if (Body::target(result, s).wanted) Body::store_scattered(p, result, s);
        }
        Body::store_others(p, i, result);
      }
      __syncthreads();
    }
  }
}

}  // namespace cupola_device
