#pragma once
// Computations row by row: walks over the elements of a row, each of which combines some of their
// values, and one that stores. Elements are dealt to threads, and states meet, as in
// kernel_reduce.cuh, so that each combination gives the same bits as a reduction by itself.
//
// Body (generated) gives: Arguments, Flat, Row and row(), Uniform and uniform(), Element, Values
// (one of each for a row), Held (what stays of an element between walks), and run(), which calls
// combine() of a walk for each Stage, and put().
#include "kernel_reduce.cuh"

namespace cupola_device {

// Where a row begins at any address, neighbouring threads read and write neighbouring elements: of
// the 4 * width elements in the quads of `width` lanes, a lane takes its number and every width-th
// after it. Through this memory they come to the lanes that have them in their quads, and back.
// One memory for all types of a size: a plan of many types stays below a block's 48 KiB.
template <int Bytes>
CUPOLA_KERNEL_FN unsigned char* exchange_memory() {
  __shared__ __align__(16) unsigned char bytes[256 * 4 * Bytes];
  return bytes;
}
template <class T>
CUPOLA_KERNEL_FN T* exchange_of_lanes(unsigned int width) {
  T* const shared = reinterpret_cast<T*>(exchange_memory<static_cast<int>(sizeof(T))>());
  return shared + (threadIdx.x & ~(width - 1)) * 4;
}
// All lanes of the warp must come to both. `field` of x: as read, then the lane's quad.
template <class Values, class T>
CUPOLA_KERNEL_FN void gather_quad(Values (&x)[4], T Values::*field, unsigned int width) {
  T* const shared = exchange_of_lanes<T>(width);
  const unsigned int lane = threadIdx.x & (width - 1);
#pragma unroll
  for (int j = 0; j < 4; ++j) shared[lane + j * width] = x[j].*field;
  __syncwarp();
  const auto four = load_vector<4>(shared, lane);
  __syncwarp();
#pragma unroll
  for (int j = 0; j < 4; ++j) x[j].*field = four.at[j];
}
// The lane's quad, then as it is written.
template <class Values, class T>
CUPOLA_KERNEL_FN void spread_quad(Values (&x)[4], T Values::*field, unsigned int width) {
  T* const shared = exchange_of_lanes<T>(width);
  const unsigned int lane = threadIdx.x & (width - 1);
  Vector<T, 4> four;
#pragma unroll
  for (int j = 0; j < 4; ++j) four.at[j] = x[j].*field;
  store_vector<4>(shared, lane, four);
  __syncwarp();
#pragma unroll
  for (int j = 0; j < 4; ++j) x[j].*field = shared[lane + j * width];
  __syncwarp();
}

// The threads that share a row, `in_warp` of them in each warp; `fewest(n)` of n quads are there in
// any row for which a kernel that holds n is chosen. join(): all threads come here and get the
// result. Each has a first quad of the row, so that none is left out: the lanes whose states no
// longer count combine them all the same.
struct LanesOfWarp {
  unsigned int lane, lanes;
  static constexpr bool kHasWholeQuads = false;
  __device__ unsigned int in_warp() const { return lanes; }
  static constexpr __device__ int fewest(int quads) { return quads == 4 ? 1 : quads / 2 + 1; }
  template <class Stage>
  __device__ typename Stage::State join(typename Stage::State state) const {
#pragma unroll 1
    for (unsigned int distance = lanes / 2; distance > 0; distance /= 2) {
      state = Stage::combine(state, shuffle_down(state, distance, lanes));
    }
    return shuffle_from(state, 0, static_cast<int>(lanes));
  }
};

struct LanesOfBlock {
  unsigned int lane;
  static constexpr unsigned int lanes = 256;
  static constexpr bool kHasWholeQuads = true;  // each lane's first
  __device__ unsigned int in_warp() const { return 32; }
  static constexpr __device__ int fewest(int quads) { return quads / 2 + 1; }
  template <class Stage>
  __device__ typename Stage::State join(typename Stage::State state) const {
    using State = typename Stage::State;
    __shared__ __align__(16) unsigned char bytes[8 * sizeof(State)];  // of each stage its own
    State* shared = reinterpret_cast<State*>(bytes);
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
      state = Stage::combine(state, shuffle_down(state, distance, 32));
    }
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = state;
    __syncthreads();
    State all[8];
#pragma unroll
    for (int w = 0; w < 8; ++w) all[w] = shared[w];
#pragma unroll
    for (int w = 1; w < 8; ++w) all[0] = Stage::combine(all[0], all[w]);
    return all[0];
  }
};

// The states of the places in a lane's quads; `first` elements in the first of them.
template <class Stage, class Flat>
CUPOLA_KERNEL_FN typename Stage::State fold_places(const typename Stage::State (&acc)[4],
                                                   Flat first) {
  if (first >= 4) {
    return Stage::combine(Stage::combine(acc[0], acc[1]), Stage::combine(acc[2], acc[3]));
  }
  typename Stage::State state = acc[0];
  if (first > 1) state = Stage::combine(state, acc[1]);
  if (first > 2) state = Stage::combine(state, acc[2]);
  return state;
}

// Packed: the length is a multiple of 4, and every row starts at a multiple of 16 bytes in the
// operands that allow wide accesses.
template <class Body, class Lanes, bool Packed>
struct RowWalk {
  using Flat = typename Body::Flat;
  using Element = typename Body::Element;
  const typename Body::Arguments& p;
  const typename Body::Uniform uniform;
  const typename Body::Row row;
  const Flat kept, length;
  const Lanes lanes;
  const bool inside;  // else another walks this row, too, and stores

  __device__ RowWalk(const typename Body::Arguments& arguments, Flat number, const Lanes& shared)
      : p(arguments),
        uniform(Body::uniform(arguments)),
        row(Body::row(arguments, number < arguments.header.count ? number : 0)),
        kept(number < arguments.header.count ? number : 0),
        length(static_cast<Flat>(arguments.header.length)),
        lanes(shared),
        inside(number < arguments.header.count) {}

  __device__ bool stores_row() const { return inside && lanes.lane == 0; }
  // Combines the states of all lanes' places.
  template <class Stage>
  __device__ typename Stage::State join(const typename Stage::State (&acc)[4]) const {
    // Only a row of fewer than 4 elements has no whole quad for each lane.
    const Flat first = Packed || Lanes::kHasWholeQuads ? 4 : length;
    return lanes.template join<Stage>(fold_places<Stage>(acc, first));
  }

  // Element j that the lane reads and writes of those in the quads from `begin` on.
  __device__ Flat apart(Flat begin, int j) const {
    const unsigned int width = lanes.in_warp(), lane = lanes.lane & (width - 1);
    return begin + (lanes.lane - lane) * 4 + lane + j * width;
  }

  // Whether the lane's quad of those from `begin` on has an element j.
  __device__ bool has(Flat begin, int j) const {
    return begin + lanes.lane * 4 + (Packed ? 0 : j) < length;
  }

  // The lane's quad of those from `begin` on; not Packed: once it went through gather(). Without
  // branches, so that several are on their way at one time: what is not there is the row's front.
  template <class Loads>
  __device__ void load(Flat begin, Element (&x)[4]) const {
    const Flat row_begin = kept * length;
    if constexpr (Packed) {
      const Flat r = begin + lanes.lane * 4, at = r < length ? r : 0;
      Loads::quad(p, row, row_begin + at, at, x);
    } else {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const Flat r = apart(begin, j), at = r < length ? r : 0;
        Loads::one(p, row, row_begin + at, at, x[j]);
      }
    }
  }

  template <class Last>
  __device__ void store(Flat begin, typename Body::Out (&out)[4]) const {
    const Flat row_begin = kept * length;
    if constexpr (Packed) {
      const Flat r = begin + lanes.lane * 4;
      if (inside && r < length) Last::put(p, row, out, row_begin + r, r);
    } else {
      Last::spread(out, lanes.in_warp());
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const Flat r = apart(begin, j);
        if (inside && r < length) Last::put_one(p, row, out[j], row_begin + r, r);
      }
    }
  }
};

// Every thread holds what it has of a row: at most `Quads` quads.
template <class Body, class Lanes, int Quads, bool Packed>
struct HeldRow : RowWalk<Body, Lanes, Packed> {
  using Walk = RowWalk<Body, Lanes, Packed>;
  using Flat = typename Body::Flat;
  using Element = typename Body::Element;
  typename Body::Held held[Quads][4];
  static constexpr int kFewest = Lanes::fewest(Quads);
  __device__ HeldRow(const typename Body::Arguments& p, Flat number, const Lanes& lanes)
      : Walk(p, number, lanes) {}

  // Where the lanes' quads of number q begin, and whether any lane has one.
  __device__ Flat begin_of(int q) const { return static_cast<Flat>(q) * this->lanes.lanes * 4; }
  __device__ bool has_quads(int q) const { return q < kFewest || begin_of(q) < this->length; }

  template <class Stage>
  __device__ void load_all(Element (&x)[Quads][4]) const {
    if constexpr (Stage::kLoads) {
#pragma unroll
      for (int q = 0; q < Quads; ++q) {
        this->template load<typename Stage::Loads>(begin_of(q), x[q]);
      }
#pragma unroll
      for (int q = 0; q < Quads && !Packed; ++q) {
        if (!has_quads(q)) break;
        Stage::Loads::gather(x[q], this->lanes.in_warp());
      }
    }
  }

  template <class Stage>
  __device__ typename Stage::State combine(const typename Body::Values& values) {
    Element x[Quads][4];
    load_all<Stage>(x);
    typename Stage::State acc[4];
#pragma unroll
    for (int q = 0; q < Quads; ++q) {
      if (!has_quads(q)) break;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const auto state = Stage::state(this->p, this->uniform, values, x[q][j], held[q][j]);
        if (q == 0) {
          acc[j] = state;
        } else if (q + 1 < kFewest || this->has(begin_of(q), j)) {
          acc[j] = Stage::combine(acc[j], state);
        }
      }
    }
    return this->template join<Stage>(acc);
  }

  template <class Last>
  __device__ void put(const typename Body::Values& values) {
    Element x[Quads][4];
    load_all<Last>(x);
#pragma unroll
    for (int q = 0; q < Quads; ++q) {
      if (!has_quads(q)) break;
      typename Body::Out out[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        out[j] = Last::out(this->p, this->uniform, values, x[q][j], held[q][j]);
      }
      this->template store<Last>(begin_of(q), out);
    }
  }
};

// Rows that are too long to be held: each walk reads them again, from the cache if need be.
template <class Body, class Lanes, bool Packed>
struct ReadRow : RowWalk<Body, Lanes, Packed> {
  using Walk = RowWalk<Body, Lanes, Packed>;
  using Flat = typename Body::Flat;
  using Element = typename Body::Element;
  __device__ ReadRow(const typename Body::Arguments& p, Flat number, const Lanes& lanes)
      : Walk(p, number, lanes) {}

  template <class Stage>
  __device__ typename Stage::State combine(const typename Body::Values& values) const {
    typename Stage::State acc[4];
    const Flat step = static_cast<Flat>(this->lanes.lanes) * 4;
    add<Stage, true>(values, 0, acc);
#pragma unroll 2
    for (Flat begin = step; begin < this->length; begin += step) {
      add<Stage, false>(values, begin, acc);
    }
    return this->template join<Stage>(acc);
  }

  template <class Last>
  __device__ void put(const typename Body::Values& values) const {
    const Flat step = static_cast<Flat>(this->lanes.lanes) * 4;
#pragma unroll 2
    for (Flat begin = 0; begin < this->length; begin += step) {
      Element x[4];
      load_quad<typename Last::AllLoads>(begin, x);
      typename Body::Out out[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) out[j] = Last::out_again(this->p, this->uniform, values, x[j]);
      this->template store<Last>(begin, out);
    }
  }

 private:
  template <class Loads>
  __device__ void load_quad(Flat begin, Element (&x)[4]) const {
    this->template load<Loads>(begin, x);
    if constexpr (!Packed) Loads::gather(x, this->lanes.in_warp());
  }

  template <class Stage, bool First>
  __device__ void add(const typename Body::Values& values, Flat begin,
                      typename Stage::State (&acc)[4]) const {
    Element x[4];
    load_quad<typename Stage::AllLoads>(begin, x);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const auto state = Stage::state_again(this->p, this->uniform, values, x[j]);
      if (First) {
        acc[j] = state;
      } else if (this->has(begin, j)) {
        acc[j] = Stage::combine(acc[j], state);
      }
    }
  }
};

// Up to a warp to each row: `header.lanes` threads.
CUPOLA_KERNEL_FN LanesOfWarp lanes_of_warp(unsigned int lanes) {
  return {threadIdx.x & (lanes - 1), lanes};
}
template <class Body>
CUPOLA_KERNEL_FN typename Body::Flat short_row(const typename Body::Arguments& p) {
  const unsigned int lanes = p.header.lanes;
  return static_cast<typename Body::Flat>(block_x(p)) * (blockDim.x / lanes) + threadIdx.x / lanes;
}
template <class Body, int Quads, bool Packed>
CUPOLA_KERNEL_FN void compute_short_rows(const typename Body::Arguments& p) {
  HeldRow<Body, LanesOfWarp, Quads, Packed> walk(p, short_row<Body>(p),
                                                 lanes_of_warp(p.header.lanes));
  Body::run(walk);
}
template <class Body, bool Packed>
CUPOLA_KERNEL_FN void compute_short_rows_again(const typename Body::Arguments& p) {
  ReadRow<Body, LanesOfWarp, Packed> walk(p, short_row<Body>(p), lanes_of_warp(p.header.lanes));
  Body::run(walk);
}

// A block to each row.
template <class Body, int Quads, bool Packed>
CUPOLA_KERNEL_FN void compute_rows(const typename Body::Arguments& p) {
  HeldRow<Body, LanesOfBlock, Quads, Packed> walk(p, block_x(p), LanesOfBlock{threadIdx.x});
  Body::run(walk);
}
template <class Body, bool Packed>
CUPOLA_KERNEL_FN void compute_rows_again(const typename Body::Arguments& p) {
  ReadRow<Body, LanesOfBlock, Packed> walk(p, block_x(p), LanesOfBlock{threadIdx.x});
  Body::run(walk);
}

}  // namespace cupola_device
