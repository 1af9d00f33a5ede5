#pragma once
// Maps of operands that lie in memory as their elements are numbered, all of them or those of each
// row: each step with the addresses of what it reads and writes, so that a tile costs little more
// than its loops.

#include <array>
#include <cstdint>

#include "platforms/cpu/interpreter/tile_evaluator.h"

namespace cupola::cpu {

class LinearMap {
 public:
  // Of a program that is linear, or lies in rows; its tiles have at most as many elements as the
  // evaluator's. Everything borrowed must outlive this.
  LinearMap(const TileProgram& program, const LaunchArguments& arguments, TileEvaluator& evaluator,
            Scratch& scratch);
  LinearMap(const LinearMap&) = delete;
  LinearMap& operator=(const LinearMap&) = delete;

  // Whether elements of a row follow each other in every operand, or are one, so that run_rows()
  // may be called.
  static bool lies_in_rows(const TileProgram& program, const LaunchArguments& arguments);

  // Elements first .. end-1 of a linear program.
  void run(std::int64_t first, std::int64_t end) const;
  // Rows first .. end-1 along the last dimension.
  void run_rows(std::int64_t first, std::int64_t end);

 private:
  // Of operands, the address of the first element and bytes from element to element; of buffers,
  // an address and 0.
  struct Place {
    char* first = nullptr;
    std::int64_t step = 0;
    const std::int64_t* row = nullptr;  // bytes from there to the row
    char* at(std::int64_t element) const { return first + *row + element * step; }
  };
  struct Call {
    LoopFunction loop = nullptr;  // null: elements are copied, or one of them repeated
    Place inputs[3];
    Place result;
    std::int64_t item_size = 0;
    bool repeats = false;
    int spread = -1;  // the step of which it spreads the one element
  };
  // Bytes from one row to the next along each dimension but the last.
  struct Rows {
    std::int64_t offset = 0;
    std::array<std::int64_t, kMaxRank> steps;
  };

  void add_loop(const TileStep& step, int i);
  void add_store(std::size_t output);
  void set_rows(const Dims& strides, DType dtype, Rows& rows) const;
  void go_to_row(std::int64_t row);
  void go_to_next_row();
  bool is_one(int step) const;
  Place place_of(int step) const;
  // All elements of a load that has one for each row.
  Place spread(int step);
  Place input_place(std::size_t input) const;
  Place output_place(std::size_t output) const;
  // The output that is this value and shares no memory with any input; -1: there is none.
  int output_of(int step) const;
  bool is_apart(std::size_t output) const;

  const TileProgram& program_;
  const LaunchArguments& arguments_;
  TileEvaluator& evaluator_;
  const bool by_rows_;
  Call* const calls_;
  Rows* const rows_;  // of inputs and outputs
  std::size_t count_ = 0;
  std::int64_t tile_;
  const std::int64_t here_ = 0;
  std::array<std::int64_t, kMaxRank> position_{};
};

}  // namespace cupola::cpu
