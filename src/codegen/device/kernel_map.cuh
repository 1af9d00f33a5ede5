#pragma once
// Every element by itself. Body (generated) gives: Arguments, Flat, Uniform and uniform(),
// Element and load(), Pack and load_pack(), and put() / put_pack(), which compute and store.
#include "kernel_support.cuh"

namespace cupola_device {

// Unroll elements per thread, a block apart from each other, so that their loads overlap.
template <class Body, int Unroll>
CUPOLA_KERNEL_FN void map_elements(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const Flat count = static_cast<Flat>(p.header.count);
  const Flat first = static_cast<Flat>(block_x(p)) * (blockDim.x * Unroll) + threadIdx.x;
  const typename Body::Uniform uniform = Body::uniform(p);
  typename Body::Element x[Unroll];
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const Flat i = first + static_cast<Flat>(u) * blockDim.x;
    if (i < count) x[u] = Body::load(p, i);
  }
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const Flat i = first + static_cast<Flat>(u) * blockDim.x;
    if (i < count) Body::put(p, uniform, i, x[u]);
  }
}

// The same with packs of Body::kPack neighbours; the elements after the last whole pack are the
// work of the thread whose pack would hold them.
template <class Body, int Unroll>
CUPOLA_KERNEL_FN void map_packs(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  constexpr Flat kPack = Body::kPack;
  const Flat count = static_cast<Flat>(p.header.count);
  const Flat packs = count / kPack;
  const Flat block = static_cast<Flat>(block_x(p)) * (blockDim.x * Unroll);
  const Flat first = block + threadIdx.x;
  const typename Body::Uniform uniform = Body::uniform(p);
  if (block + blockDim.x * Unroll <= packs) {
    typename Body::Pack x[Unroll];
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      x[u] = Body::load_pack(p, first + static_cast<Flat>(u) * blockDim.x);
    }
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      Body::put_pack(p, uniform, first + static_cast<Flat>(u) * blockDim.x, x[u]);
    }
    return;
  }
  // Once per launch: short code rather than fast code.
#pragma unroll 1
  for (int u = 0; u < Unroll; ++u) {
    const Flat pack = first + static_cast<Flat>(u) * blockDim.x;
    if (pack < packs) {
      Body::put_pack(p, uniform, pack, Body::load_pack(p, pack));
    } else if (pack == packs) {
#pragma unroll 1
      for (Flat i = packs * kPack; i < count; ++i) Body::put(p, uniform, i, Body::load(p, i));
    }
  }
}

// The same for elements that take much code, which stands here as few times as can be: packs one
// after the other, a block apart, `tile` of them per thread; each is loaded before the one in front
// of it is computed.
template <class Body>
CUPOLA_KERNEL_FN void map_packs_in_turn(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  constexpr Flat kPack = Body::kPack;
  const Flat count = static_cast<Flat>(p.header.count);
  const Flat packs = count / kPack;
  const Flat range = static_cast<Flat>(p.header.tile) * blockDim.x;  // of the block
  const Flat begin = static_cast<Flat>(block_x(p)) * range;
  const Flat end = smaller(begin + range, packs);
  const typename Body::Uniform uniform = Body::uniform(p);
  Flat pack = begin + threadIdx.x;
  if (pack < end) {
    typename Body::Pack x = Body::load_pack(p, pack);
#pragma unroll 1
    for (; pack < end; pack += blockDim.x) {
      typename Body::Pack next;
      if (pack + blockDim.x < end) next = Body::load_pack(p, pack + blockDim.x);
      Body::put_pack(p, uniform, pack, x);
      x = next;
    }
  }
  // The thread whose turn a pack behind the last whole one would be.
  if (pack == packs && pack < begin + range) {
#pragma unroll 1
    for (Flat i = packs * kPack; i < count; ++i) Body::put(p, uniform, i, Body::load(p, i));
  }
}

}  // namespace cupola_device
