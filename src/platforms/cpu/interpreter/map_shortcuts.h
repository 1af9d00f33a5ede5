#pragma once
// What maps need not do step by step, or tile by tile.

#include <vector>

#include "platforms/cpu/interpreter/tile_program.h"

namespace cupola::cpu {

// The loop of a step of two arguments that reads one element of that one; null: there is none.
LoopFunction scalar_loop_of(const TileProgram& program, std::size_t step, int argument);
// Lets gathers compute indices that are counted from the end. `last` has the last step that reads
// each value.
void join_counted_gathers(TileProgram& program, std::vector<int>& last);
// Lets limits from below and above that are numbers be one step.
void join_limits(TileProgram& program, std::vector<int>& last);
// Lets a sum with a product of values and a number be one step.
void join_products(TileProgram& program, std::vector<int>& last);
// Sets program.in_order.
void find_order(TileProgram& program);
// Sets may_follow and program.copies_rows.
void find_rows(TileProgram& program);
// Sets may_be_one and one_loops, once all other loops are chosen.
void find_ones(TileProgram& program);
// Sets `pair` of steps that compute the first result of a ufunc whose second one comes next.
void find_pairs(TileProgram& program);
// Sets program.untiled, once outputs are assigned.
void find_untiled(TileProgram& program);
// Sets program.linear and program.by_rows.
void find_linear(TileProgram& program);

}  // namespace cupola::cpu
