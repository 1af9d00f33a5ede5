#pragma once
// Tiles of two dimensions, for operands that run along another one than the last. Body (generated)
// gives, beside what strips need: Corner, corner(), Shared, Fetched, fetch(), spread(), stage(),
// TilePack, load_direct(), put_tile(), lead().
#include "kernel_strided.cuh"

namespace cupola_device {

// The first half of what begins `byte` bytes after the front of these two; a multiple of Item.
template <int Item, int Words>
CUPOLA_KERNEL_FN Vector<unsigned int, Words> bytes_from(const Vector<unsigned int, Words>& first,
                                                        const Vector<unsigned int, Words>& second,
                                                        unsigned int byte) {
  unsigned int word[2 * Words];
#pragma unroll
  for (int i = 0; i < Words; ++i) {
    word[i] = first.at[i];
    word[Words + i] = second.at[i];
  }
#pragma unroll
  for (int step = Words / 2; step >= (Item < 4 ? 1 : Item / 4); step /= 2) {
    const bool skipped = (byte & (4u * step)) != 0;
#pragma unroll
    for (int i = 0; i < Words + step; ++i) word[i] = skipped ? word[i + step] : word[i];
  }
  Vector<unsigned int, Words> result;
#pragma unroll
  for (int i = 0; i < Words; ++i) {
    result.at[i] = Item < 4 ? __funnelshift_r(word[i], word[i + 1], (byte & 3) * 8) : word[i];
  }
  return result;
}

// How many elements the place is past a multiple of N of them.
template <int N, class T>
CUPOLA_KERNEL_FN int elements_past(const T* place) {
  return static_cast<int>(reinterpret_cast<unsigned long long>(place) / sizeof(T) % N);
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

  // Columns that begin anywhere: each vector from the two aligned ones that have a part of it.
  template <class Index>
  CUPOLA_KERNEL_FN void fetch_runs(Fetched& x, const T* corner, Index stride, int rows,
                                   int columns) {
    Fetched next;
#pragma unroll
    for (int u = 0; u < kUnits; ++u) {
      int vector, group;
      const bool mine = place<kGroups>(u, vector, group);
#pragma unroll
      for (int m = 0; m < kMerged; ++m) {
        const int row = vector * kVector, column = group * kMerged + m, at = u * kMerged + m;
        if (mine && row < rows && column < columns) {
          const T* const top = corner + (row + column * stride);
          const int past = elements_past<kVector>(top);
          x.at[at] = *reinterpret_cast<const Quad*>(top - past);
          if (past != 0 && row + kVector - past < rows) {
            next.at[at] = *reinterpret_cast<const Quad*>(top - past + kVector);
          }
        }
      }
    }
    __syncwarp();
#pragma unroll
    for (int u = 0; u < kUnits; ++u) {
      int vector, group;
      place<kGroups>(u, vector, group);
#pragma unroll
      for (int m = 0; m < kMerged; ++m) {
        const int past = elements_past<kVector>(corner + (group * kMerged + m) * stride);
        const int at = u * kMerged + m;
        x.at[at] = bytes_from<kBytes>(x.at[at], next.at[at], static_cast<unsigned>(past) * kBytes);
      }
    }
  }

  // Runs: neighbours in a column are neighbours in memory, of less than 4 bytes each: a warp's
  // loads of wider elements fill whole lines anyway. Otherwise element by element.
  template <class Index>
  CUPOLA_KERNEL_FN void stage(Shared& shared, const T* corner, Index row_stride,
                              Index column_stride, int rows, int columns, bool runs) {
    if constexpr (kBytes < 4) {
      if (runs) {
        Fetched x;
        fetch_runs(x, corner, column_stride, rows, columns);
        return spread(x, shared);
      }
    }
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
    constexpr int kPart = N * kBytes < 16 ? N * kBytes : 16;
    if constexpr (Whole || N == 1) {
      using PartWord = typename WordOf<(kPart < 4 ? kPart : 4)>::type;
      using Part = Vector<PartWord, kPart / static_cast<int>(sizeof(PartWord))>;
      Vector<Part, N * kBytes / kPart> parts;
#pragma unroll
      for (int i = 0; i < N * kBytes / kPart; ++i) {
        parts.at[i] =
            *reinterpret_cast<const Part*>(shared.at + offset(row, column * kBytes + i * 16));
      }
      return bits_as<Vector<T, N>>(parts);
    } else if constexpr (kPart == N * kBytes && kPart >= 4) {
      using Part = Vector<unsigned int, kPart / 4>;
      const int past = column % N, front = (column - past) * kBytes;
      const int next = past == 0 ? front : front + kPart;
      return bits_as<Vector<T, N>>(
          bytes_from<kBytes>(*reinterpret_cast<const Part*>(shared.at + offset(row, front)),
                             *reinterpret_cast<const Part*>(shared.at + offset(row, next)),
                             static_cast<unsigned>(past) * kBytes));
    } else {
      Vector<T, N> result;
#pragma unroll
      for (int e = 0; e < N; ++e) {
        result.at[e] = bits_as<T>(
            *reinterpret_cast<const Item*>(shared.at + offset(row, (column + e) * kBytes)));
      }
      return result;
    }
  }

 private:
  using Word = typename WordOf<(kBytes < 4 ? kBytes : 4)>::type;
  using Item = Vector<Word, kBytes / static_cast<int>(sizeof(Word))>;
};

// Which tile of the last two dimensions a block takes (rows and columns; the launch puts the
// dimension along which most transposed operands run before the last), and what lies in it.
template <class Body>
struct Tile {
  using Index = typename Body::Index;
  Index row, column;
  int rows, columns;
  typename Body::Corner corner;

  CUPOLA_KERNEL_FN Tile of(const typename Body::Arguments& p, int step, int skew) {
    const Tiling& tiling = p.tiling;
    const unsigned int strip = block_x(p) / tiling.column_tiles;  // of tiles along columns
    const unsigned int batch = strip / tiling.row_tiles;
    Tile tile;
    tile.row = static_cast<Index>(strip % tiling.row_tiles) * Body::kRows;
    tile.column = static_cast<Index>(block_x(p) % tiling.column_tiles) * step;
    if (tile.column > 0) tile.column -= skew;
    tile.rows = static_cast<int>(
        smaller<Index>(static_cast<Index>(tiling.rows) - tile.row, Index{Body::kRows}));
    tile.columns = static_cast<int>(
        smaller<Index>(static_cast<Index>(tiling.columns) - tile.column, Index{Body::kColumns}));
    tile.corner = Body::corner(p, static_cast<typename Body::Flat>(batch), tile.row, tile.column);
    return tile;
  }
};

// Tiles whose operands go through shared memory where they run along rows' dimension, by whole
// 16 bytes, and whose results are stored by packs of Pack neighbours.
template <class Body, int Pack, int Unroll>
CUPOLA_KERNEL_FN void map_tiles(const typename Body::Arguments& p) {
  constexpr int kPacks = Body::kColumns / Pack, kThreads = 256;  // packs of one row
  constexpr int kAll = Body::kRows * kPacks / kThreads;
  __shared__ typename Body::Shared shared;

  const typename Body::Uniform uniform = Body::uniform(p);
  const auto tile = Tile<Body>::of(p, Body::kColumns, 0);
  typename Body::Fetched fetched;
  Body::fetch(p, tile.corner, tile.rows, tile.columns, fetched);
  typename Body::template TilePack<Pack> x[Unroll];
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const int id = static_cast<int>(threadIdx.x) + u * kThreads;
    const int r = id / kPacks, c = id % kPacks * Pack;
    if (r < tile.rows && c + Pack <= tile.columns) Body::load_direct(p, tile.corner, r, c, x[u]);
  }
  __syncwarp();  // else the compiler may wait for each load before the next, for fewer registers
  Body::spread(p, fetched, shared);
  __syncthreads();
#pragma unroll 1
  for (int step = 0; step < kAll; step += Unroll) {
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const int id = static_cast<int>(threadIdx.x) + (step + u) * kThreads;
      const int r = id / kPacks, c = id % kPacks * Pack;
      if (r < tile.rows && c + Pack <= tile.columns) {
        if (Unroll < kAll && step > 0) Body::load_direct(p, tile.corner, r, c, x[u]);
        Body::template put_tile<true>(p, uniform, tile.corner, shared, r, c, x[u]);
      } else if (Pack > 1 && r < tile.rows) {
#pragma unroll 1
        for (int single = c; single < tile.columns; ++single) {
          typename Body::template TilePack<1> one;
          Body::load_direct(p, tile.corner, r, single, one);
          Body::template put_tile<false>(p, uniform, tile.corner, shared, r, single, one);
        }
      }
    }
  }
}

// The same where addresses may be any. Columns of tiles begin for each row where results have a
// multiple of Pack elements, up to `skew` columns further in front: all packs but those at rows'
// ends are whole. Without packs (results have gaps, or lie differently) all go one by one.
template <class Body, int Pack, int Unroll>
CUPOLA_KERNEL_FN void map_skewed_tiles(const typename Body::Arguments& p) {
  constexpr int kColumns = Body::kColumns, kPacks = kColumns / Pack, kThreads = 256;
  constexpr int kAll = Body::kRows * kPacks / kThreads;
  __shared__ typename Body::Shared shared;

  const typename Body::Uniform uniform = Body::uniform(p);
  const bool packs = Pack == 1 || p.tiling.packs;
  const int skew = static_cast<int>(p.tiling.skew), width = kColumns - skew;
  const auto tile = Tile<Body>::of(p, width, skew);
  const auto begin_of = [&](int row) {
    if (skew == 0) return 0;
    return (tile.column > 0 ? skew : 0) - Body::template lead<Pack>(p, tile.corner, row);
  };
  const auto is_whole = [&](int row, int slot, int column) {
    return packs && row < tile.rows && slot * Pack < width && column >= 0 &&
           column + Pack <= tile.columns;
  };
  typename Body::template TilePack<Pack> x[Unroll];
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const int id = static_cast<int>(threadIdx.x) + u * kThreads;
    const int r = id / kPacks, c = begin_of(r) + id % kPacks * Pack;
    if (is_whole(r, id % kPacks, c)) Body::load_direct(p, tile.corner, r, c, x[u]);
  }
  Body::stage(p, tile.corner, tile.rows, tile.columns, shared);
  __syncthreads();
#pragma unroll 1
  for (int step = 0; step < kAll; step += Unroll) {
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const int id = static_cast<int>(threadIdx.x) + (step + u) * kThreads;
      const int r = id / kPacks, c = begin_of(r) + id % kPacks * Pack;
      if (!is_whole(r, id % kPacks, c)) continue;
      if (Unroll < kAll && step > 0) Body::load_direct(p, tile.corner, r, c, x[u]);
      Body::template put_tile<false>(p, uniform, tile.corner, shared, r, c, x[u]);
    }
  }
  if (Pack == 1 || (packs && tile.column > 0 && tile.columns == kColumns)) return;

  // Pack places in front of the first whole pack of a row, and as many behind the last one.
  const auto at_end = [&](int row, int place) {
    const int begin = begin_of(row), end = smaller(begin + width, tile.columns);
    const int rest = begin + (end - begin) / Pack * Pack;
    const int column = place < Pack ? begin + place : rest + place - Pack;
    const bool single = place < Pack ? begin < 0 : rest >= 0;
    return single && column < end ? column : -1;
  };
  const int all = Body::kRows * (packs ? 2 * Pack : kColumns);
#pragma unroll 1
  for (int first = static_cast<int>(threadIdx.x); first < all; first += kThreads * Unroll) {
    typename Body::template TilePack<1> one[Unroll];
    int row[Unroll], column[Unroll];
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const int id = first + u * kThreads;
      row[u] = packs ? id / (2 * Pack) : id / kColumns;
      column[u] = packs ? at_end(row[u], id % (2 * Pack)) : id % kColumns;
      if (row[u] >= tile.rows || column[u] >= tile.columns) column[u] = -1;
      if (column[u] >= 0) Body::load_direct(p, tile.corner, row[u], column[u], one[u]);
    }
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      if (column[u] < 0) continue;
      Body::template put_tile<false>(p, uniform, tile.corner, shared, row[u], column[u], one[u]);
    }
  }
}

}  // namespace cupola_device
