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

// The threads that share a row. join(): all of them come here, and get the result.
struct LanesOfWarp {
  unsigned int lane, lanes;
  template <class Stage>
  __device__ typename Stage::State join(typename Stage::State state, unsigned int active) const {
    return shuffle_from(reduce_group<Stage>(state, lane, active, lanes), 0,
                        static_cast<int>(lanes));
  }
};

struct LanesOfBlock {
  unsigned int lane;
  static constexpr unsigned int lanes = 256;
  template <class Stage>
  __device__ typename Stage::State join(typename Stage::State state, unsigned int active) const {
    using State = typename Stage::State;
    __shared__ __align__(16) unsigned char bytes[8 * sizeof(State)];  // of each stage its own
    State* shared = reinterpret_cast<State*>(bytes);
    // What reduce_group() does, unrolled: blocks wait here, each in its own row.
    const unsigned int in_warp = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (unsigned int distance = 16; distance > 0; distance /= 2) {
      const State other = shuffle_down(state, static_cast<int>(distance), 32);
      if (threadIdx.x + distance < active && in_warp < distance) {
        state = Stage::combine(state, other);
      }
    }
    if (in_warp == 0) shared[warp] = state;
    __syncthreads();
    State all[8];
#pragma unroll
    for (int w = 0; w < 8; ++w) all[w] = shared[w];
    const unsigned int warps = (active + 31) / 32;
#pragma unroll
    for (unsigned int w = 1; w < 8; ++w) {
      if (w < warps) all[0] = Stage::combine(all[0], all[w]);
    }
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

template <class Body, class Lanes>
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
  // Of the lane's quad r, as many as there are.
  __device__ Flat count(Flat r) const { return r < length ? smaller<Flat>(length - r, 4) : 0; }

  template <class Loads, bool Packed>
  __device__ void load(Flat r, Element (&x)[4]) const {
    const Flat flat = kept * length + r;
    if (r + 4 <= length) {
      Loads::template quad<Packed>(p, row, flat, r, x);
      return;
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (r + j < length) {
        Loads::one(p, row, flat + j, r + j, x[j]);
      } else {
        x[j] = Element{};
      }
    }
  }
};

// Every thread holds what it has of a row: at most `Quads` quads.
template <class Body, class Lanes, int Quads, bool Packed>
struct HeldRow : RowWalk<Body, Lanes> {
  using Walk = RowWalk<Body, Lanes>;
  using Flat = typename Body::Flat;
  using Element = typename Body::Element;
  typename Body::Held held[Quads][4];
  __device__ HeldRow(const typename Body::Arguments& p, Flat number, const Lanes& lanes)
      : Walk(p, number, lanes) {}

  template <class Stage>
  __device__ void load_all(Element (&x)[Quads][4]) const {
    if constexpr (Stage::kLoads) {
#pragma unroll
      for (int q = 0; q < Quads; ++q) {
        const Flat begin = static_cast<Flat>(q) * this->lanes.lanes * 4;
        if (begin >= this->length) break;
        this->template load<typename Stage::Loads, Packed>(begin + this->lanes.lane * 4, x[q]);
      }
    }
  }

  template <class Stage>
  __device__ typename Stage::State combine(const typename Body::Values& values) {
    Element x[Quads][4];
    load_all<Stage>(x);
    typename Stage::State acc[4];
    const Flat first = static_cast<Flat>(this->lanes.lane) * 4;
#pragma unroll
    for (int q = 0; q < Quads; ++q) {
      const Flat begin = static_cast<Flat>(q) * this->lanes.lanes * 4;
      if (begin >= this->length) break;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const auto state = Stage::state(this->p, this->uniform, values, x[q][j], held[q][j]);
        if (q == 0) {
          acc[j] = state;
        } else if (begin + first + j < this->length) {
          acc[j] = Stage::combine(acc[j], state);
        }
      }
    }
    return this->lanes.template join<Stage>(fold_places<Stage>(acc, this->count(first)),
                                            active_lanes(this->length, this->lanes.lanes));
  }

  template <class Last>
  __device__ void put(const typename Body::Values& values) {
    Element x[Quads][4];
    load_all<Last>(x);
#pragma unroll
    for (int q = 0; q < Quads; ++q) {
      const Flat begin = static_cast<Flat>(q) * this->lanes.lanes * 4;
      if (begin >= this->length) break;
      const Flat r = begin + this->lanes.lane * 4;
      typename Body::Out out[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        out[j] = Last::out(this->p, this->uniform, values, x[q][j], held[q][j]);
      }
      if (this->inside && r < this->length) {
        Last::template put<Packed>(this->p, this->row, out, this->kept * this->length + r, r,
                                   this->count(r));
      }
    }
  }
};

// Rows that are too long to be held: each walk reads them again, from the cache if need be.
template <class Body, class Lanes, bool Packed>
struct ReadRow : RowWalk<Body, Lanes> {
  using Walk = RowWalk<Body, Lanes>;
  using Flat = typename Body::Flat;
  using Element = typename Body::Element;
  __device__ ReadRow(const typename Body::Arguments& p, Flat number, const Lanes& lanes)
      : Walk(p, number, lanes) {}

  template <class Stage>
  __device__ typename Stage::State combine(const typename Body::Values& values) const {
    typename Stage::State acc[4];
    const Flat first = static_cast<Flat>(this->lanes.lane) * 4;
    const Flat step = static_cast<Flat>(this->lanes.lanes) * 4;
    add<Stage, true>(values, first, acc);
#pragma unroll 2
    for (Flat r = first + step; r < this->length; r += step) add<Stage, false>(values, r, acc);
    return this->lanes.template join<Stage>(fold_places<Stage>(acc, this->count(first)),
                                            active_lanes(this->length, this->lanes.lanes));
  }

  template <class Last>
  __device__ void put(const typename Body::Values& values) const {
    const Flat step = static_cast<Flat>(this->lanes.lanes) * 4;
#pragma unroll 2
    for (Flat r = static_cast<Flat>(this->lanes.lane) * 4; r < this->length; r += step) {
      Element x[4];
      this->template load<typename Last::AllLoads, Packed>(r, x);
      typename Body::Out out[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) out[j] = Last::out_again(this->p, this->uniform, values, x[j]);
      if (this->inside) {
        Last::template put<Packed>(this->p, this->row, out, this->kept * this->length + r, r,
                                   this->count(r));
      }
    }
  }

 private:
  template <class Stage, bool First>
  __device__ void add(const typename Body::Values& values, Flat r,
                      typename Stage::State (&acc)[4]) const {
    Element x[4];
    this->template load<typename Stage::AllLoads, Packed>(r, x);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const auto state = Stage::state_again(this->p, this->uniform, values, x[j]);
      if (First) {
        acc[j] = state;
      } else if (r + j < this->length) {
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
  return static_cast<typename Body::Flat>(blockIdx.x) * (blockDim.x / lanes) + threadIdx.x / lanes;
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
  HeldRow<Body, LanesOfBlock, Quads, Packed> walk(p, blockIdx.x, LanesOfBlock{threadIdx.x});
  Body::run(walk);
}
template <class Body, bool Packed>
CUPOLA_KERNEL_FN void compute_rows_again(const typename Body::Arguments& p) {
  ReadRow<Body, LanesOfBlock, Packed> walk(p, blockIdx.x, LanesOfBlock{threadIdx.x});
  Body::run(walk);
}

}  // namespace cupola_device
