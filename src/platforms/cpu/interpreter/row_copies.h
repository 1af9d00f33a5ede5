#pragma once
// Maps that only bring whole rows from or to other places: `a[rows]` and `a[rows] = values`.

#include "codegen/plan.h"
#include "platforms/cpu/interpreter/stages.h"
#include "platforms/cpu/interpreter/tile_program.h"

namespace cupola::cpu {

// False: the map does something else, or rows are too short to gain, and there is no stage.
bool run_row_copies(const TileProgram& program, const LaunchArguments& arguments, Stages& stages);

}  // namespace cupola::cpu
