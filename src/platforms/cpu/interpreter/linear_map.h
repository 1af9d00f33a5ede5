#pragma once
// Maps of operands that lie in memory as their elements are numbered: each step with the addresses
// of what it reads and writes, so that a tile costs little more than its loops.

#include <cstdint>

#include "platforms/cpu/interpreter/tile_evaluator.h"

namespace cupola::cpu {

class LinearMap {
 public:
  // Of a program that is linear, whose tiles have at most as many elements as the evaluator's.
  // Everything borrowed must outlive this.
  LinearMap(const TileProgram& program, const LaunchArguments& arguments, TileEvaluator& evaluator,
            Scratch& scratch);

  // Elements first .. end-1.
  void run(std::int64_t first, std::int64_t end) const;

 private:
  // Of operands, the address of the first element and bytes from element to element; of buffers,
  // an address and 0.
  struct Place {
    char* first = nullptr;
    std::int64_t step = 0;
    char* at(std::int64_t element) const { return first + element * step; }
  };
  struct Call {
    LoopFunction loop = nullptr;  // null: elements are copied, or one of them repeated
    Place inputs[3];
    Place result;
    std::int64_t item_size = 0;
    bool repeats = false;
  };

  void add_loop(const TileStep& step, int i);
  void add_store(std::size_t output);
  Place place_of(int step) const;
  Place output_place(std::size_t output) const;
  // The output that is this value and shares no memory with any input; -1: there is none.
  int output_of(int step) const;
  bool is_apart(std::size_t output) const;

  const TileProgram& program_;
  const LaunchArguments& arguments_;
  TileEvaluator& evaluator_;
  Call* const calls_;
  std::size_t count_ = 0;
  std::int64_t tile_;
};

}  // namespace cupola::cpu
