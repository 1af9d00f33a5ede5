#pragma once
// Rows that one block sorts in shared memory, a digit of the keys at a time. Body as for maps
// (load()), with Key, key(), kStoresKeys, store_outputs(), and for each output Type, value(), place()
// and kIsKey.
#include "kernel_ranks.cuh"

namespace cupola_device {

// What a thread holds of a sorted row.
template <class Body, int Items>
struct SortedRow {
  using Flat = typename Body::Flat;
  const typename Body::Arguments& p;
  const typename Body::Uniform& uniform;
  const typename Body::Key (&keys)[Items];
  const unsigned short (&origins)[Items];
  Flat row;
  unsigned int own, count;  // elements before the thread's first one; of the row

  template <class Output>
  __device__ __forceinline__ void store() const {
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      if (own + u * 32 >= count) continue;
      if constexpr (Output::kIsKey) {
        Output::place(p)[row + own + u * 32] = keys[u];
      } else {
        const Flat i = row + origins[u];
        Output::place(p)[row + own + u * 32] = Output::value(p, uniform, Body::load(p, i), i);
      }
    }
  }
};

// Brings each thread's values to their places: value u of the thread is number own + 32 u.
template <int Items, class T>
CUPOLA_KERNEL_FN void exchange(T (&values)[Items], const unsigned int (&places)[Items], T* memory,
                               unsigned int own, unsigned int count) {
  __syncthreads();
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    if (own + u * 32 < count) memory[places[u]] = values[u];
  }
  __syncthreads();
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    if (own + u * 32 < count) values[u] = memory[own + u * 32];
  }
}

template <class Body, int Items>
CUPOLA_KERNEL_FN void sort_rows(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  using Key = typename Body::Key;
  constexpr int kDigits = sort_digits<Key>;
  constexpr unsigned int kMost = Items * 32 * kRankWarps;
  constexpr unsigned int kBytes = sizeof(Key) < 2 ? 2 : sizeof(Key);
  __shared__ __align__(16) unsigned char exchanged[kMost * kBytes];
  __shared__ BinPlaces ranks;
  __shared__ unsigned int sums[kRankWarps];
  const typename Body::Uniform uniform = Body::uniform(p);
  const unsigned int count = static_cast<unsigned int>(p.header.length);
  const Flat row = static_cast<Flat>(block_x(p)) * static_cast<Flat>(p.header.length);
  const unsigned int own = threadIdx.x / 32 * (32 * Items) + threadIdx.x % 32;
  Key keys[Items];
  unsigned short origins[Items];
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    const unsigned int r = own + u * 32;
    origins[u] = static_cast<unsigned short>(r);
    if (r < count) keys[u] = Body::key(p, uniform, Body::load(p, row + r), row + r);
  }
#pragma unroll 1
  for (int number = 0; number < kDigits; ++number) {
    ranks.clear();
    unsigned int bins[Items], places[Items];
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      const bool inside = own + u * 32 < count;
      bins[u] = inside ? sort_digit(keys[u], static_cast<unsigned char>(number)) : kBins;
      places[u] = ranks.rank(bins[u]);
    }
    unsigned int first;
    ranks.add_up(sums, first);
#pragma unroll
    for (int u = 0; u < Items; ++u) places[u] += ranks.first_of(bins[u]);
    if (Body::kStoresKeys || number + 1 < kDigits) {
      exchange(keys, places, reinterpret_cast<Key*>(exchanged), own, count);
    }
    exchange(origins, places, reinterpret_cast<unsigned short*>(exchanged), own, count);
  }
  Body::store_outputs(SortedRow<Body, Items>{p, uniform, keys, origins, row, own, count});
}

}  // namespace cupola_device
