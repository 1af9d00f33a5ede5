#pragma once
// Every element by itself, where operands have strides, by strips of neighbours along the last
// dimension. Body (generated) gives, beside what map_elements() needs: Strip, strip(),
// load_strip(), put_strip(); and load_across() for strips across the ends of rows.
#include "kernel_map.cuh"

namespace cupola_device {

// Bytes from any address, by 4-byte loads. What is read beside them shares a word with one of them.
template <int Bytes>
CUPOLA_KERNEL_FN Vector<unsigned int, Bytes / 4> load_words(const void* place) {
  constexpr int kWords = Bytes / 4;
  const unsigned long long address = reinterpret_cast<unsigned long long>(place);
  const unsigned int shift = static_cast<unsigned int>(address & 3) * 8;
  const unsigned int* from = reinterpret_cast<const unsigned int*>(address & ~3ull);
  unsigned int word[kWords + 1];
#pragma unroll
  for (int i = 0; i < kWords; ++i) word[i] = from[i];
  word[kWords] = 0;
  if (shift != 0) word[kWords] = from[kWords];
  Vector<unsigned int, kWords> result;
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    result.at[i] = __funnelshift_r(word[i], word[i + 1], shift);
  }
  return result;
}

// N elements with a stride between them.
template <int N, class T>
CUPOLA_KERNEL_FN Vector<T, N> load_along(const T* place, long long stride) {
  constexpr int kBytes = N * static_cast<int>(sizeof(T));
  constexpr int kAlignment = kBytes < 16 ? kBytes : 16;
  Vector<T, N> result;
  if constexpr (N == 1) {
    result.at[0] = *place;
    return result;
  } else {
    if (stride == 1) {
      if (reinterpret_cast<unsigned long long>(place) % kAlignment == 0) {
        return *reinterpret_cast<const Vector<T, N>*>(place);
      }
      if constexpr (kBytes >= 4 && sizeof(T) < 4) {
        return bits_as<Vector<T, N>>(load_words<kBytes>(place));
      }
    }
    if (stride == 0) {
      const T value = *place;
#pragma unroll
      for (int e = 0; e < N; ++e) result.at[e] = value;
      return result;
    }
#pragma unroll
    for (int e = 0; e < N; ++e) result.at[e] = place[e * stride];
    return result;
  }
}

// Whole: the stride is 1, and the place a multiple of all N.
template <bool Whole, int N, class T>
CUPOLA_KERNEL_FN void store_along(T* place, long long stride, const Vector<T, N>& values) {
  constexpr int kBytes = N * static_cast<int>(sizeof(T));
  constexpr int kAlignment = kBytes < 16 ? kBytes : 16;
  const bool whole = stride == 1 && reinterpret_cast<unsigned long long>(place) % kAlignment == 0;
  if (Whole || (N > 1 && whole)) {
    store_vector<N>(place, 0, values);
    return;
  }
#pragma unroll
  for (int e = 0; e < N; ++e) place[e * stride] = values.at[e];
}

// Strips of Length neighbours in row-major order. The first one may begin before the first
// element, so that the others are aligned where results lie; what crosses the end of a row, or of
// the space, goes element by element. Across: results have no gaps between rows, and strips go
// across the ends of rows.
template <class Body, int Length, int Unroll, bool Across = false>
CUPOLA_KERNEL_FN void map_strips(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  constexpr Flat kStrip = Length;
  const Flat count = static_cast<Flat>(p.header.count);
  const Flat lead = p.header.lead;
  const Flat begin = (static_cast<Flat>(block_x(p)) * (blockDim.x * Unroll) + threadIdx.x) * kStrip;
  const typename Body::Uniform uniform = Body::uniform(p);
  typename Body::Strip strip[Unroll];
  typename Body::template StripPack<Length> x[Unroll];
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const Flat end = begin + static_cast<Flat>(u) * blockDim.x * kStrip + kStrip;  // plus lead
    strip[u].left = 0;
    if (end < kStrip + lead || end - lead > count) continue;
    if constexpr (Across) {
      strip[u].left = kStrip;
      Body::load_across(p, end - lead - kStrip, x[u]);
    } else {
      strip[u] = Body::strip(p, end - lead - kStrip);
      if (strip[u].left >= kStrip) Body::load_strip(p, end - lead - kStrip, strip[u], x[u]);
    }
  }
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const Flat at = begin + static_cast<Flat>(u) * blockDim.x * kStrip;
    if (strip[u].left >= kStrip) {
      Body::put_strip(p, uniform, at - lead, strip[u], x[u]);
    } else {
#pragma unroll 1
      for (Flat i = at < lead ? lead : at; i < at + kStrip && i - lead < count; ++i) {
        Body::put(p, uniform, i - lead, Body::load(p, i - lead));
      }
    }
  }
}

// Strips of rows that are whole strips and lie between each other's elements in memory (channels of
// images): a thread takes those at one column of header.lanes rows, so that what is read for the
// first row serves the others from the first-level cache. header.length: elements of a row;
// header.tiles: blocks for each.
template <class Body, int Length, int Unroll>
CUPOLA_KERNEL_FN void map_interleaved(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  const unsigned int blocks = static_cast<unsigned int>(p.header.tiles);
  const unsigned int rows = p.header.lanes;
  const Flat length = static_cast<Flat>(p.header.length);
  const Flat column = (static_cast<Flat>(block_x(p) % blocks) * blockDim.x + threadIdx.x) * Length;
  if (column >= length) return;
  const Flat first = static_cast<Flat>(block_x(p) / blocks) * rows * length + column;
  const typename Body::Uniform uniform = Body::uniform(p);
  typename Body::Strip strip[Unroll];
  typename Body::template StripPack<Length> x[Unroll];
#pragma unroll
  for (unsigned int u = 0; u < Unroll; ++u) {
    if (u >= rows) continue;
    strip[u] = Body::strip(p, first + u * length);
    Body::load_strip(p, first + u * length, strip[u], x[u]);
  }
#pragma unroll
  for (unsigned int u = 0; u < Unroll; ++u) {
    if (u < rows) Body::put_strip(p, uniform, first + u * length, strip[u], x[u]);
  }
}

}  // namespace cupola_device
