#pragma once
// How a block of 256 threads orders elements by bins, so that those of one bin stay in their order.
// Warp w holds the w-th eighth of the elements, round by round: lane l has the l-th of each round.
#include "kernel_support.cuh"

namespace cupola_device {

constexpr unsigned int kRankWarps = 8;
constexpr unsigned int kBinPlaces = kBins + 1;  // the last one is for what is no element

// What the values of the threads before this one add up to. `sums`: of the block's warps.
template <class T>
CUPOLA_KERNEL_FN T sum_before(T value, T* sums) {
  const unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  T sum = value;
#pragma unroll
  for (unsigned int distance = 1; distance < 32; distance *= 2) {
    const T other = shuffle_up(sum, static_cast<int>(distance), 32);
    if (lane >= distance) sum += other;
  }
  if (lane == 31) sums[warp] = sum;
  __syncthreads();
  T before = sum - value;
#pragma unroll
  for (unsigned int w = 0; w < kRankWarps; ++w) {
    if (w < warp) before += sums[w];
  }
  __syncthreads();
  return before;
}

// How many lanes of the warp have one of `count` elements; this lane's would be number `own`.
CUPOLA_KERNEL_FN unsigned int present_lanes(unsigned int own, unsigned int count) {
  const unsigned int first = own - threadIdx.x % 32;
  return first < count ? count - first : 0;
}

// Counts of bins by the block's warps, then the places where each warp's elements of a bin begin.
struct BinPlaces {
  unsigned int at[kRankWarps][kBinPlaces];

  // All threads of the block; they are behind a barrier afterwards.
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (unsigned int w = 0; w < kRankWarps; ++w) at[w][threadIdx.x] = 0;
    if (threadIdx.x < kRankWarps) at[threadIdx.x][kBins] = 0;
    __syncthreads();
  }
  // How many elements of the bin the warp had before this one. All lanes of the warp, of which the
  // first `present` have an element; the others' bin is kBins.
  __device__ __forceinline__ unsigned int rank(unsigned int bin, unsigned int present) {
    // The lanes of the same bin, bit by bit: __match_any_sync() takes twice as long.
    unsigned int peers = candidates(bin, present);
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) peers = keep_alike(peers, bin, 1u << bit);
    return enter(bin, peers);
  }
  // The same where elements of the warp differ in bits of `varying` at most.
  __device__ __forceinline__ unsigned int rank(unsigned int bin, unsigned int present,
                                               unsigned int varying) {
    unsigned int peers = candidates(bin, present);
    for (; varying != 0; varying &= varying - 1) {
      peers = keep_alike(peers, bin, varying & (0 - varying));
    }
    return enter(bin, peers);
  }
  // From counts to places. Thread t gets the number of elements of bin t, and where they begin.
  __device__ __forceinline__ unsigned int add_up(unsigned int* sums, unsigned int& first) {
    __syncthreads();
    unsigned int total = 0;
#pragma unroll
    for (unsigned int w = 0; w < kRankWarps; ++w) total += at[w][threadIdx.x];
    first = sum_before(total, sums);
    unsigned int next = first;
#pragma unroll
    for (unsigned int w = 0; w < kRankWarps; ++w) {
      const unsigned int count = at[w][threadIdx.x];
      at[w][threadIdx.x] = next;
      next += count;
    }
    __syncthreads();
    return total;
  }
  // Of the thread's warp; after add_up().
  __device__ __forceinline__ unsigned int first_of(unsigned int bin) const {
    return at[threadIdx.x / 32][bin];
  }

 private:
  static __device__ __forceinline__ unsigned int candidates(unsigned int bin,
                                                            unsigned int present) {
    const unsigned int lanes = present < 32 ? (1u << present) - 1 : 0xFFFFFFFFu;
    return bin == kBins ? ~lanes : lanes;
  }
  // Of the lanes `peers`, those whose bins have the same `bit`.
  static __device__ __forceinline__ unsigned int keep_alike(unsigned int peers, unsigned int bin,
                                                            unsigned int bit) {
    const bool is_set = (bin & bit) != 0;
    const unsigned int votes = __ballot_sync(0xFFFFFFFFu, is_set);
    return peers & (is_set ? votes : ~votes);
  }
  // Counts the elements of `peers`, which are of this bin; returns how many came before this one.
  __device__ __forceinline__ unsigned int enter(unsigned int bin, unsigned int peers) {
    unsigned int* const place = &at[threadIdx.x / 32][bin];
    const unsigned int before = __popc(peers & ((1u << (threadIdx.x % 32)) - 1));
    const unsigned int counted = *place;
    __syncwarp();
    if (before == 0) *place = counted + __popc(peers);
    __syncwarp();
    return counted + before;
  }
};

}  // namespace cupola_device
