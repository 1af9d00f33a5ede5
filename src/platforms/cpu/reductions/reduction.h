#pragma once
// What reductions and scans share: the shape of the work and the fixed tree.
//
// The tree depends on nothing but the number of combined elements, so that results are the same
// bits for every number of threads, every memory layout and fused or not. It is: leaves of
// kLeaf consecutive elements, joined two by two. Within a leaf of n >= kLanes elements, lane l
// combines l, l + kLanes, ... in order, then lane l joins lane l + 32, l + 16, ... l + 1; fewer
// elements are combined in order.

#include <cstdint>
#include <utility>

#include "platforms/cpu/interpreter/stages.h"
#include "platforms/cpu/interpreter/tile_evaluator.h"

namespace cupola::cpu {

inline constexpr std::int64_t kLanes = 64;
inline constexpr std::int64_t kLeaf = 1024;
// One task combines at most this many elements of one result; a power of two times kLeaf.
inline constexpr std::int64_t kChunk = 64 * kLeaf;
// Of shorter rows, elements are combined along.
inline constexpr std::int64_t kShortestRowAcross = 16;
// Depths of a TreeStack: for the lanes of a leaf or the leaves of a chunk, and for anything.
inline constexpr int kChunkDepth = 8;
inline constexpr int kFullDepth = 50;

// The iteration space of a reduction as kept x reduced.
struct ReductionShape {
  explicit ReductionShape(const TileProgram& program, const LaunchArguments& arguments);
  std::int64_t kept = 1;
  std::int64_t reduced = 1;
  int kept_rank = 0;
  std::int64_t kept_row = 1;  // the last kept extent
  std::int64_t chunks() const { return (reduced + kChunk - 1) / kChunk; }
  // Chunk `i` of all chunks of all kept positions.
  struct Chunk {
    std::int64_t kept;
    std::int64_t first;  // reduced position
    std::int64_t count;
  };
  Chunk chunk(std::int64_t i) const {
    if (reduced <= kChunk) return {i, 0, reduced};
    const std::int64_t first = i % chunks() * kChunk;
    return {i / chunks(), first, reduced - first < kChunk ? reduced - first : kChunk};
  }
  // Elements of consecutive kept positions lie closer together than those to be combined, or
  // there are too few of the latter: better to combine whole rows of kept elements.
  bool across = false;
};

// The lane that comes i-th where lanes are joined as leaves of a tree.
inline std::int64_t bit_reversed_lane(std::int64_t i) {
  std::int64_t lane = 0;
  for (int bit = 0; bit < 6; ++bit) lane |= (i >> bit & 1) << (5 - bit);
  return lane;
}

// Kept positions [first, first + count) that lie in one kept row.
struct KeptTile {
  std::int64_t first;
  std::int64_t count;
};
struct KeptTiles {
  explicit KeptTiles(const ReductionShape& shape);
  std::int64_t width;
  std::int64_t per_row;
  std::int64_t count;
  std::int64_t row;
  KeptTile operator[](std::int64_t i) const;
};

// Joins results of equal weight as they come: the tree above the leaves. Every entry has `width`
// values.
class TreeStack {
 public:
  // At most 2^(depth - 2) leaves come.
  TreeStack(LoopFunction combine, std::size_t item_size, std::int64_t width, int depth,
            Scratch& scratch);
  // Memory for the next entry.
  void* next() { return entry(size_); }
  // The next entry has been written; it stands for 2^level leaves.
  void push(int level = 0);
  // Joins what is left, from the last to the first, and empties the stack.
  void* fold();

 private:
  void* entry(int i) { return memory_ + static_cast<std::int64_t>(i) * entry_bytes_; }
  void join_top();

  LoopFunction combine_;
  std::int64_t width_;
  std::int64_t entry_bytes_;
  char* memory_;
  int levels_[64];
  int size_ = 0;
};

// Joins what parts of equal weight combine to, `width` values each and one after the other.
void* join_parts(const TileProgram& program, const char* partials, std::int64_t parts,
                 std::int64_t width, Scratch& scratch);
// Writes accumulators [kept.first, + kept.count) to the reduction's output, cast.
void store_results(const TileProgram& program, const LaunchArguments& arguments, KeptTile kept,
                   const void* accumulators, Scratch& scratch);
// What a reduction of so many elements, which lie one after the other, stores. The ufunc is
// reorderable.
void combine_in_memory(UfuncId id, DType dtype, const void* values, std::int64_t count,
                       void* result);
// The number of the first largest or smallest of them, int64.
void find_in_memory(UfuncId id, DType dtype, const void* values, std::int64_t count, void* result);
// What a scan of so many elements, which lie one after the other, stores for each.
void scan_in_memory(UfuncId id, DType dtype, const void* values, std::int64_t count,
                    void* prefixes);
// The result of combining nothing: the ufunc's identity (zero where it has none).
Scalar identity_of(const CombineSpec& combine);
// As store_results, all outputs.
void store_identity(const TileProgram& program, const LaunchArguments& arguments,
                    const ReductionShape& shape);

// Whether rows are reduced across, lie one after the other, and are so short that results of many
// stay in the cache.
bool has_short_rows(const TileProgram& program, const LaunchArguments& arguments,
                    const ReductionShape& shape);
// Of a program that combines as a tree, with results. False, and no stage: it has no such rows.
bool reduce_short_rows(const TileProgram& program, const LaunchArguments& arguments,
                       const ReductionShape& shape, Stages& stages);

// The rows that are reduced, where they lie in memory one after the other and nothing is computed
// of their elements.
class RowsInMemory {
 public:
  RowsInMemory(const TileProgram& program, const LaunchArguments& arguments,
               const ReductionShape& shape);
  bool any() const { return first_ != nullptr; }
  // Element `i` of row `kept`.
  const char* at(std::int64_t kept, std::int64_t i) const {
    return first_ + (kept * length_ + i) * size_;
  }

 private:
  const char* first_ = nullptr;
  std::int64_t length_;
  std::int64_t size_;
};

}  // namespace cupola::cpu
