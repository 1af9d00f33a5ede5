#pragma once
// Rows whose elements are parted by bins, in three stages: blocks count the bins of their chunks of
// rows; the counts of the chunks are added up; blocks bring the elements of their chunks to their
// places. Body as for maps (load()), with kItems elements per thread, bin(), kLargest,
// store_outputs(), and for each output Type, value() and place().
#include "kernel_ranks.cuh"

namespace cupola_device {

// In the scratch: for each bin of each row the counts of its chunks; then the bins' totals.
template <class Body>
CUPOLA_KERNEL_FN typename Body::Flat* bin_counts(const typename Body::Arguments& p) {
  return static_cast<typename Body::Flat*>(p.header.scratch);
}
template <class Body>
CUPOLA_KERNEL_FN typename Body::Flat* bin_totals(const typename Body::Arguments& p) {
  return bin_counts<Body>(p) + p.header.count * kBins * p.header.tiles;
}

// Where bins of a warp's elements differ in so few bits, only these are looked at.
constexpr int kFewBits = 3;

// The elements of a row that one block takes.
template <class Body>
struct RowChunk {
  using Flat = typename Body::Flat;
  Flat row, number, first, end;

  static __device__ RowChunk of_block(const typename Body::Arguments& p) {
    const Flat chunks = static_cast<Flat>(p.header.tiles), size = static_cast<Flat>(p.header.tile);
    const Flat length = static_cast<Flat>(p.header.length);
    const Flat block = block_x(p), row = block / chunks, number = block - row * chunks;
    const Flat first = number * size;
    return {row, number, first, length - first < size ? length : first + size};
  }
  __device__ Flat* count_of_bin(const typename Body::Arguments& p, unsigned int bin) const {
    const unsigned long long of_row = static_cast<unsigned long long>(row) * kBins + bin;
    return bin_counts<Body>(p) + of_row * p.header.tiles + number;
  }
};

template <class Body>
CUPOLA_KERNEL_FN void count_bins(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  constexpr int kItems = Body::kItems;
  __shared__ BinPlaces counts;
  counts.clear();
  const typename Body::Uniform uniform = Body::uniform(p);
  const RowChunk<Body> chunk = RowChunk<Body>::of_block(p);
  const Flat row = chunk.row * static_cast<Flat>(p.header.length);
  unsigned int* const of_warp = counts.at[threadIdx.x / 32];
#pragma unroll 1
  for (Flat first = chunk.first; first < chunk.end; first += kItems * blockDim.x) {
    typename Body::Element x[kItems];
#pragma unroll
    for (int u = 0; u < kItems; ++u) {
      const Flat r = first + u * blockDim.x + threadIdx.x;
      if (r < chunk.end) x[u] = Body::load(p, row + r);
    }
#pragma unroll
    for (int u = 0; u < kItems; ++u) {
      const Flat r = first + u * blockDim.x + threadIdx.x;
      const unsigned int bin = r < chunk.end ? Body::bin(p, uniform, x[u], row + r) : kBins;
      if (bin != kBins) atomicAdd(of_warp + bin, 1u);
    }
  }
  __syncthreads();
  Flat total = 0;
#pragma unroll
  for (unsigned int w = 0; w < kRankWarps; ++w) total += counts.at[w][threadIdx.x];
  *chunk.count_of_bin(p, threadIdx.x) = total;
}

// p.header.lanes threads to each bin of each row: what stands in its bin before each chunk.
template <class Body>
CUPOLA_KERNEL_FN void sum_bins(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  constexpr int kAtOnce = 8;  // per thread
  const unsigned int lanes = p.header.lanes, lane = threadIdx.x % lanes;
  const unsigned long long thread =
      static_cast<unsigned long long>(block_x(p)) * blockDim.x + threadIdx.x;
  const unsigned long long bin = thread / lanes;
  const Flat chunks = static_cast<Flat>(p.header.tiles);
  Flat* const counts = bin_counts<Body>(p) + bin * chunks;
  Flat before = 0;
#pragma unroll 1
  for (Flat first = 0; first < chunks; first += lanes * kAtOnce) {
    const Flat own = first + lane * kAtOnce;
    Flat sums[kAtOnce], sum = 0;
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) sums[j] = own + j < chunks ? counts[own + j] : 0;
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) {
      const Flat count = sums[j];
      sums[j] = sum;
      sum += count;
    }
    Flat through = sum;
    for (unsigned int distance = 1; distance < lanes; distance *= 2) {
      const Flat other = shuffle_up(through, static_cast<int>(distance), static_cast<int>(lanes));
      if (lane >= distance) through += other;
    }
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) {
      if (own + j < chunks) counts[own + j] = before + (through - sum) + sums[j];
    }
    before += shuffle_from(through, static_cast<int>(lanes) - 1, static_cast<int>(lanes));
  }
  if (lane == 0) bin_totals<Body>(p)[bin] = before;
}

// Elements of a tile, which are exchanged so that neighbours of one bin are stored together.
template <class Body>
struct PartedTile {
  using Flat = typename Body::Flat;
  static constexpr int kItems = Body::kItems;
  const typename Body::Arguments& p;
  const typename Body::Uniform& uniform;
  const typename Body::Element (&x)[kItems];
  const unsigned int (&places)[kItems];  // in the tile
  const unsigned char* bins;             // by places
  const Flat* begins;                    // of bins in the row, before place 0 of the tile
  unsigned char* exchanged;
  Flat row, first, length;  // of the thread's elements in the row; of the row
  unsigned int own, count;  // elements before the thread's first one in the tile; of the tile

  // What others write meanwhile may make numbers of elements wrong: nothing leads out of the row.
  template <class Output>
  __device__ __forceinline__ void store() const {
    using Type = typename Output::Type;
    Type* const values = reinterpret_cast<Type*>(exchanged);
    __syncthreads();
#pragma unroll
    for (int u = 0; u < kItems; ++u) {
      if (own + u * 32 < count) {
        values[places[u]] = Output::value(p, uniform, x[u], row + first + u * 32);
      }
    }
    __syncthreads();
    Type* const target = Output::place(p) + row;
#pragma unroll
    for (int u = 0; u < kItems; ++u) {
      const unsigned int place = u * blockDim.x + threadIdx.x;
      if (place >= count) continue;
      const Flat r = begins[bins[place]] + place;
      if (r < length) target[r] = values[place];
    }
  }
};

template <class Body>
CUPOLA_KERNEL_FN void part_rows(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  constexpr int kItems = Body::kItems;
  constexpr unsigned int kTile = kItems * 32 * kRankWarps;
  __shared__ __align__(16) unsigned char exchanged[kTile * Body::kLargest];
  __shared__ unsigned char bins[kTile];
  __shared__ BinPlaces ranks;
  __shared__ Flat begins[kBins], flat_sums[kRankWarps];
  __shared__ unsigned int sums[kRankWarps];
  const typename Body::Uniform uniform = Body::uniform(p);
  const RowChunk<Body> chunk = RowChunk<Body>::of_block(p);
  const Flat length = static_cast<Flat>(p.header.length), row = chunk.row * length;
  const Flat* const totals =
      bin_totals<Body>(p) + static_cast<unsigned long long>(chunk.row) * kBins;
  // Where the next element of bin number threadIdx.x goes.
  Flat next = sum_before(totals[threadIdx.x], flat_sums) + *chunk.count_of_bin(p, threadIdx.x);
  const unsigned int own = threadIdx.x / 32 * (32 * kItems) + threadIdx.x % 32;
#pragma unroll 1
  for (Flat tile = chunk.first; tile < chunk.end; tile += kTile) {
    const unsigned int count = static_cast<unsigned int>(smaller<Flat>(kTile, chunk.end - tile));
    ranks.clear();
    typename Body::Element x[kItems];
    unsigned int places[kItems];  // with the bin above them, then without
#pragma unroll
    for (int u = 0; u < kItems; ++u) {
      if (own + u * 32 < count) x[u] = Body::load(p, row + tile + own + u * 32);
    }
    unsigned int set_in_one = 0, set_in_all = kBins - 1;
#pragma unroll
    for (int u = 0; u < kItems; ++u) {
      const bool is_there = own + u * 32 < count;
      places[u] = is_there ? Body::bin(p, uniform, x[u], row + tile + own + u * 32) : kBins;
      if (is_there) set_in_one |= places[u], set_in_all &= places[u];
    }
    const unsigned int varying =
        __reduce_or_sync(0xFFFFFFFFu, set_in_one) & ~__reduce_and_sync(0xFFFFFFFFu, set_in_all);
    if (__popc(varying) <= kFewBits) {
#pragma unroll
      for (int u = 0; u < kItems; ++u) {
        const unsigned int bin = places[u], present = present_lanes(own + u * 32, count);
        places[u] = bin << 16 | ranks.rank(bin, present, varying);
      }
    } else {
#pragma unroll
      for (int u = 0; u < kItems; ++u) {
        const unsigned int bin = places[u];
        places[u] = bin << 16 | ranks.rank(bin, present_lanes(own + u * 32, count));
      }
    }
    unsigned int first;
    const unsigned int total = ranks.add_up(sums, first);
    begins[threadIdx.x] = next - first;
    next += total;
#pragma unroll
    for (int u = 0; u < kItems; ++u) {
      if (own + u * 32 >= count) continue;
      const unsigned int bin = places[u] >> 16;
      places[u] = (places[u] & 0xFFFF) + ranks.first_of(bin);
      bins[places[u]] = static_cast<unsigned char>(bin);
    }
    Body::store_outputs(PartedTile<Body>{p, uniform, x, places, bins, begins, exchanged, row,
                                         tile + own, length, own, count});
    __syncthreads();
  }
}

}  // namespace cupola_device
