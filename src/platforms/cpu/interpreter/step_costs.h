#pragma once
// What an element of a program takes, before it runs: whether it begins at the call, and how many
// threads share it.

#include "platforms/cpu/interpreter/tile_program.h"

namespace cupola::cpu {

// Nanoseconds of one thread, some four times what loops take that find their data in the caches.
double cost_of_element(const TileProgram& program);

}  // namespace cupola::cpu
