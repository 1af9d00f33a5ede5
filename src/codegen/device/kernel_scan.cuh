#pragma once
// Running combination along each row, and combination of given segments of a row. Body as for
// reductions, and put(), which stores the prefix that ends at element r of a row.
#include "kernel_reduce.cuh"

namespace cupola_device {

// Strictly from the first element to the last: a thread to each row.
template <class Body>
CUPOLA_KERNEL_FN void scan_in_order(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const Flat kept = static_cast<Flat>(block_x(p)) * blockDim.x + threadIdx.x;
  if (kept >= p.header.count) return;
  const Flat length = static_cast<Flat>(p.header.length);
  const RowSource<Body, false> source = row_source<Body, false>(p, kept);
  typename Body::State state = source.at(0);
  Body::put(p, source.row, kept, 0, state);
  Flat r = 1;
  constexpr int kAhead = Body::kUnroll;  // quads whose loads overlap
#pragma unroll 1
  for (; r + 4 * kAhead <= length; r += 4 * kAhead) {
    typename Body::State x[kAhead][4];
#pragma unroll
    for (int q = 0; q < kAhead; ++q) source.quad(r + 4 * q, x[q]);
#pragma unroll
    for (int i = 0; i < 4 * kAhead; ++i) {
      state = Body::combine(state, x[i / 4][i % 4]);
      Body::put(p, source.row, kept, r + i, state);
    }
  }
#pragma unroll 1
  for (; r < length; ++r) {
    state = Body::combine(state, source.at(r));
    Body::put(p, source.row, kept, r, state);
  }
}

// A value in memory that other blocks wait for: each word says itself whether it is there, so that
// neither side needs a fence. Memory is zero at first.
template <class T>
struct Published {
  static constexpr int kWords = static_cast<int>((sizeof(T) + 3) / 4);
  using Place = volatile unsigned long long*;

  static __device__ void put(Place place, const T& value) {
    Words<T> words;
    words.word[kWords - 1] = 0;
    words.value = value;
#pragma unroll
    for (int i = 0; i < kWords; ++i) place[i] = 1ull << 32 | words.word[i];
  }
  // Has a look; get() waits for what was not there.
  __device__ void look(Place place) {
#pragma unroll
    for (int i = 0; i < kWords; ++i) seen[i] = place[i];
  }
  __device__ T get(Place place) const {
    Words<T> words;
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      unsigned long long word = seen[i];
      while (word >> 32 == 0) word = place[i];
      words.word[i] = static_cast<unsigned int>(word);
    }
    return words.value;
  }

  unsigned long long seen[kWords];
};

// What the tiles of a row have published, each: its own combination; the last of a group: the
// group's; the last of a group of groups: that of the row so far. So what stands before a tile is
// combined in one and the same way, whoever comes first.
template <class Body>
struct ScanRow {
  using State = typename Body::State;
  using Word = Published<State>;
  using Place = typename Word::Place;
  Place tiles, groups, supers;

  static __device__ ScanRow at(const typename Body::Arguments& p, unsigned long long kept) {
    const unsigned long long of_tiles = p.header.tiles;
    const unsigned long long of_groups = (of_tiles + kScanGroup - 1) / kScanGroup;
    const unsigned long long of_supers = (of_groups + kScanGroup - 1) / kScanGroup;
    const unsigned long long tickets = (p.header.count + kScanTickets - 1) / kScanTickets * 2;
    Place row = static_cast<Place>(p.header.scratch) + tickets +
                kept * (of_tiles + of_groups + of_supers) * Word::kWords;
    return {row, row + of_tiles * Word::kWords, row + (of_tiles + of_groups) * Word::kWords};
  }
  // Publishes what tile `number` combines to, and combines what stands before it, of which there
  // is nothing for tile 0. Of a whole warp; `own` and the result are lane 0's.
  __device__ State before(unsigned long long number, State own) const {
    const unsigned int lane = threadIdx.x % 32;
    const unsigned int tile = static_cast<unsigned int>(number % kScanGroup);
    const unsigned int group = static_cast<unsigned int>(number / kScanGroup % kScanGroup);
    const unsigned long long super = number / (kScanGroup * kScanGroup);
    if (lane == 0) Word::put(tiles + number * Word::kWords, own);
    const Place near = tiles + (number - tile + lane) * Word::kWords;
    const Place middle = groups + (number / kScanGroup - group + lane) * Word::kWords;
    const Place far = supers + (super - 1) * Word::kWords;
    Word of_near, of_middle, of_far;
    if (lane < tile) of_near.look(near);
    if (lane < group) of_middle.look(middle);
    if (lane == 0 && super > 0) of_far.look(far);
    State state, state_of_groups;
    if (lane < tile) state = of_near.get(near);
    state = reduce_group<Body>(state, lane, tile, 32);
    const State with_own = tile > 0 ? Body::combine(state, own) : own;
    const bool ends_group = tile == kScanGroup - 1;
    if (ends_group && lane == 0) {
      Word::put(groups + number / kScanGroup * Word::kWords, with_own);
    }
    if (lane < group) state_of_groups = of_middle.get(middle);
    state_of_groups = reduce_group<Body>(state_of_groups, lane, group, 32);
    State of_row;
    if (lane == 0 && super > 0) of_row = of_far.get(far);
    if (ends_group && group == kScanGroup - 1 && lane == 0) {
      const State total = Body::combine(state_of_groups, with_own);
      Word::put(supers + super * Word::kWords, super > 0 ? Body::combine(of_row, total) : total);
    }
    if (group > 0) state = tile > 0 ? Body::combine(state_of_groups, state) : state_of_groups;
    if (super > 0) state = tile > 0 || group > 0 ? Body::combine(of_row, state) : of_row;
    return state;
  }
};

// How a block of 256 threads holds a tile: a warp has neighbouring elements, a quad of each thread
// behind the other.
template <class State>
struct ScanShape {
  static constexpr unsigned int kTile = kScanBytes / (sizeof(State) < 4 ? 4 : sizeof(State));
  static constexpr unsigned int kWarpPart = kTile / 8;
  static constexpr int kQuads = static_cast<int>(kWarpPart / 128);  // of a thread
};
template <class State>
using ScanQuads = State[ScanShape<State>::kQuads][4];

// Makes the elements the prefixes of the warp's part of a tile. Gives the combination of the part.
// The quads' sums go through the warp side by side: one would wait for the other's.
template <class Body>
CUPOLA_KERNEL_FN typename Body::State scan_warp(ScanQuads<typename Body::State>& x) {
  using State = typename Body::State;
  constexpr int kQuads = ScanShape<State>::kQuads;
  const unsigned int lane = threadIdx.x % 32;
  State sums[kQuads];
#pragma unroll
  for (int q = 0; q < kQuads; ++q) {
#pragma unroll
    for (int j = 1; j < 4; ++j) x[q][j] = Body::combine(x[q][j - 1], x[q][j]);
    sums[q] = x[q][3];
  }
#pragma unroll
  for (unsigned int distance = 1; distance < 32; distance *= 2) {
#pragma unroll
    for (int q = 0; q < kQuads; ++q) {
      const State other = shuffle_up(sums[q], static_cast<int>(distance), 32);
      if (lane >= distance) sums[q] = Body::combine(other, sums[q]);
    }
  }
  State carry;
#pragma unroll
  for (int q = 0; q < kQuads; ++q) {
    State lower = shuffle_up(sums[q], 1, 32);
    const State total = shuffle_from(sums[q], 31, 32);
    if (q > 0) lower = lane > 0 ? Body::combine(carry, lower) : carry;
    carry = q > 0 ? Body::combine(carry, total) : total;
    if (q > 0 || lane > 0) {
#pragma unroll
      for (int j = 0; j < 4; ++j) x[q][j] = Body::combine(lower, x[q][j]);
    }
  }
  return carry;
}

// The thread's quads of a whole tile.
template <class Source, class Flat, class State, int Quads>
CUPOLA_KERNEL_FN void load_whole(const Source& source, Flat first, State (&x)[Quads][4]) {
#pragma unroll
  for (int q = 0; q < Quads; ++q) source.quad(first + q * 128, x[q]);
}
template <class Source, class Flat, class State, int Quads>
CUPOLA_KERNEL_FN void load_part(const Source& source, Flat first, Flat last, State (&x)[Quads][4]) {
#pragma unroll
  for (int i = 0; i < 4 * Quads; ++i) {
    x[i / 4][i % 4] = source.at(smaller<Flat>(first + i / 4 * 128 + i % 4, last));
  }
}
// The same for elements that take much code: it stands here once. x stays in registers.
template <class Source, class Flat, class State, int Quads>
CUPOLA_KERNEL_FN void load_shortly(const Source& source, Flat first, Flat last,
                                   State (&x)[Quads][4]) {
#pragma unroll 1
  for (int now = 0; now < 4 * Quads; ++now) {
    const State one = source.at(smaller<Flat>(first + now / 4 * 128 + now % 4, last));
#pragma unroll
    for (int i = 0; i < 4 * Quads; ++i) {
      if (i == now) x[i / 4][i % 4] = one;
    }
  }
}

template <class Body, bool Packed>
CUPOLA_KERNEL_FN void put_prefixes(const typename Body::Arguments& p,
                                   const RowSource<Body, Packed>& source, typename Body::Flat r,
                                   typename Body::Flat length, bool whole,
                                   const typename Body::State (&states)[4]) {
  if (whole) return Body::template put_quad<Packed>(p, source.row, source.kept, r, states);
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    if (r + j < length) Body::put(p, source.row, source.kept, r + j, states[j]);
  }
}

// A tile of a row per block, in the order in which blocks of the row begin: those that are waited
// for have begun. Elements after the end of a row are stood for by its last one: nothing depends on
// them.
template <class Body, bool Packed>
CUPOLA_KERNEL_FN void scan_tiles(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  using State = typename Body::State;
  using Shape = ScanShape<State>;
  __shared__ __align__(16) unsigned char bytes[9 * sizeof(State)];
  __shared__ unsigned int ticket;
  State* const of_warps = reinterpret_cast<State*>(bytes);
  const unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const Flat tiles = static_cast<Flat>(p.header.tiles);
  const Flat length = static_cast<Flat>(p.header.length);
  const Flat block = block_x(p), kept = block / tiles;
  Flat number = block - kept * tiles;
  if (tiles > 1) {
    if (threadIdx.x == 0) {
      ticket = atomicAdd(static_cast<unsigned int*>(p.header.scratch) + kept, 1u);
    }
    __syncthreads();
    number = ticket;
  }
  const RowSource<Body, Packed> source = row_source<Body, Packed>(p, kept);
  const bool whole = (number + 1) * Shape::kTile <= length;
  const Flat first = number * Shape::kTile + warp * Shape::kWarpPart + lane * 4;
  ScanQuads<State> x;
  if constexpr (Body::kUnroll == 1) {
    load_shortly(source, first, length - 1, x);
  } else if (whole) {
    load_whole(source, first, x);
  } else if (first - lane * 4 < length) {  // whole warps
    load_part(source, first, length - 1, x);
  }
  const State total = scan_warp<Body>(x);
  if (lane == 0) of_warps[warp] = total;
  __syncthreads();
  State before = of_warps[0];
#pragma unroll 1
  for (unsigned int w = 1; w < warp; ++w) before = Body::combine(before, of_warps[w]);
  if (tiles > 1) {
    if (warp == 0) {
      State own = of_warps[0];
#pragma unroll 1
      for (unsigned int w = 1; w < 8; ++w) own = Body::combine(own, of_warps[w]);
      const State found = ScanRow<Body>::at(p, kept).before(number, own);
      if (lane == 0) of_warps[8] = found;
    }
    __syncthreads();
    if (number > 0) before = warp > 0 ? Body::combine(of_warps[8], before) : of_warps[8];
  }
  const bool has_before = warp > 0 || number > 0;
#pragma unroll
  for (int q = 0; q < Shape::kQuads; ++q) {
    if (has_before) {
#pragma unroll
      for (int j = 0; j < 4; ++j) x[q][j] = Body::combine(before, x[q][j]);
    }
    put_prefixes<Body, Packed>(p, source, first + q * 128, length, whole, x[q]);
  }
}

// A warp to each segment of each row; Body::first() and Body::last() bound it. Segments without
// elements store nothing.
template <class Body>
CUPOLA_KERNEL_FN void reduce_segments(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const unsigned int lane = threadIdx.x % 32;
  const Flat number = static_cast<Flat>(block_x(p)) * (blockDim.x / 32) + threadIdx.x / 32;
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
  const Flat number = static_cast<Flat>(block_x(p)) * blockDim.x + threadIdx.x;
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
