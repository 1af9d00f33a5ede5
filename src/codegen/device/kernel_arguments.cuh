#pragma once
// What every generated kernel receives, in front of the fields of its own plan. Compiled by the
// host, which fills it, and embedded in the kernels, which read it: the layout has one definition.

namespace cupola_device {

struct KernelHeader {
  unsigned long long count;   // elements of the iteration space; of the kept space in reductions
  unsigned long long length;  // elements of one row: the reduced or scanned extents together
  unsigned long long tiles;   // parts into which a row is cut
  unsigned long long tile;    // elements of one part
  unsigned long long slots;   // of a scatter's table, a power of two; of a tally
  unsigned int lanes;         // threads that share a row
  unsigned int lead;          // elements that the first strip of a map lacks in front
  unsigned int first_x;       // of the blocks of the launch, those of this part begin there
  unsigned int first_y;
  void* scratch;
  void* mirror;  // of the only result of a reduction, in host memory; null: there is none
};

// How a map goes through tiles of two dimensions.
struct Tiling {
  unsigned long long rows;     // extents of the two dimensions
  unsigned long long columns;  // the last dimension
  unsigned int row_tiles;
  unsigned int column_tiles;
  unsigned int skew;   // columns that tiles share, as rows' parts begin where results are aligned
  unsigned int packs;  // whether results are stored by packs at all
  unsigned long long staged;  // inputs that go through shared memory: bit k is input k
  unsigned long long runs;    // those of small elements that are neighbours in memory along rows
};

// Locks at the front of the scratch of a kernel that combines 16-byte elements.
constexpr unsigned int kLocks = 4096;

// Places of a tally, at most, and threads of the blocks that do it.
constexpr unsigned int kTallyPlaces = 4096;
constexpr unsigned int kTallyThreads = 512;

// Elements whose mask one warp counts, or numbers.
constexpr unsigned int kMaskTile = 1024;

// A tile of a row, which one block scans: states of so many bytes, each counted as at least 4. As
// many as its registers hold, since what a tile waits for takes as long whatever its size. Tiles of
// longer rows wait for each other, in groups and groups of groups of so many. In their scratch come
// first, for each row, numbers that say which tile is next, as many of them as whole pieces of
// kScanTickets hold.
constexpr unsigned int kScanBytes = 32768;
constexpr unsigned int kScanGroup = 32;
constexpr unsigned int kScanTickets = 4;  // 16 bytes

// Bins into which elements of a row are parted, at most, and threads of the blocks that do it.
constexpr unsigned int kBins = 256;
constexpr unsigned int kPartThreads = 512;
// Chunks of such a row whose counts lie together, and are summed by one thread.
constexpr unsigned int kChunkGroup = 8;

// A copy of bytes, by so many blocks: what they have under way at one time keeps the link between
// host and device busy. Pointers are multiples of 16.
struct CopyArguments {
  unsigned char* target;
  const unsigned char* source;
  unsigned long long bytes;
};
constexpr unsigned int kCopyBlocks = 8;
constexpr unsigned int kCopyThreads = 512;

// A selection by rank: ranks that are looked for at once, places at which a block counts, threads
// of its blocks, dimensions of rows.
constexpr unsigned int kSelectRanks = 8;
constexpr unsigned int kSelectPlaces = 4096;
constexpr unsigned int kSelectThreads = 512;
constexpr unsigned int kSelectDims = 64;
// What is known of a row's ranks, in scratch.
struct SelectRow {
  unsigned long long prefix[kSelectRanks];   // upper bits of the keys, as their low ones
  unsigned long long rest[kSelectRanks];     // elements of that prefix, or part, that come before
  unsigned int slot[kSelectRanks];           // the first rank with that prefix, whose counts it has
  unsigned int part[kSelectRanks];           // of the row, for elements of which several are equal
  unsigned long long counts[kSelectPlaces];  // of each slot
};
struct SelectArguments {
  const void* in;
  const long long* ranks;
  void* out;
  void* scratch;  // a SelectRow for each row of the launch
  unsigned long long length;
  long long step;                      // elements
  unsigned long long rows, first_row;  // of the whole problem; where those of the launch begin
  unsigned int rank_count, ranks_of_all;
  unsigned int known, width;       // bits of the keys: found so far, and to be counted
  unsigned int by_part, part_log;  // instead, equal elements are counted in parts of 2^part_log
  unsigned int rank;               // dimensions of the rows
  long long extents[kSelectDims], strides[kSelectDims];
};

// Division by a number that is known at launch. Exact for 0 <= n < 2^31 (2^63).
struct Divider32 {
  unsigned int divisor;
  unsigned int multiplier;
  unsigned int shift;
};
struct Divider64 {
  unsigned long long divisor;
  unsigned long long multiplier;
  unsigned long long shift;
};

}  // namespace cupola_device
