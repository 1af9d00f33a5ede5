#pragma once
// A KernelPlan made ready for the CPU: loops looked up, tile buffers assigned.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "codegen/plan.h"
#include "codegen/row_program.h"
#include "platforms/cpu/interpreter/loops.h"
#include "platforms/cpu/modules/user_loops.h"

namespace cupola::cpu {

struct TileStep {
  StepKind kind;
  DType dtype;
  std::size_t item_size;
  std::array<std::int16_t, 3> args;
  std::uint16_t index;          // user, without a loop: of the program's calls
  LoopFunction loop = nullptr;  // cast, ufunc, select, user
  bool is_call() const { return kind == StepKind::user && loop == nullptr; }
  bool uniform = false;      // the same value everywhere: computed once per task
  bool repeats = false;      // uniform, and read by loops only: a few values stand for all
  unsigned scalar_args = 0;  // a bit for each argument of which the loop reads one element
  bool reads_one(int argument) const { return (scalar_args >> argument & 1) != 0; }
  bool in_place = false;    // a load that is read where it lies, if the tile has unit stride
  int slot = -1;            // tile buffer
  int output = -1;          // the plain output that may be written directly
  bool counts = false;      // a gather at args[0], plus args[2] where that is below args[1]
  bool may_follow = false;  // a sum of places, those of a row perhaps one after the other
  bool finds_rows = false;  // a load that only such sums read
  bool may_be_one = false;  // a load of which one element may stand for a tile
  std::array<LoopFunction, 2> one_loops{};  // for each argument of which it may
  PairFunction pair = nullptr;              // computes this step and the next one
  bool is_part = false;  // of a step that computes it: a gather, an index, limits, a sum, a call
  // Plans of kind `rows`.
  StepLevel level = StepLevel::element;
  int depth = 0;                  // combinations below it, one upon the other
  bool spread = false;            // one value for each row, that steps for each element read
  bool starts_from_zero = false;  // a sum of floating-point numbers: never -0
  const ReduceLoops* reduce = nullptr;
};

// A call of a user's function that is no loop of a step: one step makes it, and others take further
// results from it.
struct TileCall {
  const UserLoops* loops;
  std::vector<std::int16_t> args;
  std::vector<int> results;  // the step of each output; -1: nobody reads it
  std::vector<int> unread;   // tile buffers of those outputs
};

struct SeparateReductions;

struct TileProgram {
  // Throws CompileError when the plan asks for a loop that does not exist.
  explicit TileProgram(KernelPlan source);

  KernelPlan plan;
  std::vector<TileStep> steps;
  std::vector<TileCall> calls;
  // The values that a step is computed from.
  std::span<const std::int16_t> arguments(const TileStep& step) const;
  bool reads(const TileStep& step, std::int16_t number) const;

  std::vector<std::size_t> slot_item_sizes;
  std::vector<bool> slot_repeats;      // of steps that repeat
  std::int64_t repeated_elements = 0;  // that such a slot has; 0: there are none
  std::int64_t tile_elements = 0;      // a multiple of 1024; of maps, of 256
  double cost = 0;                     // nanoseconds for each element, about
  bool all_contiguous = false;         // every load and plain output is contiguous or broadcast
  // The step of a map that makes the only output of operands that lie there, and of numbers that
  // its loop reads by themselves, or of a line: it needs no tiles. -1: there is none.
  int untiled = -1;
  bool copies_rows = false;  // a step may_follow: what is gathered or scattered may be whole rows
  bool in_order = false;     // expand: what is stored are inputs one after the other
  bool linear = false;       // a map of operands that lie there, and of numbers: for linear_map.h
  bool by_rows = false;      // the same of operands of any strides

  // Reductions and scans.
  int value = -1;
  bool tree = false;  // may be combined as a tree
  ReduceLoops reduce;
  ExtremumLoops extremum;
  // Of the combined value, before `finish` or into the output; null: none.
  LoopFunction output_cast = nullptr;
  std::size_t cast_item_size = 0;               // after it
  std::shared_ptr<const TileProgram> finish{};  // of the combined values, contiguous; may be null
  // Rows that are combined once, and may be too long to stay in the cache: a reduction for each
  // combining step, and the values of rows from what comes out. Null for other plans.
  std::shared_ptr<const SeparateReductions> separate{};
  // ufunc.at: one loop per output, null for other stores.
  std::vector<LoopFunction> combine_loops;
};

// The reductions have the inputs and scalars of the plan; `values` has first the results of them,
// without gaps, then the inputs and scalars, over the kept dimensions.
struct SeparateReductions {
  explicit SeparateReductions(const KernelPlan& plan);
  std::vector<int> combined;  // steps of the plan, one for each reduction
  std::vector<TileProgram> reductions;
  std::vector<TileProgram> values;  // one
};

}  // namespace cupola::cpu
