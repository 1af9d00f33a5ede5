#pragma once
// Maps over operands that run along another dimension than the results: some rows at a time, for
// which such operands are brought into the results' order first.

#include "codegen/plan.h"
#include "platforms/cpu/interpreter/stages.h"
#include "platforms/cpu/interpreter/tile_program.h"

namespace cupola::cpu {

// Whether run_bands() is the way to run a map with plain outputs.
bool has_transposed_operands(const TileProgram& program, const LaunchArguments& arguments);
void run_bands(const TileProgram& program, const LaunchArguments& arguments, Stages& stages);

}  // namespace cupola::cpu
