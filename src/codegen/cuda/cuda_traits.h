#pragma once
// What the CUDA text of a plan and its launch must agree on.

#include <string_view>
#include <vector>

#include "codegen/plan.h"

namespace cupola {

// How a map kernel goes through its elements.
enum class MapWay : std::uint8_t {
  packs,     // each thread takes packs of neighbours; all operands are contiguous and aligned
  elements,  // strips, tiles, or single elements by neighbouring threads: as the strides ask
  scatter,   // two passes over a table of owners, or one block for few elements
  in_order,  // one block, strictly in row-major order
  tallied,   // each block sums its elements in shared memory first
  masked,    // a warp to each tile of a mask
  parted,    // rows in chunks: elements of each bin are counted, then brought to their places
  sorted,    // a block, or of short rows a warp, to each row
};

inline constexpr unsigned int kCudaBlock = 256;  // threads of nearly every block

// Interleaved rows that one thread takes, at most.
constexpr int kInterleavedRows = 4;

struct CudaTraits {
  MapWay way = MapWay::elements;
  int pack = 1;          // elements of a pack
  int unroll = 1;        // packs or elements per thread
  bool in_turn = false;  // packs one after the other, as many per thread as a launch says
  int strip = 0;         // neighbours of a strip; 0: the text has no strips
  int short_strip = 0;   // where operands have gaps along the strip
  int across = 0;        // neighbours of a strip across the ends of rows; 0: there are none
  int interleaved = 0;   // neighbours of a strip of interleaved rows; 0: there are none
  int tile_rows = 0;     // 0: the text has no tiles
  int tile_columns = 0;
  int tile_pack = 1;          // neighbours along columns that are stored together
  int tile_unroll = 1;        // such packs per thread at one time
  int kept_rank = 0;          // dimensions that are not reduced
  std::vector<int> scatters;  // outputs that scatter
  bool needs_locks = false;   // combines 16-byte elements
  int items = 0;              // parted, sorted: elements that a thread holds, at most
  unsigned int threads = kCudaBlock;
  bool reorderable = true;        // the combination of a reduction
  bool may_pack_rows = false;     // some input allows wide loads along rows
  bool may_have_columns = false;  // some input may run along kept dimensions
  // The kernels that the text holds: their names are CudaCode::entry with these suffixes.
  // Compiled with CUPOLA_KERNEL=number, the text gives kernel `number` alone.
  std::vector<const char*> kernels;
  // Several launches can be one: the text holds each kernel once more, for launches with its number
  // and the number of kernels, together.
  bool joins = false;
  bool reduces_rows = false;  // rows: the kernels are those of reductions
  // rows: a thread holds so many quads of a row at most; 0: its elements are read again and again.
  int held_quads = 0;
  int state_bytes = 16;  // at least the size of a reduction's state
};

CudaTraits cuda_traits(const KernelPlan& plan);

// An input that steps load at the current element, once per element.
bool is_loaded(const KernelPlan& plan, std::size_t input);
// Whether an input is in two pieces (LaunchArguments::turns).
bool has_turns(const KernelPlan& plan);
// Steps that keep a thread busy, and take much code: it does one thing at a time.
bool has_long_steps(const KernelPlan& plan);
// Strips of `strip` neighbours that one thread takes at one time.
int strip_unroll(const KernelPlan& plan, int strip);
// Its text has tiles, and a contiguous operand for them to find its way in.
bool has_flat_strides(const KernelPlan& plan);
// segment_reduce walks along the last dimension from given elements: its inputs go by strides.
OperandLayout effective_layout(const KernelPlan& plan, std::size_t input);

}  // namespace cupola
