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

// How many elements the place is past a multiple of N of them.
template <int N, class T>
CUPOLA_KERNEL_FN int elements_past(const T* place) {
  return static_cast<int>(reinterpret_cast<unsigned long long>(place) / sizeof(T) % N);
}

// Strips of Length neighbours in row-major order. The first one may begin before the first
// element, so that the others are aligned where results lie; what crosses the end of a row, or of
// the space, goes element by element.
template <class Body, int Length, int Unroll>
CUPOLA_KERNEL_FN void map_strips(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  constexpr Flat kStrip = Length;
  const Flat count = static_cast<Flat>(p.header.count);
  const Flat lead = p.header.lead;
  const Flat begin = (static_cast<Flat>(blockIdx.x) * (blockDim.x * Unroll) + threadIdx.x) * kStrip;
  const typename Body::Uniform uniform = Body::uniform(p);
  typename Body::Strip strip[Unroll];
  typename Body::template StripPack<Length> x[Unroll];
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const Flat end = begin + static_cast<Flat>(u) * blockDim.x * kStrip + kStrip;  // plus lead
    strip[u].left = 0;
    if (end >= kStrip + lead && end - lead <= count) {
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
  static constexpr int kUnits = (kVectors * kGroups + kThreads - 1) / kThreads;
  using Quad = Vector<unsigned int, 4>;
  struct Fetched {
    Quad at[kUnits * kMerged];
  };

  CUPOLA_KERNEL_FN int offset(int row, int byte) {
    constexpr int kMask = (kPitch < 128 ? kPitch : 128) - 1;
    return row * kPitch + (byte ^ (row / kVector * 16 & kMask));
  }

  // Vector `vector` of group `group` of columns is this thread's in turn `unit`.
  template <int Groups>
  CUPOLA_KERNEL_FN bool place(int unit, int& vector, int& group) {
    constexpr int kAcross = Groups < 32 / kLanes ? Groups : 32 / kLanes;
    const int id = static_cast<int>(threadIdx.x) + unit * kThreads;
    const int block = id / (kLanes * kAcross);
    vector = id % kLanes + kLanes * (block % (kVectors / kLanes));
    group = id / kLanes % kAcross + kAcross * (block / (kVectors / kLanes));
    return kVectors * Groups % kThreads == 0 || group < Groups;
  }

  // What this thread takes to shared memory. A vector that has one element of the tile is read
  // whole: the others share its 16 bytes.
  template <class Index>
  CUPOLA_KERNEL_FN void fetch(Fetched& x, const T* corner, Index stride, int rows, int columns) {
#pragma unroll
    for (int u = 0; u < kUnits; ++u) {
      int vector, group;
      const bool mine = place<kGroups>(u, vector, group);
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
      if (!place<kGroups>(u, vector, group)) continue;
      unsigned char* const target = shared.at + offset(vector * kVector, group * kMerged * kBytes);
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

  // Columns that begin anywhere: the 16-byte vectors that have a part of them, one more than fit.
  template <class Index>
  CUPOLA_KERNEL_FN void stage_runs(Shared& shared, const T* corner, Index stride, int rows,
                                   int columns) {
    constexpr int kRuns = (kVectors * Columns + kThreads - 1) / kThreads;
    static_assert(Columns <= kThreads, "the last vectors are one turn");
    Quad x[kRuns + 1];
    int first[kRuns + 1];  // row of a vector's first element
    int columns_of[kRuns + 1];
#pragma unroll
    for (int u = 0; u <= kRuns; ++u) {
      int vector = kVectors, column = static_cast<int>(threadIdx.x);
      const bool mine = u < kRuns ? place<Columns>(u, vector, column) : column < Columns;
      columns_of[u] = mine ? column : columns;
      first[u] = rows;
      if (mine && column < columns) {
        const T* const top = corner + column * stride;
        first[u] = vector * kVector - elements_past<kVector>(top);
        if (first[u] < rows) x[u] = *reinterpret_cast<const Quad*>(top + first[u]);
      }
    }
    __syncwarp();
#pragma unroll
    for (int u = 0; u <= kRuns; ++u) {
      const auto items = bits_as<Vector<Item, kVector>>(x[u]);
#pragma unroll
      for (int k = 0; k < kVector; ++k) {
        const int row = first[u] + k;
        if (row >= 0 && row < rows) {
          *reinterpret_cast<Item*>(shared.at + offset(row, columns_of[u] * kBytes)) = items.at[k];
        }
      }
    }
  }

  // Runs: neighbours in a column are neighbours in memory. Otherwise element by element.
  template <class Index>
  CUPOLA_KERNEL_FN void stage(Shared& shared, const T* corner, Index row_stride,
                              Index column_stride, int rows, int columns, bool runs) {
    if (runs) return stage_runs(shared, corner, column_stride, rows, columns);
    constexpr int kAll = Rows * Columns / kThreads;
    constexpr int kTogether = kAll < 8 ? kAll : 8;
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
        *reinterpret_cast<Item*>(shared.at + offset(row, column * kBytes)) = bits_as<Item>(x[k]);
      }
    }
  }

  // N neighbours of a row. Whole: from a multiple of N on.
  template <bool Whole, int N>
  CUPOLA_KERNEL_FN Vector<T, N> read(const Shared& shared, int row, int column) {
    if constexpr (!Whole && N > 1) {
      Vector<T, N> result;
#pragma unroll
      for (int e = 0; e < N; ++e) {
        result.at[e] = bits_as<T>(
            *reinterpret_cast<const Item*>(shared.at + offset(row, (column + e) * kBytes)));
      }
      return result;
    } else {
      constexpr int kPart = N * kBytes < 16 ? N * kBytes : 16;
      using PartWord = typename WordOf<(kPart < 4 ? kPart : 4)>::type;
      using Part = Vector<PartWord, kPart / static_cast<int>(sizeof(PartWord))>;
      Vector<Part, N * kBytes / kPart> parts;
#pragma unroll
      for (int i = 0; i < N * kBytes / kPart; ++i) {
        parts.at[i] =
            *reinterpret_cast<const Part*>(shared.at + offset(row, column * kBytes + i * 16));
      }
      return bits_as<Vector<T, N>>(parts);
    }
  }

 private:
  using Word = typename WordOf<(kBytes < 4 ? kBytes : 4)>::type;
  using Item = Vector<Word, kBytes / static_cast<int>(sizeof(Word))>;
};

// Each block takes a tile of the last two dimensions (rows and columns; the launch puts the
// dimension along which most transposed operands run before the last). Operands that run along
// rows' dimension go through shared memory. Vectors: by whole 16 bytes, and results are stored by
// packs of Pack neighbours. Otherwise addresses may be any: rows' packs begin where results
// have a multiple of 32 bytes.
template <class Body, bool Vectors, int Pack, int Unroll>
CUPOLA_KERNEL_FN void map_tiles(const typename Body::Arguments& p) {
  using Flat = typename Body::Flat;
  using Index = typename Body::Index;
  constexpr int kRows = Body::kRows, kColumns = Body::kColumns, kThreads = 256;
  constexpr int kPacks = (kColumns + (Vectors ? 0 : Body::kSector)) / Pack;  // of one row
  constexpr int kAll = (kRows * kPacks + kThreads - 1) / kThreads;
  __shared__ typename Body::Shared shared;

  const Tiling& tiling = p.tiling;
  const unsigned int strip = blockIdx.x / tiling.column_tiles;  // of tiles along columns
  const unsigned int batch = strip / tiling.row_tiles;
  const Index row = static_cast<Index>(strip % tiling.row_tiles) * kRows;
  const Index column = static_cast<Index>(blockIdx.x % tiling.column_tiles) * kColumns;
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
    const int r = id / kPacks, c = id % kPacks * Pack - (Vectors ? 0 : Body::lead(p, corner, r));
    if (r < rows && c >= 0 && c + Pack <= columns) Body::load_direct(p, corner, r, c, x[u]);
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
      const int r = id / kPacks, c = id % kPacks * Pack - (Vectors ? 0 : Body::lead(p, corner, r));
      if (r < rows && c >= 0 && c + Pack <= columns) {
        if (Unroll < kAll && step > 0) Body::load_direct(p, corner, r, c, x[u]);
        Body::template put_tile<Vectors>(p, uniform, corner, shared, r, c, x[u]);
      } else if (Pack > 1 && r < rows) {
#pragma unroll 1
        for (int single = c < 0 ? 0 : c; single < smaller(c + Pack, columns); ++single) {
          typename Body::template TilePack<1> one;
          Body::load_direct(p, corner, r, single, one);
          Body::template put_tile<false>(p, uniform, corner, shared, r, single, one);
        }
      }
    }
  }
}

}  // namespace cupola_device
