#pragma once
// The sizes that a text for operands with strides is made for.

#include <string>

#include "codegen/plan.h"

namespace cupola {

// Interleaved rows that one thread takes, at most.
constexpr int kInterleavedRows = 4;

struct StridedSizes {
  int strip = 0;        // neighbours of a strip
  int short_strip = 0;  // where operands have gaps along the strip
  int across = 0;       // neighbours of a strip across the ends of rows; 0: there are none
  int interleaved = 0;  // neighbours of a strip of interleaved rows; 0: there are none
  int tile_rows = 0;    // 0: the text has no tiles
  int tile_columns = 0;
  int tile_pack = 1;    // neighbours along columns that are stored together
  int tile_unroll = 1;  // such packs per thread at one time
};

// Members for strips and tiles.
std::string strided_text(const KernelPlan& plan, const StridedSizes& sizes);

}  // namespace cupola
