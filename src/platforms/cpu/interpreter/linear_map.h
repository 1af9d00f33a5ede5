#pragma once
// Maps of operands whose elements lie in memory in their order, all of them or those of each row:
// each step with the addresses of what it reads and writes, so that a tile costs little more than
// its loops.

#include <array>
#include <cstdint>

#include "platforms/cpu/interpreter/tile_evaluator.h"

namespace cupola::cpu {

class LinearMap {
 public:
  // Of a program that is linear, or goes by rows; its tiles have at most as many elements as the
  // evaluator's. Everything borrowed must outlive this.
  LinearMap(const TileProgram& program, const LaunchArguments& arguments, TileEvaluator& evaluator,
            Scratch& scratch);
  LinearMap(const LinearMap&) = delete;
  LinearMap& operator=(const LinearMap&) = delete;

  // Elements first .. end-1 of a linear program.
  void run(std::int64_t first, std::int64_t end) const;
  // Of a program that goes by rows: what comes after a tile is fetched while it is computed. Its
  // steps go through it one after the other, so that what fetches by itself sees no stream.
  void fetch_ahead();
  // Rows first .. end-1, along the last dimension, of one that goes by rows.
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
  enum class CallKind : std::uint8_t { compute, compute_pair, repeat, gather, scatter };
  struct Call {
    CallKind kind = CallKind::compute;
    LoopFunction loop = nullptr;  // compute
    PairFunction pair = nullptr;  // compute_pair
    Place inputs[3];
    Place result;
    Place second;             // compute_pair
    std::int64_t stride = 1;  // gather, scatter: elements
    std::size_t item_size = 0;
    int load = -1;  // the load that it brings into a buffer
  };
  // Where an operand's rows lie.
  struct Rows {
    std::int64_t offset = 0;                   // bytes to the row
    const Dims* turns = nullptr;               // LaunchArguments::turns; null: it is in one piece
    std::array<std::int64_t, kMaxRank> steps;  // bytes along each dimension
    bool turns_at(std::size_t dimension, std::int64_t position) const {
      return turns != nullptr && position > 0 && (*turns)[dimension] == position;
    }
  };

  // What is fetched ahead of a tile: so many bytes after it.
  struct Ahead {
    Place place;
    std::int64_t distance = 0;
    bool is_written = false;
  };
  static constexpr std::size_t kMaxAhead = 8;

  void add_ahead(const Place& place, std::size_t operand, bool is_written);
  void fetch(std::int64_t begin, std::int64_t count) const;
  void add_rows(const OperandArgument& operand, DType dtype, const Dims* turns);
  void find_pieces(Scratch& scratch);
  void add_loop(const TileStep& step, int i);
  void add_store(std::size_t output);
  Call& add_move(CallKind kind, const Place& from, const Place& to, std::size_t item_size);
  void go_to_row(std::int64_t row);
  void go_to_next_row();
  // Of elements of a row; 1 where the program is linear.
  std::int64_t stride_of_load(int step) const;
  std::int64_t stride_of_output(std::size_t output) const;
  bool is_load(int step) const;
  Place place_of(int step) const;
  // All elements of a load, side by side.
  Place brought(int step);
  Place output_place(std::size_t output) const;
  // The output that is this value and shares no memory with any input; -1: there is none.
  int output_of(int step) const;
  bool is_apart(std::size_t output) const;

  const TileProgram& program_;
  const LaunchArguments& arguments_;
  TileEvaluator& evaluator_;
  const bool by_rows_;
  Call* const calls_;
  std::size_t count_ = 0;
  Rows* const rows_;  // of inputs and outputs
  std::size_t operands_ = 0;
  std::int64_t* pieces_ = nullptr;  // where the pieces of a row end, in which no operand turns
  std::size_t piece_count_ = 0;
  std::int64_t tile_;
  bool reads_repeated_ = false;  // a buffer of a few copies of one value
  std::array<Ahead, kMaxAhead> ahead_;
  std::size_t ahead_count_ = 0;
  const std::int64_t here_ = 0;
  std::array<std::int64_t, kMaxRank> position_{};
};

}  // namespace cupola::cpu
