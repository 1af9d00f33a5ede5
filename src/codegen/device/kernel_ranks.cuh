#pragma once
// How a block orders elements by bins, so that those of one bin stay in their order. Of kWarps
// warps number w holds the w-th part of the elements, round by round: lane l has the l-th of each
// round. Elements that are missing at the end of the last part are in the last bin: behind all
// others.
#include "kernel_support.cuh"

namespace cupola_device {

constexpr unsigned int kBinWarps = kBins / 32;

// Of the first kBins threads: what the values of those before add up to. All threads of the block.
template <class T>
CUPOLA_KERNEL_FN T sum_before(T value, T (&sums)[kBinWarps]) {
  const unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  T sum = value;
#pragma unroll
  for (unsigned int distance = 1; distance < 32; distance *= 2) {
    const T other = shuffle_up(sum, static_cast<int>(distance), 32);
    if (lane >= distance) sum += other;
  }
  if (lane == 31 && warp < kBinWarps) sums[warp] = sum;
  __syncthreads();
  T before = sum - value;
#pragma unroll
  for (unsigned int w = 0; w + 1 < kBinWarps; ++w) {
    if (w < warp) before += sums[w];
  }
  __syncthreads();
  return before;
}

// Of the lanes `peers`, those whose bins have the same `bit` as this lane's.
CUPOLA_KERNEL_FN unsigned int keep_alike(unsigned int peers, unsigned int bin, unsigned int bit) {
#ifdef __CUDA_ARCH__
  // As C++ it is compiled to half as many instructions again.
  asm volatile(
      "{\n"
      "  .reg .pred is_set;\n"
      "  .reg .u32 own, votes;\n"
      "  and.b32 own, %1, %2;\n"
      "  setp.ne.u32 is_set, own, 0;\n"
      "  vote.sync.ballot.b32 votes, is_set, 0xffffffff;\n"
      "  @!is_set not.b32 votes, votes;\n"
      "  and.b32 %0, %0, votes;\n"
      "}\n"
      : "+r"(peers)
      : "r"(bin), "r"(bit));
  return peers;
#else
  const bool is_set = (bin & bit) != 0;
  const unsigned int votes = __ballot_sync(0xFFFFFFFFu, is_set);
  return peers & (is_set ? votes : ~votes);
#endif
}

// Counts of bins by the block's warps, then the places where each warp's elements of a bin begin.
template <unsigned int kWarps>
struct BinPlaces {
  unsigned int at[kWarps][kBins];

  // All threads of the block; they are behind a barrier afterwards.
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (unsigned int i = 0; i < kBins / 32; ++i) {
      (&at[0][0])[i * kWarps * 32 + threadIdx.x] = 0;
    }
    __syncthreads();
  }
  // How many elements of the bin the warp had before this one. All lanes of the warp.
  __device__ __forceinline__ unsigned int rank(unsigned int bin) {
    // The lanes of the same bin, bit by bit: __match_any_sync() takes twice as long.
    unsigned int peers = 0xFFFFFFFFu;
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) peers = keep_alike(peers, bin, 1u << bit);
    return enter(bin, peers);
  }
  // The same where elements of the warp differ in these bits at most; 0: in fewer bits.
  template <int kBits>
  __device__ __forceinline__ unsigned int rank(unsigned int bin,
                                               const unsigned int (&bits)[kBits]) {
    unsigned int peers = 0xFFFFFFFFu;
#pragma unroll
    for (int b = 0; b < kBits; ++b) peers = keep_alike(peers, bin, bits[b]);
    return enter(bin, peers);
  }
  // How many elements the block has of bin number threadIdx.x. All threads, after rank().
  __device__ __forceinline__ unsigned int total() const {
    __syncthreads();
    unsigned int total = 0;
    if (threadIdx.x < kBins) {
#pragma unroll
      for (unsigned int w = 0; w < kWarps; ++w) total += at[w][threadIdx.x];
    }
    return total;
  }
  // From counts to places: elements of bin number threadIdx.x begin at `next`.
  __device__ __forceinline__ void place(unsigned int next) {
    if (threadIdx.x < kBins) {
#pragma unroll
      for (unsigned int w = 0; w < kWarps; ++w) {
        const unsigned int count = at[w][threadIdx.x];
        at[w][threadIdx.x] = next;
        next += count;
      }
    }
    __syncthreads();
  }
  // Of the thread's warp; after place().
  __device__ __forceinline__ unsigned int first_of(unsigned int bin) const {
    return at[threadIdx.x / 32][bin];
  }

 private:
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
