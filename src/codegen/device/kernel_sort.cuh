#pragma once
// Rows that one block sorts in shared memory, a digit of the keys at a time. Body as for maps
// (load()), with Key, key(), kStoresKeys, store_outputs(), and for each output Type, value(),
// place() and kIsKey.
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

// What a lane has of a row: element u is number lane + 32 u, and goes to places[u].
template <class Body, int Items>
struct ShortRow {
  using Flat = typename Body::Flat;
  const typename Body::Arguments& p;
  const typename Body::Uniform& uniform;
  const typename Body::Element (&x)[Items];
  const typename Body::Key (&keys)[Items];
  const unsigned int (&places)[Items];
  Flat row;
  unsigned int lane, count;

  template <class Output>
  __device__ __forceinline__ void store() const {
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      const unsigned int r = lane + u * 32;
      if (r >= count) continue;
      if constexpr (Output::kIsKey) {
        Output::place(p)[row + places[u]] = keys[u];
      } else {
        Output::place(p)[row + places[u]] = Output::value(p, uniform, x[u], row + r);
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

// What says whether one key comes before another.
template <class T>
CUPOLA_KERNEL_FN auto order_of(T key) {
  return ordered_bits(key);
}
template <class T>
struct ComplexOrder {
  int nan;
  unsigned_t<T> re, im;
  __device__ __forceinline__ bool operator<(const ComplexOrder& other) const {
    if (nan != other.nan) return nan < other.nan;
    return re != other.re ? re < other.re : im < other.im;
  }
};
template <class T>
CUPOLA_KERNEL_FN ComplexOrder<T> order_of(complex<T> key) {
  return {(key.re != key.re ? 2 : 0) + (key.im != key.im ? 1 : 0), ordered_bits(key.re),
          ordered_bits(key.im)};
}

// A warp to each row of at most 32 * Items elements: the place of an element is the number of those
// that come before it.
template <class Body, int Items>
CUPOLA_KERNEL_FN void sort_short_rows(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  using Key = typename Body::Key;
  const unsigned long long number =
      static_cast<unsigned long long>(block_x(p)) * (blockDim.x / 32) + threadIdx.x / 32;
  if (number >= p.header.count) return;  // whole warps
  const typename Body::Uniform uniform = Body::uniform(p);
  const unsigned int count = static_cast<unsigned int>(p.header.length), lane = threadIdx.x % 32;
  const Flat row = static_cast<Flat>(number * p.header.length);
  typename Body::Element x[Items];
  Key keys[Items];
  unsigned int places[Items];
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    const unsigned int r = u * 32 + lane;
    places[u] = 0;
    if (r >= count) continue;
    x[u] = Body::load(p, row + r);
    keys[u] = Body::key(p, uniform, x[u], row + r);
  }
#pragma unroll
  for (int from = 0; from < Items; ++from) {
#pragma unroll 1
    for (unsigned int other = 0; other < 32 && from * 32 + other < count; ++other) {
      const auto theirs = order_of(shuffle_from(keys[from], static_cast<int>(other), 32));
#pragma unroll
      for (int u = 0; u < Items; ++u) {
        const auto own = order_of(keys[u]);
        const bool earlier = from * 32 + other < u * 32 + lane;
        places[u] += theirs < own || (earlier && !(own < theirs)) ? 1 : 0;
      }
    }
  }
  Body::store_outputs(ShortRow<Body, Items>{p, uniform, x, keys, places, row, lane, count});
}

template <class Body, int Items>
CUPOLA_KERNEL_FN void sort_rows(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  using Key = typename Body::Key;
  constexpr int kDigits = sort_digits<Key>;
  constexpr unsigned int kWarps = 8, kMost = Items * 32 * kWarps;
  constexpr unsigned int kBytes = sizeof(Key) < 2 ? 2 : sizeof(Key);
  __shared__ __align__(16) unsigned char exchanged[kMost * kBytes];
  __shared__ BinPlaces<kWarps> ranks;
  __shared__ unsigned int sums[kBinWarps];
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
    unsigned int places[Items];  // with the bin above them, then without
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      const bool inside = own + u * 32 < count;
      const unsigned int bin =
          inside ? sort_digit(keys[u], static_cast<unsigned char>(number)) : kBins - 1;
      places[u] = bin << 16 | ranks.rank(bin);
    }
    ranks.place(sum_before(ranks.total(), sums));
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      places[u] = (places[u] & 0xFFFF) + ranks.first_of(places[u] >> 16);
    }
    if (Body::kStoresKeys || number + 1 < kDigits) {
      exchange(keys, places, reinterpret_cast<Key*>(exchanged), own, count);
    }
    exchange(origins, places, reinterpret_cast<unsigned short*>(exchanged), own, count);
  }
  Body::store_outputs(SortedRow<Body, Items>{p, uniform, keys, origins, row, own, count});
}

}  // namespace cupola_device
