#pragma once
// Every element by itself, where operands have strides: strips of neighbours along the last
// dimension, and tiles of two dimensions for operands that run along another one. Body (generated)
// gives, beside what map_elements() needs: Strip, strip(), load_strip(), put_strip(); and for
// tiles Corner, corner(), Shared, Fetched, fetch(), spread(), stage(), TilePack, load_direct(),
// put_tile().
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

// Strips of Body::kStrip neighbours in row-major order. The first one may begin before the first
// element, so that the others are aligned where results lie; what crosses the end of a row, or of
// the space, goes element by element.
template <class Body, int Unroll>
CUPOLA_KERNEL_FN void map_strips(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  constexpr Flat kStrip = Body::kStrip;
  const Flat count = static_cast<Flat>(p.header.count);
  const Flat lead = p.header.lead;
  const Flat begin = (static_cast<Flat>(blockIdx.x) * (blockDim.x * Unroll) + threadIdx.x) * kStrip;
  const typename Body::Uniform uniform = Body::uniform(p);
  typename Body::Strip strip[Unroll];
  typename Body::StripPack x[Unroll];
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const Flat end = begin + static_cast<Flat>(u) * blockDim.x * kStrip + kStrip;  // plus lead
    strip[u].left = 0;
    if (end >= kStrip + lead && end - lead <= count) {
      strip[u] = Body::strip(p, end - lead - kStrip);
      if (strip[u].left >= kStrip) x[u] = Body::load_strip(p, end - lead - kStrip, strip[u]);
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

// A tile of an operand whose neighbours lie along rows' dimension, on its way through shared
// memory, where the elements of one row are neighbours. Groups of bytes change places within a row
// by its number, so that neither writing nor reading has two lanes of a warp at one bank.
template <class T, int Rows, int Columns>
struct Staging {
  static constexpr int kThreads = 256;
  static constexpr int kBytes = sizeof(T);
  static constexpr int kPitch = Columns * kBytes;
  struct alignas(16) Shared {
    unsigned char at[Rows * kPitch];
  };

  // By 16-byte loads along a column; elements of less than 4 bytes go by words of several columns.
  static constexpr int kVector = 16 / kBytes;
  static constexpr int kMerged = kBytes < 4 ? 4 / kBytes : 1;
  static constexpr int kVectors = Rows / kVector;
  static constexpr int kGroups = Columns / kMerged;
  static constexpr int kLanes = kVectors < 8 ? kVectors : 8;  // along a column, of each warp
  static constexpr int kAcross = kGroups < 32 / kLanes ? kGroups : 32 / kLanes;
  static constexpr int kUnits = (kVectors * kGroups + kThreads - 1) / kThreads;
  using Quad = Vector<unsigned int, 4>;
  struct Fetched {
    Quad at[kUnits * kMerged];
  };

  template <bool Vectors>
  CUPOLA_KERNEL_FN int offset(int row, int byte) {
    constexpr int kWidth = kPitch < 128 ? kPitch : 128;
    if constexpr (Vectors) return row * kPitch + (byte ^ (row / kVector * 16 & kWidth - 1));
    constexpr int kStep = kBytes < 4 ? 4 : kBytes;
    return row * kPitch + (byte ^ (row * kStep & kWidth - 1));
  }

  CUPOLA_KERNEL_FN bool place(int unit, int& vector, int& group) {
    const int id = static_cast<int>(threadIdx.x) + unit * kThreads;
    const int block = id / (kLanes * kAcross);
    vector = id % kLanes + kLanes * (block % (kVectors / kLanes));
    group = id / kLanes % kAcross + kAcross * (block / (kVectors / kLanes));
    return kVectors * kGroups % kThreads == 0 || group < kGroups;
  }

  // What this thread takes to shared memory. A vector that has one element of the tile is read
  // whole: the others share its 16 bytes.
  template <class Index>
  CUPOLA_KERNEL_FN void fetch(Fetched& x, const T* corner, Index stride, int rows, int columns) {
#pragma unroll
    for (int u = 0; u < kUnits; ++u) {
      int vector, group;
      const bool mine = place(u, vector, group);
#pragma unroll
      for (int m = 0; m < kMerged; ++m) {
        const int row = vector * kVector, column = group * kMerged + m;
        if (mine && row < rows && column < columns) {
          x.at[u * kMerged + m] = *reinterpret_cast<const Quad*>(corner + (row + column * stride));
        }
      }
    }
  }

  // The words of kMerged columns, one for each row.
  CUPOLA_KERNEL_FN void merge(const Quad* columns, unsigned int (&words)[kVector]) {
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      if constexpr (kBytes == 1) {
        const unsigned int a = columns[0].at[q], b = columns[1].at[q];
        const unsigned int c = columns[2].at[q], d = columns[3].at[q];
        const unsigned int ab = __byte_perm(a, b, 0x5140), more_ab = __byte_perm(a, b, 0x7362);
        const unsigned int cd = __byte_perm(c, d, 0x5140), more_cd = __byte_perm(c, d, 0x7362);
        words[4 * q] = __byte_perm(ab, cd, 0x5410);
        words[4 * q + 1] = __byte_perm(ab, cd, 0x7632);
        words[4 * q + 2] = __byte_perm(more_ab, more_cd, 0x5410);
        words[4 * q + 3] = __byte_perm(more_ab, more_cd, 0x7632);
      } else {
        words[2 * q] = __byte_perm(columns[0].at[q], columns[1].at[q], 0x5410);
        words[2 * q + 1] = __byte_perm(columns[0].at[q], columns[1].at[q], 0x7632);
      }
    }
  }

  CUPOLA_KERNEL_FN void spread(const Fetched& x, Shared& shared) {
#pragma unroll
    for (int u = 0; u < kUnits; ++u) {
      int vector, group;
      if (!place(u, vector, group)) continue;
      unsigned char* const target =
          shared.at + offset<true>(vector * kVector, group * kMerged * kBytes);
      if constexpr (kMerged > 1) {
        unsigned int words[kVector];
        merge(x.at + u * kMerged, words);
#pragma unroll
        for (int k = 0; k < kVector; ++k) {
          *reinterpret_cast<unsigned int*>(target + k * kPitch) = words[k];
        }
      } else {
        using Item = Vector<unsigned int, kBytes / 4>;
        const auto items = bits_as<Vector<Item, kVector>>(x.at[u]);
#pragma unroll
        for (int k = 0; k < kVector; ++k) {
          *reinterpret_cast<Item*>(target + k * kPitch) = items.at[k];
        }
      }
    }
  }

  // Element by element, with any strides and from any address.
  template <class Index>
  CUPOLA_KERNEL_FN void stage(Shared& shared, const T* corner, Index row_stride,
                              Index column_stride, int rows, int columns) {
    constexpr int kAll = Rows * Columns / kThreads, kPart = 64 / kBytes;
    constexpr int kTogether = kAll < 16 ? kAll : kPart > 16 ? 16 : kPart;
#pragma unroll 1
    for (int first = 0; first < kAll; first += kTogether) {
      T x[kTogether];
#pragma unroll
      for (int k = 0; k < kTogether; ++k) {
        const int id = static_cast<int>(threadIdx.x) + (first + k) * kThreads;
        const int row = id % Rows, column = id / Rows;
        if (row < rows && column < columns) {
          x[k] = corner[row * row_stride + column * column_stride];
        }
      }
      __syncwarp();
#pragma unroll
      for (int k = 0; k < kTogether; ++k) {
        const int id = static_cast<int>(threadIdx.x) + (first + k) * kThreads;
        const int row = id % Rows, column = id / Rows;
        *reinterpret_cast<Item*>(shared.at + offset<false>(row, column * kBytes)) =
            bits_as<Item>(x[k]);
      }
    }
  }

  // N neighbours of a row, from a multiple of N on.
  template <bool Vectors, int N>
  CUPOLA_KERNEL_FN Vector<T, N> read(const Shared& shared, int row, int column) {
    static_assert(Vectors || N == 1, "groups of one element");
    constexpr int kPart = N * kBytes < 16 ? N * kBytes : 16;
    using Word = typename WordOf<(kPart < 4 ? kPart : 4)>::type;
    using Part = Vector<Word, kPart / static_cast<int>(sizeof(Word))>;
    Vector<Part, N * kBytes / kPart> parts;
#pragma unroll
    for (int i = 0; i < N * kBytes / kPart; ++i) {
      parts.at[i] = *reinterpret_cast<const Part*>(shared.at +
                                                   offset<Vectors>(row, column * kBytes + i * 16));
    }
    return bits_as<Vector<T, N>>(parts);
  }

 private:
  using Word = typename WordOf<(kBytes < 4 ? kBytes : 4)>::type;
  using Item = Vector<Word, kBytes / static_cast<int>(sizeof(Word))>;
};

// Each block takes a tile of the last two dimensions (rows and columns; the launch puts the
// dimension along which most transposed operands run before the last). Operands that run along
// rows' dimension go through shared memory. Vectors: by whole 16 bytes, and results are stored by
// packs of Pack neighbours; otherwise everything goes element by element, and Pack is 1.
template <class Body, bool Vectors, int Pack, int Unroll>
CUPOLA_KERNEL_FN void map_tiles(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  using Index = typename Body::Index;
  constexpr int kRows = Body::kRows, kColumns = Body::kColumns, kThreads = 256;
  constexpr int kPacks = kColumns / Pack;  // of one row
  constexpr int kAll = kRows * kPacks / kThreads;
  static_assert(kRows * kPacks % kThreads == 0 && kAll % Unroll == 0, "tile");
  __shared__ typename Body::Shared shared;

  const Tiling& tiling = p.tiling;
  // Some tiles along rows' dimension, then the next along columns': what runs at one time is
  // compact for reading and for writing.
  const unsigned int area = tiling.row_tiles * tiling.column_tiles;
  const unsigned int batch = blockIdx.x / area, number = blockIdx.x % area;
  const unsigned int band = tiling.band * tiling.column_tiles;
  const unsigned int first = number / band * tiling.band;
  const unsigned int high = smaller(tiling.band, tiling.row_tiles - first);
  const Index row = static_cast<Index>(first + number % band % high) * kRows;
  const Index column = static_cast<Index>(number % band / high) * kColumns;
  const int rows =
      static_cast<int>(smaller<Index>(static_cast<Index>(tiling.rows) - row, Index{kRows}));
  const int columns = static_cast<int>(
      smaller<Index>(static_cast<Index>(tiling.columns) - column, Index{kColumns}));

  const typename Body::Uniform uniform = Body::uniform(p);
  const typename Body::Corner corner = Body::corner(p, static_cast<Flat>(batch), row, column);
  typename Body::Fetched fetched;
  if constexpr (Vectors) Body::fetch(p, corner, rows, columns, fetched);
  typename Body::template TilePack<Pack> x[Unroll];
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const int id = static_cast<int>(threadIdx.x) + u * kThreads;
    const int r = id / kPacks, c = id % kPacks * Pack;
    if (r < rows && c + Pack <= columns) Body::load_direct(p, corner, r, c, x[u]);
  }
  if constexpr (Vectors) {
    __syncwarp();  // else the compiler may wait for each load before the next, for fewer registers
    Body::spread(p, fetched, shared);
  } else {
    Body::stage(p, corner, rows, columns, shared);
  }
  __syncthreads();
#pragma unroll 1
  for (int step = 0; step < kAll; step += Unroll) {
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const int id = static_cast<int>(threadIdx.x) + (step + u) * kThreads;
      const int r = id / kPacks, c = id % kPacks * Pack;
      if (r < rows && c + Pack <= columns) {
        if (Unroll < kAll && step > 0) Body::load_direct(p, corner, r, c, x[u]);
        Body::template put_tile<Vectors>(p, uniform, corner, shared, r, c, x[u]);
      } else if (Pack > 1 && r < rows) {
#pragma unroll 1
        for (int single = c; single < columns; ++single) {
          typename Body::template TilePack<1> one;
          Body::load_direct(p, corner, r, single, one);
          Body::template put_tile<Vectors>(p, uniform, corner, shared, r, single, one);
        }
      }
    }
  }
}

}  // namespace cupola_device
