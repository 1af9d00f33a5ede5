#pragma once
// Combines the elements of each row. The order of combination depends on the length of the row
// alone, never on the device: a row is cut into tiles, a tile is dealt to lanes in quads, each
// lane keeps one state per place in the quad, and the states meet in a tree.
//
// Body (generated) gives: Arguments, Flat, Row and row(), Uniform and uniform(), State, at(),
// quad(), combine(), append() (what combine() gives where the second state is of later elements)
// and finish().
#include "kernel_support.cuh"

namespace cupola_device {

// Where states come from: the elements of a row, or the states that an earlier kernel left.
// Packed: every row starts at a multiple of 16 bytes in the inputs that allow wide loads.
template <class Body, bool Packed>
struct RowSource {
  using Flat = typename Body::Flat;
  using State = typename Body::State;
  static constexpr int kUnroll = Body::kUnroll;
  const typename Body::Arguments& p;
  const typename Body::Uniform uniform;
  typename Body::Row row;
  Flat kept;
  __device__ State at(Flat r) const { return Body::at(p, uniform, row, kept, r); }
  __device__ void quad(Flat r, State (&state)[4]) const {
    Body::template quad<Packed>(p, uniform, row, kept, r, state);
  }
};

template <class Body>
struct StateSource {
  using Flat = typename Body::Flat;
  using State = typename Body::State;
  // Few blocks combine them: each thread has as many on the way as its registers hold.
  static constexpr int kHeld = 128 / static_cast<int>(sizeof(State));
  static constexpr int kUnroll = Body::kUnroll == 1 ? 1 : kHeld > 16 ? 16 : kHeld > 2 ? kHeld : 2;
  const State* states;
  __device__ State at(Flat r) const { return states[r]; }
  __device__ void quad(Flat r, State (&state)[4]) const {
#pragma unroll
    for (int j = 0; j < 4; ++j) state[j] = states[r + j];
  }
};

// What reduce_lane() does, for elements that take much code: it stands here as few times as can be.
template <class Body, class Source>
CUPOLA_KERNEL_FN typename Body::State reduce_lane_shortly(const Source& source,
                                                          typename Body::Flat begin,
                                                          typename Body::Flat end,
                                                          unsigned int lane, unsigned int lanes) {
  using Flat = typename Body::Flat;
  using State = typename Body::State;
  State acc[4];
  const Flat step = static_cast<Flat>(lanes) * 4;
  const Flat first = begin + static_cast<Flat>(lane) * 4;
  Flat r = first;
#pragma unroll 1
  for (; r + 4 <= end; r += step) {
    State x[4];
    source.quad(r, x);
#pragma unroll
    for (int j = 0; j < 4; ++j) acc[j] = r == first ? x[j] : Body::append(acc[j], x[j]);
  }
  const bool has_quads = r != first;
#pragma unroll 1
  for (Flat i = r; i < end; ++i) {
    const State x = source.at(i);
    if (!has_quads) {
      acc[0] = i == r ? x : Body::append(acc[0], x);
      continue;
    }
#pragma unroll
    for (int j = 0; j < 3; ++j) {  // unrolled: acc stays in registers
      if (i == r + j) acc[j] = Body::append(acc[j], x);
    }
  }
  if (!has_quads) return acc[0];
  return Body::combine(Body::combine(acc[0], acc[1]), Body::combine(acc[2], acc[3]));
}

// The same, for as many elements at a time as hide the latency of memory.
template <class Body, class Source>
CUPOLA_KERNEL_FN typename Body::State reduce_lane_widely(const Source& source,
                                                         typename Body::Flat begin,
                                                         typename Body::Flat end, unsigned int lane,
                                                         unsigned int lanes) {
  using Flat = typename Body::Flat;
  using State = typename Body::State;
  constexpr int kUnroll = Source::kUnroll;
  State acc[4];
  const Flat step = static_cast<Flat>(lanes) * 4;
  Flat r = begin + static_cast<Flat>(lane) * 4;
  if (r >= end) return acc[0];
  if (end - r < 4) {
    State state = source.at(r);
#pragma unroll 1
    for (Flat i = r + 1; i < end; ++i) state = Body::append(state, source.at(i));
    return state;
  }
  source.quad(r, acc);
  r += step;
#pragma unroll 1
  while (r + (kUnroll - 1) * step + 4 <= end) {
    State x[kUnroll][4];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) source.quad(r + u * step, x[u]);
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
#pragma unroll
      for (int j = 0; j < 4; ++j) acc[j] = Body::append(acc[j], x[u][j]);
    }
    r += kUnroll * step;
  }
#pragma unroll 1
  for (; r + 4 <= end; r += step) {
    State x[4];
    source.quad(r, x);
#pragma unroll
    for (int j = 0; j < 4; ++j) acc[j] = Body::append(acc[j], x[j]);
  }
#pragma unroll
  for (int j = 0; j < 3; ++j) {  // unrolled: acc stays in registers
    if (r + j < end) acc[j] = Body::append(acc[j], source.at(r + j));
  }
  return Body::combine(Body::combine(acc[0], acc[1]), Body::combine(acc[2], acc[3]));
}

// One lane's share of elements [begin, end). Valid for lanes below active_lanes().
template <class Body, class Source>
CUPOLA_KERNEL_FN typename Body::State reduce_lane(const Source& source, typename Body::Flat begin,
                                                  typename Body::Flat end, unsigned int lane,
                                                  unsigned int lanes) {
  if constexpr (Source::kUnroll == 1) {
    return reduce_lane_shortly<Body>(source, begin, end, lane, lanes);
  } else {
    return reduce_lane_widely<Body>(source, begin, end, lane, lanes);
  }
}

template <class Flat>
CUPOLA_KERNEL_FN unsigned int active_lanes(Flat elements, unsigned int lanes) {
  const Flat quads = (elements + 3) / 4;
  return quads < lanes ? static_cast<unsigned int>(quads) : lanes;
}

// All lanes of the warp must come here. The result is in lane 0 of each group of `width`.
template <class Body>
CUPOLA_KERNEL_FN typename Body::State reduce_group(typename Body::State state, unsigned int lane,
                                                   unsigned int active, unsigned int width) {
#pragma unroll 1
  for (unsigned int distance = width / 2; distance > 0; distance /= 2) {
    const typename Body::State other = shuffle_down(state, distance, width);
    if (lane + distance < active && lane < distance) state = Body::combine(state, other);
  }
  return state;
}

// All 256 threads of the block must come here. The result is in thread 0.
template <class Body, class Source>
CUPOLA_KERNEL_FN typename Body::State reduce_block(const Source& source, typename Body::Flat begin,
                                                   typename Body::Flat end) {
  using State = typename Body::State;
  __shared__ __align__(16) unsigned char bytes[8 * sizeof(State)];
  State* shared = reinterpret_cast<State*>(bytes);
  const unsigned int active = active_lanes(end - begin, 256);
  const unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  State state = reduce_lane<Body>(source, begin, end, threadIdx.x, 256);
  const unsigned int below = warp * 32;
  const unsigned int in_warp = active > below ? smaller(active - below, 32u) : 0;
  state = reduce_group<Body>(state, lane, in_warp, 32);
  if (lane == 0) shared[warp] = state;
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned int warps = (active + 31) / 32;
#pragma unroll 1
    for (unsigned int w = 1; w < warps; ++w) state = Body::combine(state, shared[w]);
  }
  return state;
}

template <class Body, bool Packed>
CUPOLA_KERNEL_FN RowSource<Body, Packed> row_source(const typename Body::Arguments& p,
                                                    typename Body::Flat kept) {
  return RowSource<Body, Packed>{p, Body::uniform(p), Body::row(p, kept), kept};
}

// Short rows: `lanes` (a power of two, at most 32) threads to each.
template <class Body, bool Packed>
CUPOLA_KERNEL_FN void reduce_short_rows(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const unsigned int lanes = p.header.lanes;
  const unsigned int lane = threadIdx.x & (lanes - 1);
  const Flat count = static_cast<Flat>(p.header.count);
  const Flat length = static_cast<Flat>(p.header.length);
  const Flat kept = static_cast<Flat>(block_x(p)) * (blockDim.x / lanes) + threadIdx.x / lanes;
  const bool inside = kept < count;
  const RowSource<Body, Packed> source = row_source<Body, Packed>(p, inside ? kept : 0);
  typename Body::State state =
      reduce_lane<Body>(source, static_cast<Flat>(0), inside ? length : 0, lane, lanes);
  state = reduce_group<Body>(state, lane, active_lanes(length, lanes), lanes);
  if (inside && lane == 0) Body::finish(p, kept, state);
}

// A block to each row.
template <class Body, bool Packed>
CUPOLA_KERNEL_FN void reduce_rows(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const Flat kept = block_x(p);
  const RowSource<Body, Packed> source = row_source<Body, Packed>(p, kept);
  const typename Body::State state =
      reduce_block<Body>(source, static_cast<Flat>(0), static_cast<Flat>(p.header.length));
  if (threadIdx.x == 0) Body::finish(p, kept, state);
}

// A block to each tile of each row; leaves states[kept][tile].
template <class Body, bool Packed>
CUPOLA_KERNEL_FN void reduce_tiles(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const Flat tiles = static_cast<Flat>(p.header.tiles), tile = static_cast<Flat>(p.header.tile);
  const Flat kept = static_cast<Flat>(block_x(p)) / tiles;
  const Flat number = static_cast<Flat>(block_x(p)) - kept * tiles;
  const Flat begin = number * tile;
  const Flat end = smaller(begin + tile, static_cast<Flat>(p.header.length));
  const RowSource<Body, Packed> source = row_source<Body, Packed>(p, kept);
  const typename Body::State state = reduce_block<Body>(source, begin, end);
  if (threadIdx.x == 0) {
    static_cast<typename Body::State*>(p.header.scratch)[block_x(p)] = state;
  }
}

// After reduce_tiles: a block to each row.
template <class Body>
CUPOLA_KERNEL_FN void reduce_tile_states(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const Flat kept = block_x(p);
  const auto* states = static_cast<const typename Body::State*>(p.header.scratch);
  const StateSource<Body> source{states + static_cast<unsigned long long>(kept) * p.header.tiles};
  const typename Body::State state =
      reduce_block<Body>(source, static_cast<Flat>(0), static_cast<Flat>(p.header.tiles));
  if (threadIdx.x == 0) Body::finish(p, kept, state);
}

constexpr unsigned int kColumns = 64;
constexpr unsigned int kColumnParts = 256 / kColumns;

// Where neighbours in memory belong to different rows: 64 rows by 4 parts to a block of 256; the
// rows are cut into tiles as above. Leaves states[tile][kept], or the result of a single tile.
template <class Body>
CUPOLA_KERNEL_FN void reduce_columns(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  using State = typename Body::State;
  __shared__ __align__(16) unsigned char bytes[256 * sizeof(State)];
  State* shared = reinterpret_cast<State*>(bytes);
  const Flat count = static_cast<Flat>(p.header.count), tile = static_cast<Flat>(p.header.tile);
  const unsigned int x = threadIdx.x % kColumns, y = threadIdx.x / kColumns;
  const Flat kept = static_cast<Flat>(block_x(p)) * kColumns + x;
  const Flat begin = static_cast<Flat>(block_y(p)) * tile;
  const Flat end = smaller(begin + tile, static_cast<Flat>(p.header.length));
  const bool inside = kept < count;
  if (inside && begin + y < end) {
    const RowSource<Body, false> source = row_source<Body, false>(p, kept);
    State state = source.at(begin + y);
    Flat r = begin + y + kColumnParts;
#pragma unroll 1
    for (; r + 7 * kColumnParts < end; r += 8 * kColumnParts) {
      State next[8];
#pragma unroll
      for (int u = 0; u < 8; ++u) next[u] = source.at(r + u * kColumnParts);
#pragma unroll
      for (int u = 0; u < 8; ++u) state = Body::append(state, next[u]);
    }
#pragma unroll 1
    for (; r < end; r += kColumnParts) state = Body::append(state, source.at(r));
    shared[threadIdx.x] = state;
  }
  __syncthreads();
  if (!inside || y != 0) return;
  State state = shared[x];
  const unsigned int parts = static_cast<unsigned int>(smaller(end - begin, Flat(kColumnParts)));
#pragma unroll 1
  for (unsigned int part = 1; part < parts; ++part) {
    state = Body::combine(state, shared[part * kColumns + x]);
  }
  if (p.header.tiles == 1) {
    Body::finish(p, kept, state);
  } else {
    static_cast<State*>(p.header.scratch)[block_y(p) * p.header.count + kept] = state;
  }
}

// After reduce_columns: a thread to each row.
template <class Body>
CUPOLA_KERNEL_FN void reduce_column_states(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const Flat kept = static_cast<Flat>(block_x(p)) * blockDim.x + threadIdx.x;
  if (kept >= p.header.count) return;
  const auto* states = static_cast<const typename Body::State*>(p.header.scratch) + kept;
  typename Body::State state = states[0];
  for (unsigned long long tile = 1; tile < p.header.tiles; ++tile) {
    state = Body::combine(state, states[tile * p.header.count]);
  }
  Body::finish(p, kept, state);
}

// Strictly from the first element to the last: a thread to each row.
template <class Body>
CUPOLA_KERNEL_FN void reduce_in_order(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const Flat kept = static_cast<Flat>(block_x(p)) * blockDim.x + threadIdx.x;
  if (kept >= p.header.count) return;
  const RowSource<Body, false> source = row_source<Body, false>(p, kept);
  typename Body::State state = source.at(0);
  for (Flat r = 1; r < p.header.length; ++r) state = Body::append(state, source.at(r));
  Body::finish(p, kept, state);
}

// The position of the first best value; the first NaN is best of all.
template <class T, class Position>
struct Candidate {
  T value;
  Position position;
};
template <class Order, class State>
CUPOLA_KERNEL_FN State better(const State& a, const State& b) {
  const bool a_first = a.position < b.position;
  const bool a_nan = Order::is_nan(a.value), b_nan = Order::is_nan(b.value);
  if (a_nan || b_nan) return a_nan && (!b_nan || a_first) ? a : b;
  if (Order::before(a.value, b.value)) return a;
  if (Order::before(b.value, a.value)) return b;
  return a_first ? a : b;
}
// The same where b's position is the later one.
template <class Order, class State>
CUPOLA_KERNEL_FN State better_later(const State& a, const State& b) {
  const bool b_wins = Order::is_nan(b.value) || Order::before(b.value, a.value);
  return b_wins && !Order::is_nan(a.value) ? b : a;
}

}  // namespace cupola_device
