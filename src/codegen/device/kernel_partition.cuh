#pragma once
// Rows whose elements are parted by bins, in three stages: blocks count the bins of their chunks of
// rows; the counts of the chunks are added up; blocks bring the elements of their chunks to their
// places. Body as for maps (load()), with kItems elements per thread, kBinCount, bin(), kLargest,
// store_outputs(), and for each output Type, value() and place().
#include "kernel_ranks.cuh"

namespace cupola_device {

constexpr unsigned int kPartWarps = kPartThreads / 32;

// In the scratch: for each group of neighbouring chunks their counts, bin by bin; then the totals
// of each row's bins. Devices of a set that share it as they do the rows count near themselves.
template <class Body>
struct BinCounts {
  using Flat = typename Body::Flat;
  Flat* counts;
  unsigned long long groups;  // of a row
  unsigned int group;         // chunks

  explicit __device__ BinCounts(const typename Body::Arguments& p)
      : counts(static_cast<Flat*>(p.header.scratch)),
        groups((p.header.tiles + kChunkGroup - 1) / kChunkGroup),
        group(static_cast<unsigned int>(smaller<unsigned long long>(p.header.tiles, kChunkGroup))) {
  }
  // Of the chunks from number `chunk` on, a multiple of kChunkGroup.
  __device__ Flat* of_group(unsigned long long row, unsigned int bin, Flat chunk) const {
    return counts + ((row * groups + chunk / kChunkGroup) * Body::kBinCount + bin) * group;
  }
  __device__ Flat& of_chunk(unsigned long long row, unsigned int bin, Flat chunk) const {
    return of_group(row, bin, chunk)[chunk % kChunkGroup];
  }
  __device__ Flat* totals(const typename Body::Arguments& p, unsigned long long row) const {
    return counts + (p.header.count * groups * group + row) * Body::kBinCount;
  }
};

// Where bins of a warp's elements differ in so few bits, only these are looked at.
constexpr int kFewBits = 3;
// So few bins have long runs of neighbours in a tile. Warps store them from where lines of memory
// begin: what crosses lines takes a third more time on its way to another device of a set.
constexpr unsigned int kFewBins = 16, kLine = 32;

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
};

// Of `count` elements from number `first` on: the thread's, of which the first one is number `own`.
// Missing ones are the last one.
template <class Body, unsigned int kStep>
CUPOLA_KERNEL_FN void load_items(const typename Body::Arguments& p, typename Body::Flat first,
                                 unsigned int own, unsigned int count,
                                 typename Body::Element (&x)[Body::kItems]) {
  constexpr int kItems = Body::kItems;
  if (count == kItems * kPartThreads) {
#pragma unroll
    for (int u = 0; u < kItems; ++u) x[u] = Body::load(p, first + own, u * kStep);
    // Else the compiler joins the loads of both branches, and computes an address for each.
    asm volatile("" ::: "memory");
  } else {
#pragma unroll
    for (int u = 0; u < kItems; ++u) {
      x[u] = Body::load(p, first + smaller(own + u * kStep, count - 1));
    }
  }
}

template <class Body>
CUPOLA_KERNEL_FN void count_bins(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  constexpr int kItems = Body::kItems;
  constexpr unsigned int kTile = kItems * kPartThreads;
  __shared__ BinPlaces<kPartWarps> counts;
  counts.clear();
  const typename Body::Uniform uniform = Body::uniform(p);
  const RowChunk<Body> chunk = RowChunk<Body>::of_block(p);
  const Flat row = chunk.row * static_cast<Flat>(p.header.length);
  unsigned int* const of_warp = counts.at[threadIdx.x / 32];
#pragma unroll 1
  for (Flat begin = chunk.first; begin < chunk.end; begin += kTile) {
    const auto count = static_cast<unsigned int>(smaller<Flat>(kTile, chunk.end - begin));
    typename Body::Element x[kItems];
    load_items<Body, kPartThreads>(p, row + begin, threadIdx.x, count, x);
    const Flat first = row + begin + threadIdx.x;
#pragma unroll
    for (int u = 0; u < kItems; ++u) {
      if (count < kTile && threadIdx.x + u * kPartThreads >= count) continue;
      atomicAdd(of_warp + Body::bin(p, uniform, x[u], first + u * kPartThreads), 1u);
    }
  }
  const Flat total = counts.total();
  if (threadIdx.x < Body::kBinCount) {
    BinCounts<Body>(p).of_chunk(chunk.row, threadIdx.x, chunk.number) = total;
  }
}

// What the values of the thread and of those before it among `lanes` neighbours (a power of two: at
// most a warp, or the block) add up to; `all`: what all of theirs do.
template <class T>
CUPOLA_KERNEL_FN T sum_through(T value, unsigned int lanes, T (&sums)[kPartWarps], T& all) {
  const unsigned int width = smaller(lanes, 32u), lane = threadIdx.x % width;
  T sum = value;
  for (unsigned int distance = 1; distance < width; distance *= 2) {
    const T other = shuffle_up(sum, static_cast<int>(distance), static_cast<int>(width));
    if (lane >= distance) sum += other;
  }
  all = shuffle_from(sum, static_cast<int>(width) - 1, static_cast<int>(width));
  if (lanes <= 32) return sum;
  const unsigned int warp = threadIdx.x / 32;
  if (lane == 31) sums[warp] = sum;
  __syncthreads();
  all = 0;
#pragma unroll
  for (unsigned int w = 0; w < kPartWarps; ++w) {
    if (w < warp) sum += sums[w];
    all += sums[w];
  }
  __syncthreads();
  return sum;
}

// The counts of a whole group, which lie at a multiple of 16 bytes.
template <class Flat>
CUPOLA_KERNEL_FN void load_counts(const Flat* counts, Flat (&held)[kChunkGroup]) {
  constexpr int kWide = 16 / sizeof(Flat);
#pragma unroll
  for (unsigned int j = 0; j < kChunkGroup; j += kWide) {
    const auto wide = load_vector<kWide>(counts, j / kWide);
#pragma unroll
    for (int k = 0; k < kWide; ++k) held[j + k] = wide.at[k];
  }
}
template <class Flat>
CUPOLA_KERNEL_FN void store_counts(Flat* counts, const Flat (&held)[kChunkGroup]) {
  constexpr int kWide = 16 / sizeof(Flat);
#pragma unroll
  for (unsigned int j = 0; j < kChunkGroup; j += kWide) {
    Vector<Flat, kWide> wide;
#pragma unroll
    for (int k = 0; k < kWide; ++k) wide.at[k] = held[j + k];
    store_vector<kWide>(counts, j / kWide, wide);
  }
}

// p.header.lanes threads to each bin of each row: what stands in its bin before each chunk.
template <class Body>
CUPOLA_KERNEL_FN void sum_bins(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  __shared__ Flat of_warps[kPartWarps];
  const unsigned int lanes = p.header.lanes, lane = threadIdx.x % lanes;
  const unsigned long long thread =
      static_cast<unsigned long long>(block_x(p)) * blockDim.x + threadIdx.x;
  const unsigned long long bins = p.header.count * Body::kBinCount;
  const bool is_there = thread / lanes < bins;  // else: a bin that another thread sums, too
  const unsigned long long number = is_there ? thread / lanes : bins - 1;
  const unsigned long long row = number / Body::kBinCount;
  const auto bin = static_cast<unsigned int>(number % Body::kBinCount);
  const Flat chunks = static_cast<Flat>(p.header.tiles);
  const BinCounts<Body> all_counts(p);
  Flat before = 0;
#pragma unroll 1
  for (Flat first = 0; first < chunks; first += lanes * kChunkGroup) {
    const Flat own = first + lane * kChunkGroup;
    Flat* const counts = all_counts.of_group(row, bin, own);
    // In wide pieces: neighbouring threads have groups that lie far apart.
    const bool is_whole = own + kChunkGroup <= chunks;
    Flat sums[kChunkGroup], sum = 0;
    if (is_whole) {
      load_counts(counts, sums);
    } else {
#pragma unroll
      for (unsigned int j = 0; j < kChunkGroup; ++j) sums[j] = own + j < chunks ? counts[j] : 0;
    }
#pragma unroll
    for (unsigned int j = 0; j < kChunkGroup; ++j) {
      const Flat count = sums[j];
      sums[j] = sum;
      sum += count;
    }
    Flat all;
    const Flat through = sum_through(sum, lanes, of_warps, all);
#pragma unroll
    for (unsigned int j = 0; j < kChunkGroup; ++j) sums[j] += before + (through - sum);
    if (is_there && is_whole) {
      store_counts(counts, sums);
    } else if (is_there) {
#pragma unroll
      for (unsigned int j = 0; j < kChunkGroup; ++j) {
        if (own + j < chunks) counts[j] = sums[j];
      }
    }
    before += all;
  }
  if (is_there && lane == 0) all_counts.totals(p, row)[bin] = before;
}

// Where elements of a tile stand, in the order of their bins, when they are stored.
template <class Body>
struct PartedPlaces {
  static constexpr unsigned int kTile = Body::kItems * kPartThreads;
  static constexpr bool kByLines = Body::kBinCount <= kFewBins;
  // Gaps between bins, so that places are as far from lines' beginnings as what is stored.
  static constexpr unsigned int kPlaces = kTile + (kByLines ? kPartThreads : 0);
  static constexpr unsigned char kGap = 255;
  static_assert(kFewBins * kLine <= kPartThreads && kFewBins <= kGap);

  unsigned char bins[kPlaces];

  __device__ __forceinline__ void clear() {
    if constexpr (kByLines) {
#pragma unroll
      for (unsigned int i = 0; i < kPlaces; i += kPartThreads) bins[i + threadIdx.x] = kGap;
    }
  }
  // The first place of bin number threadIdx.x, before which `before` elements stand in the tile,
  // and whose elements go to `target` in the row.
  template <class Flat>
  static __device__ __forceinline__ unsigned int first_of_bin(unsigned int before, Flat target) {
    if constexpr (!kByLines) return before;
    const unsigned int first = before + threadIdx.x * kLine;
    return first + (static_cast<unsigned int>(target) - first) % kLine;
  }
  // Whether an element is there; `bin`: what bins[place] says.
  static __device__ __forceinline__ bool is_taken(unsigned int bin, unsigned int place,
                                                  unsigned int count) {
    return kByLines ? bin != kGap : place < count;
  }
};

// Elements of a tile, which are exchanged so that neighbours of one bin are stored together.
template <class Body>
struct PartedTile {
  using Flat = typename Body::Flat;
  using Places = PartedPlaces<Body>;
  static constexpr int kItems = Body::kItems;
  const typename Body::Arguments& p;
  const typename Body::Uniform& uniform;
  const typename Body::Element (&x)[kItems];
  const unsigned int (&places)[kItems];  // in the tile
  const Places& tile;
  const Flat* begins;  // of bins, before place 0 of the tile
  unsigned char* exchanged;
  Flat first;               // the thread's first element
  unsigned int own, count;  // elements before it in the tile; of the tile

  template <class Output>
  __device__ __forceinline__ void store() const {
    using Type = typename Output::Type;
    Type* const values = reinterpret_cast<Type*>(exchanged);
    __syncthreads();
#pragma unroll
    for (int u = 0; u < kItems; ++u) {
      if (own + u * 32 < count) {
        values[places[u]] = Output::value(p, uniform, x[u], first + u * 32);
      }
    }
    __syncthreads();
    Type* const target = Output::place(p);
    if (count == Places::kTile && !Places::kByLines) {
      store_places<true>(values, target);
    } else {
      store_places<false>(values, target);
    }
  }

 private:
  template <bool AllAreTaken, class Type>
  __device__ __forceinline__ void store_places(const Type* values, Type* target) const {
#pragma unroll
    for (unsigned int from = 0; from < Places::kPlaces; from += kPartThreads) {
      const unsigned int place = from + threadIdx.x, bin = tile.bins[place];
      if (AllAreTaken || Places::is_taken(bin, place, count)) {
        target[begins[bin] + place] = values[place];
      }
    }
  }
};

// From bins to bins above the numbers of elements among those of their bin and warp.
template <class Body>
CUPOLA_KERNEL_FN void rank_by_bins(unsigned int (&bins)[Body::kItems],
                                   BinPlaces<kPartWarps>& ranks) {
  constexpr int kItems = Body::kItems;
  unsigned int set_in_one = 0, set_in_all = kBins - 1;
#pragma unroll
  for (int u = 0; u < kItems; ++u) set_in_one |= bins[u], set_in_all &= bins[u];
  const unsigned int varying =
      __reduce_or_sync(0xFFFFFFFFu, set_in_one) & ~__reduce_and_sync(0xFFFFFFFFu, set_in_all);
  if (__popc(varying) <= kFewBits) {
    unsigned int bits[kFewBits], left = varying;
#pragma unroll
    for (int b = 0; b < kFewBits; ++b, left &= left - 1) bits[b] = left & (0 - left);
#pragma unroll
    for (int u = 0; u < kItems; ++u) bins[u] = bins[u] << 16 | ranks.rank(bins[u], bits);
  } else {
#pragma unroll
    for (int u = 0; u < kItems; ++u) bins[u] = bins[u] << 16 | ranks.rank(bins[u]);
  }
}

template <class Body>
CUPOLA_KERNEL_FN void part_rows(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  using Places = PartedPlaces<Body>;
  constexpr int kItems = Body::kItems;
  // First the ranks, then, one output after the other, the elements in their new order.
  union Shared {
    BinPlaces<kPartWarps> ranks;
    unsigned char exchanged[Places::kPlaces * Body::kLargest];
  };
  __shared__ __align__(16) Shared shared;
  __shared__ Places tile;
  __shared__ Flat begins[kBins], flat_sums[kBinWarps];
  __shared__ unsigned int sums[kBinWarps];
  const typename Body::Uniform uniform = Body::uniform(p);
  const RowChunk<Body> chunk = RowChunk<Body>::of_block(p);
  const Flat length = static_cast<Flat>(p.header.length), row = chunk.row * length;
  const BinCounts<Body> counts(p);
  const bool has_bin = threadIdx.x < Body::kBinCount;
  // Where the next element of bin number threadIdx.x goes.
  const Flat in_bin = has_bin ? counts.totals(p, chunk.row)[threadIdx.x] : 0;
  Flat next = sum_before(in_bin, flat_sums);
  if (has_bin) next += counts.of_chunk(chunk.row, threadIdx.x, chunk.number);
  const unsigned int own = threadIdx.x / 32 * (32 * kItems) + threadIdx.x % 32;
#pragma unroll 1
  for (Flat begin = chunk.first; begin < chunk.end; begin += Places::kTile) {
    const auto count = static_cast<unsigned int>(smaller<Flat>(Places::kTile, chunk.end - begin));
    const auto index = [&](int u) { return row + begin + smaller(own + u * 32, count - 1); };
    typename Body::Element x[kItems];
    load_items<Body, 32>(p, row + begin, own, count, x);
    tile.clear();
    shared.ranks.clear();
    unsigned int places[kItems];  // first bins, then bins above ranks
#pragma unroll
    for (int u = 0; u < kItems; ++u) places[u] = Body::bin(p, uniform, x[u], index(u));
    if (count < Places::kTile) {
#pragma unroll
      for (int u = 0; u < kItems; ++u) {
        if (own + u * 32 >= count) places[u] = Body::kBinCount - 1;
      }
    }
    rank_by_bins<Body>(places, shared.ranks);
    unsigned int total = shared.ranks.total();
    const unsigned int before = sum_before(total, sums);
    const unsigned int first = Places::first_of_bin(before, next);
    shared.ranks.place(first);
    if (threadIdx.x == Body::kBinCount - 1) total -= Places::kTile - count;  // missing ones
    // What others write meanwhile may make numbers of elements wrong: nothing leads out of the row.
    next = smaller<Flat>(next, length - total);
    if (threadIdx.x < kBins) begins[threadIdx.x] = row + next - first;
    next += total;
#pragma unroll
    for (int u = 0; u < kItems; ++u) {
      const unsigned int bin = places[u] >> 16;
      places[u] = (places[u] & 0xFFFF) + shared.ranks.first_of(bin);
      if (!Places::kByLines || own + u * 32 < count) {
        tile.bins[places[u]] = static_cast<unsigned char>(bin);
      }
    }
    Body::store_outputs(PartedTile<Body>{p, uniform, x, places, tile, begins, shared.exchanged,
                                         row + begin + own, own, count});
    __syncthreads();
  }
}

}  // namespace cupola_device
