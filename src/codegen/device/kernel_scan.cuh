#pragma once
// Running combination along each row, and combination of given segments of a row. Body as for
// reductions, and put(), which stores the prefix that ends at element r of a row.
#include "kernel_reduce.cuh"

namespace cupola_device {

// Strictly from the first element to the last: a thread to each row.
template <class Body>
CUPOLA_KERNEL_FN void scan_in_order(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const Flat kept = static_cast<Flat>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (kept >= p.header.count) return;
  const Flat length = static_cast<Flat>(p.header.length);
  const RowSource<Body, false> source = row_source<Body, false>(p, kept);
  typename Body::State state = source.at(0);
  Body::put(p, source.row, kept, 0, state);
  Flat r = 1;
  for (; r + 4 <= length; r += 4) {
    typename Body::State x[4];
    source.quad(r, x);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      state = Body::combine(state, x[j]);
      Body::put(p, source.row, kept, r + j, state);
    }
  }
  for (; r < length; ++r) {
    state = Body::combine(state, source.at(r));
    Body::put(p, source.row, kept, r, state);
  }
}

// Inclusive scan over the first `active` threads of a block of 256; `total` of all of them.
template <class Body>
CUPOLA_KERNEL_FN typename Body::State scan_block(typename Body::State state, unsigned int active,
                                                 typename Body::State& total) {
  using State = typename Body::State;
  __shared__ __align__(16) unsigned char bytes[8 * sizeof(State)];
  State* shared = reinterpret_cast<State*>(bytes);
  const unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (unsigned int distance = 1; distance < 32; distance *= 2) {
    const State other = shuffle_up(state, static_cast<int>(distance), 32);
    if (lane >= distance && threadIdx.x < active) state = Body::combine(other, state);
  }
  if (threadIdx.x < active && (lane == 31 || threadIdx.x == active - 1)) shared[warp] = state;
  __syncthreads();
  State before = shared[0];
  for (unsigned int w = 1; w < warp; ++w) {
    if (w * 32 < active) before = Body::combine(before, shared[w]);
  }
  if (warp > 0 && threadIdx.x < active) state = Body::combine(before, state);
  total = shared[0];
  for (unsigned int w = 1; w * 32 < active; ++w) total = Body::combine(total, shared[w]);
  __syncthreads();
  return state;
}

// Elements of a tile for each thread, and the place of an element in padded shared memory.
constexpr unsigned int kScanItems = 8;
constexpr unsigned int kScanTile = 256 * kScanItems;
CUPOLA_KERNEL_FN unsigned int scan_place(unsigned int i) { return i + i / kScanItems; }

// A tile of each row per block. Without Apply it leaves the tile's total in totals[kept][tile];
// with Apply it stores the prefixes, after combining them with what stands there for the tiles
// before (when the row has more than one).
template <class Body, bool Apply>
CUPOLA_KERNEL_FN void scan_tiles(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  using State = typename Body::State;
  __shared__ __align__(16) unsigned char bytes[(kScanTile + 256) * sizeof(State)];
  State* shared = reinterpret_cast<State*>(bytes);
  const Flat tiles = static_cast<Flat>(p.header.tiles);
  const Flat kept = static_cast<Flat>(blockIdx.x) / tiles;
  const Flat number = static_cast<Flat>(blockIdx.x) - kept * tiles;
  const Flat begin = number * kScanTile;
  const Flat left = static_cast<Flat>(p.header.length) - begin;
  const unsigned int items = left < kScanTile ? static_cast<unsigned int>(left) : kScanTile;
  const RowSource<Body, false> source = row_source<Body, false>(p, kept);
  if (items == kScanTile) {
#pragma unroll
    for (unsigned int k = 0; k < kScanItems; ++k) {
      const unsigned int i = k * 256 + threadIdx.x;
      shared[scan_place(i)] = source.at(begin + i);
    }
  } else {
    for (unsigned int i = threadIdx.x; i < items; i += 256) {
      shared[scan_place(i)] = source.at(begin + i);
    }
  }
  __syncthreads();
  const unsigned int first = threadIdx.x * kScanItems;
  const unsigned int mine = first < items ? smaller(items - first, kScanItems) : 0;
  State prefix[kScanItems];
#pragma unroll
  for (unsigned int j = 0; j < kScanItems; ++j) {
    if (j < mine) {
      prefix[j] = shared[scan_place(first + j)];
      if (j > 0) prefix[j] = Body::combine(prefix[j - 1], prefix[j]);
    }
  }
  State last = prefix[0];
#pragma unroll
  for (unsigned int j = 1; j < kScanItems; ++j) {
    if (j < mine) last = prefix[j];
  }
  const unsigned int active = (items + kScanItems - 1) / kScanItems;
  State total;
  const State inclusive = scan_block<Body>(last, active, total);
  State* totals = static_cast<State*>(p.header.scratch) + kept * p.header.tiles;
  if (!Apply) {
    if (threadIdx.x == 0) totals[number] = total;
    return;
  }
  // What stands before this thread: the tiles before, then the threads before.
  __shared__ __align__(16) unsigned char ends_bytes[256 * sizeof(State)];
  State* ends = reinterpret_cast<State*>(ends_bytes);
  ends[threadIdx.x] = inclusive;
  __syncthreads();
  bool has_before = threadIdx.x > 0;
  State before = has_before ? ends[threadIdx.x - 1] : inclusive;
  if (number > 0) {
    before = has_before ? Body::combine(totals[number - 1], before) : totals[number - 1];
    has_before = true;
  }
#pragma unroll
  for (unsigned int j = 0; j < kScanItems; ++j) {
    if (j < mine) {
      shared[scan_place(first + j)] = has_before ? Body::combine(before, prefix[j]) : prefix[j];
    }
  }
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < items; i += 256) {
    Body::put(p, source.row, kept, begin + i, shared[scan_place(i)]);
  }
}

// Turns the totals of each row into prefixes: a block to each row.
template <class Body>
CUPOLA_KERNEL_FN void scan_totals(const typename Body::Arguments& p) {
  using State = typename Body::State;
  const unsigned long long tiles = p.header.tiles;
  State* totals = static_cast<State*>(p.header.scratch) + blockIdx.x * tiles;
  State carry = totals[0];
  for (unsigned long long begin = 0; begin < tiles; begin += 256) {
    const unsigned int active = static_cast<unsigned int>(smaller(tiles - begin, 256ull));
    const unsigned long long i = begin + smaller(threadIdx.x, active - 1);
    State total;
    State state = scan_block<Body>(totals[i], active, total);
    if (begin > 0) state = Body::combine(carry, state);
    if (threadIdx.x < active) totals[i] = state;
    carry = begin > 0 ? Body::combine(carry, total) : total;
  }
}

// A warp to each segment of each row; Body::first() and Body::last() bound it. Segments without
// elements store nothing.
template <class Body>
CUPOLA_KERNEL_FN void reduce_segments(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const unsigned int lane = threadIdx.x % 32;
  const Flat number = static_cast<Flat>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
  if (number >= p.header.count) return;  // whole warps
  const Flat segments = static_cast<Flat>(p.header.length);
  const Flat kept = number / segments;
  const Flat begin = static_cast<Flat>(Body::first(p, number - kept * segments));
  const Flat end = static_cast<Flat>(Body::last(p, number - kept * segments));
  if (begin >= end) return;
  const RowSource<Body, false> source = row_source<Body, false>(p, kept);
  typename Body::State state = reduce_lane<Body>(source, begin, end, lane, 32);
  state = reduce_group<Body>(state, lane, active_lanes(end - begin, 32), 32);
  if (lane == 0) Body::finish(p, number, state);
}

// The same strictly in order: a thread to each segment.
template <class Body>
CUPOLA_KERNEL_FN void reduce_segments_in_order(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const Flat number = static_cast<Flat>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (number >= p.header.count) return;
  const Flat segments = static_cast<Flat>(p.header.length);
  const Flat kept = number / segments;
  const Flat begin = static_cast<Flat>(Body::first(p, number - kept * segments));
  const Flat end = static_cast<Flat>(Body::last(p, number - kept * segments));
  if (begin >= end) return;
  const RowSource<Body, false> source = row_source<Body, false>(p, kept);
  typename Body::State state = source.at(begin);
  for (Flat r = begin + 1; r < end; ++r) state = Body::combine(state, source.at(r));
  Body::finish(p, number, state);
}

}  // namespace cupola_device
