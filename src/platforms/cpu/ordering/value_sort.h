#pragma once
// Sorting of values alone: only their order is stored, with vectors (kernels/sort_tables.h).

#include "platforms/cpu/interpreter/stages.h"
#include "platforms/cpu/interpreter/tile_program.h"

namespace cupola::cpu {

// For a plan with StoreKind::sort: it stores its keys and nothing else, and this machine has the
// functions for them.
bool sorts_values(const TileProgram& program);
void run_value_sort(const TileProgram& program, const LaunchArguments& arguments, Stages& stages);
// Whether rows may have any length: two partitions of values of 2 bytes take no longer, nor do
// those of complex numbers by many threads.
bool sorts_long_values(DType dtype);

}  // namespace cupola::cpu
