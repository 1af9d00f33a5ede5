#pragma once
// Where the values of a tile program's steps lie: in the outputs' memory, or in buffers of a tile.

#include <vector>

#include "platforms/cpu/interpreter/tile_program.h"

namespace cupola::cpu {

// The last step that reads each value; outputs read at the end.
std::vector<int> last_uses(const TileProgram& program);
// Sets the steps' outputs.
void assign_outputs(TileProgram& program, const std::vector<int>& last);
// Sets the slots of steps and calls.
void assign_slots(TileProgram& program, const std::vector<int>& last);
// Sets program.tile_elements and program.all_contiguous, once slots are assigned.
void choose_tile(TileProgram& program);

}  // namespace cupola::cpu
