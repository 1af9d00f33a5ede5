#pragma once
// Elements for which a mask holds, by tiles of kMaskTile in row-major order: a warp to each tile.
// Body as for maps (load(), or load_pack() and one()), and holds(); put_count() where they are
// counted; ends(), the running counts of tiles, and put_ranked() where the r-th of them is stored.
#include "kernel_support.cuh"

namespace cupola_device {

constexpr unsigned int kMaskRounds = kMaskTile / 32;

template <class Body>
CUPOLA_KERNEL_FN typename Body::Flat mask_tile(const typename Body::Arguments& p) {
  return static_cast<typename Body::Flat>(block_x(p)) * (blockDim.x / 32) + threadIdx.x / 32;
}

template <class Body, int Unroll>
CUPOLA_KERNEL_FN void count_elements(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const Flat tile = mask_tile<Body>(p), count = static_cast<Flat>(p.header.count);
  if (tile >= p.header.tiles) return;  // whole warps
  const typename Body::Uniform uniform = Body::uniform(p);
  const Flat first = tile * kMaskTile + threadIdx.x % 32;
  unsigned int total = 0;
#pragma unroll 1
  for (unsigned int round = 0; round < kMaskRounds; round += Unroll) {
    typename Body::Element x[Unroll];
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const Flat i = first + (round + u) * 32;
      if (i < count) x[u] = Body::load(p, i);
    }
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const Flat i = first + (round + u) * 32;
      const bool holds = i < count && Body::holds(p, uniform, x[u], i);
      total += __popc(__ballot_sync(0xFFFFFFFFu, holds));
    }
  }
  if (threadIdx.x % 32 == 0) Body::put_count(p, tile, total);
}

// The same with packs of Body::kPack neighbours in whole tiles.
template <class Body, int Unroll>
CUPOLA_KERNEL_FN void count_packs(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const Flat tile = mask_tile<Body>(p);
  if (tile >= p.header.tiles) return;  // whole warps
  if ((tile + 1) * kMaskTile > p.header.count) return count_elements<Body, 4>(p);
  const typename Body::Uniform uniform = Body::uniform(p);
  const Flat first = tile * (kMaskTile / Body::kPack) + threadIdx.x % 32;
  unsigned int total = 0;
#pragma unroll 1
  for (unsigned int round = 0; round < kMaskRounds / Body::kPack; round += Unroll) {
    typename Body::Pack x[Unroll];
#pragma unroll
    for (int u = 0; u < Unroll; ++u) x[u] = Body::load_pack(p, first + (round + u) * 32);
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
#pragma unroll
      for (int e = 0; e < Body::kPack; ++e) {
        const Flat i = (first + (round + u) * 32) * Body::kPack + e;
        const bool holds = Body::holds(p, uniform, Body::one(x[u], e), i);
        total += __popc(__ballot_sync(0xFFFFFFFFu, holds));
      }
    }
  }
  if (threadIdx.x % 32 == 0) Body::put_count(p, tile, total);
}

// What was true when it was counted and is not now, or the other way round, because others write
// there, never leads out of the tile's part of the ranks.
template <class Body, int Unroll>
CUPOLA_KERNEL_FN void rank_elements(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const Flat tile = mask_tile<Body>(p), count = static_cast<Flat>(p.header.count);
  if (tile >= p.header.tiles) return;  // whole warps
  const long long* ends = Body::ends(p);
  const long long end = ends[tile];
  long long rank = tile > 0 ? ends[tile - 1] : 0;
  if (rank == end) return;
  const typename Body::Uniform uniform = Body::uniform(p);
  const unsigned int before = (1u << (threadIdx.x % 32)) - 1;
  const Flat first = tile * kMaskTile + threadIdx.x % 32;
#pragma unroll 1
  for (unsigned int round = 0; round < kMaskRounds; round += Unroll) {
    typename Body::Element x[Unroll];
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const Flat i = first + (round + u) * 32;
      if (i < count) x[u] = Body::load(p, i);
    }
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const Flat i = first + (round + u) * 32;
      const bool holds = i < count && Body::holds(p, uniform, x[u], i);
      const unsigned int all = __ballot_sync(0xFFFFFFFFu, holds);
      const long long own = rank + __popc(all & before);
      if (holds && own < end) Body::put_ranked(p, uniform, i, x[u], own);
      rank += __popc(all);
    }
  }
}

}  // namespace cupola_device
