#pragma once
// Maps that only bring whole rows from or to other places: `a[rows]` and `a[rows] = values`.

#include <optional>

#include "codegen/plan.h"
#include "platforms/cpu/interpreter/stages.h"
#include "platforms/cpu/interpreter/tile_program.h"

namespace cupola::cpu {

struct RowCopies {
  std::int64_t count, bytes;      // rows, and of each
  const OperandArgument* places;  // of each row's first element, int64
  std::int64_t shift;             // to be added to them
  const OperandArgument* rows;    // one behind the other, or with steps between them
  char* picked;                   // the memory that places are of
  std::int64_t item;              // bytes of an element
  bool stores;                    // rows go to their places
};

// Nothing: the map does something else, or rows are too short to gain.
std::optional<RowCopies> find_row_copies(const TileProgram& program,
                                         const LaunchArguments& arguments);
void run_row_copies(const RowCopies& copies, const Dims& extents, std::int64_t grain,
                    Stages& stages);

}  // namespace cupola::cpu
