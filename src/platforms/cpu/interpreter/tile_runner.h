#pragma once
// Runs whole plans: every kind of KernelPlan over tiles, on the thread pool where that pays.

#include <cstdint>
#include <span>

#include "codegen/plan.h"
#include "platforms/cpu/interpreter/stages.h"
#include "platforms/cpu/interpreter/tile_program.h"

namespace cupola::cpu {

// Nanoseconds of one thread, about.
std::int64_t cost_of(const TileProgram& program, const LaunchArguments& arguments);

// Throws LaunchError when the arguments do not fit the plan.
void check_arguments(const TileProgram& program, const LaunchArguments& arguments);

// What `stages` says of the launch; returns when that is done.
void run_plan(const TileProgram& program, const LaunchArguments& arguments, Stages& stages);
// All of it.
void run_plan(const TileProgram& program, const LaunchArguments& arguments);
LaunchStages stages_of(const TileProgram& program, const LaunchArguments& arguments);

void run_map(const TileProgram& program, const LaunchArguments& arguments, Stages& stages);

// One per family of kernels, in a file <family>_runner.cc.
void run_elementwise(const TileProgram& program, const LaunchArguments& arguments, Stages& stages);
void run_scatter(const TileProgram& program, const LaunchArguments& arguments, Stages& stages);
void run_tally(const TileProgram& program, const LaunchArguments& arguments, Stages& stages);
void run_mask(const TileProgram& program, const LaunchArguments& arguments, Stages& stages);
void run_partition(const TileProgram& program, const LaunchArguments& arguments, Stages& stages);
// Of those, with so few bins that one is stored after the other.
bool has_few_bins(const TileProgram& program);
void run_few_bins(const TileProgram& program, const LaunchArguments& arguments, Stages& stages);
void run_sort(const TileProgram& program, const LaunchArguments& arguments, Stages& stages);
void run_reduce(const TileProgram& program, const LaunchArguments& arguments, Stages& stages);
// Of several that combine as trees along memory and have the same iteration space: all, in one
// pass. False: they do not, and there is no stage.
bool reduce_together(std::span<const TileProgram> programs,
                     std::span<const LaunchArguments> arguments, Stages& stages);
void run_arg_reduce(const TileProgram& program, const LaunchArguments& arguments, Stages& stages);
void run_scan(const TileProgram& program, const LaunchArguments& arguments, Stages& stages);
void run_segments(const TileProgram& program, const LaunchArguments& arguments, Stages& stages);
void run_rows(const TileProgram& program, const LaunchArguments& arguments, Stages& stages);
void run_separate_reductions(const TileProgram& program, const LaunchArguments& arguments,
                             Stages& stages);
// Of rows that are combined once: what each of the steps `combined` combines, for each row, without
// gaps. False: the rows do not lie side by side, or are very long, and there is no stage.
bool combine_together(const TileProgram& program, const LaunchArguments& arguments,
                      std::span<const int> combined, std::span<char* const> results,
                      Stages& stages);

}  // namespace cupola::cpu
