#pragma once
// Runs the steps of a tile program on one tile.

#include <array>
#include <cstdint>

#include "platforms/cpu/interpreter/scratch.h"
#include "platforms/cpu/interpreter/tile_program.h"

namespace cupola::cpu {

// Elements that are computed together.
struct Tile {
  std::int64_t first;  // row-major number of the first element in the iteration space
  std::int64_t count;
  // Elements follow each other along this dimension (and stay in one row of it); -1: in row-major
  // order, over the ends of rows.
  int axis;
};

// Outputs of as many bytes would push everything else out of the caches, and leave them themselves.
inline constexpr std::int64_t kStreamed = std::int64_t{32} << 20;

// Has the bytes fetched into the second level: the first has what is computed with.
inline void fetch_lines(const void* data, std::int64_t bytes, bool is_written = false) {
  constexpr std::int64_t kLine = 64;
  const char* const first = static_cast<const char*>(data);
  for (std::int64_t i = 0; i < bytes; i += kLine) {
    if (is_written) {
      __builtin_prefetch(first + i, 1, 2);
    } else {
      __builtin_prefetch(first + i, 0, 2);
    }
  }
}

class TileEvaluator {
 public:
  // Tiles will have at most `capacity` elements. Buffers come from `scratch`; everything
  // borrowed must outlive this.
  TileEvaluator(const TileProgram& program, const LaunchArguments& arguments, std::int64_t capacity,
                Scratch& scratch);
  ~TileEvaluator();
  TileEvaluator(const TileEvaluator&) = delete;
  TileEvaluator& operator=(const TileEvaluator&) = delete;

  std::int64_t capacity() const { return capacity_; }
  // Tiles will follow each other in memory: what the next one reads is fetched while one is
  // computed.
  void fetch_ahead() { fetches_ahead_ = true; }
  // The next tile's elements of the input, in order, lie there.
  void set_row(std::size_t input, const void* elements) { rows_[input] = elements; }
  // Computes all steps.
  void evaluate(const Tile& tile);
  // The same step by step.
  void begin(const Tile& tile) { locate(tile); }
  void compute(int step);
  // Gives a step another value; its own tile buffer.
  void set_value(int step, const void* value) { values_[step] = value; }
  char* slot(int step) { return slots_[program_.steps[static_cast<std::size_t>(step)].slot]; }
  // Calls the function; `value` gives what an argument points to, `result` where a result goes.
  template <typename Value, typename Result>
  void call(const TileCall& call, std::int64_t count, const Value& value, const Result& result) {
    for (std::size_t a = 0; a < call.args.size(); ++a) call_inputs_[a] = value(call.args[a]);
    for (std::size_t r = 0; r < call.results.size(); ++r) {
      const int step = call.results[r];
      call_outputs_[r] = step < 0 ? slots_[call.unread[r]] : result(step);
    }
    if (call.loops->one != nullptr) return call.loops->one(call_inputs_, call_outputs_[0], count);
    call.loops->several(call_inputs_, call_outputs_, count);
  }
  // The values of a step for the last tile. Places are counted from base(); null: they are 0, 1,
  // ...
  const void* value(int step) const { return values_[step]; }
  std::int64_t base(int step) const { return bases_[step]; }
  // Where the values of a plain output go, if they lie there without gaps and had better be
  // computed there; else null.
  void* output_itself(std::size_t output) const;
  // Writes a plain output from tile-ordered values.
  void store(std::size_t output, const void* values);

 private:
  bool is_streamed(std::size_t output) const;
  void prepare_uniform(const TileStep& step, int i, std::int64_t capacity);
  void load(const TileStep& step, int i);
  void load_turned(const TileStep& step, int i);
  void locate(const Tile& tile);
  void* target(const TileStep& step);
  std::int64_t offset_of(const OperandArgument& operand, OperandLayout layout) const;
  std::int64_t stride_of(const OperandArgument& operand, OperandLayout layout) const;
  void* direct_output(std::size_t output) const;
  void run(const TileStep& step, int i, std::int64_t count, void* result);
  void call(const TileStep& step, std::int64_t count);
  void spread(int load);
  bool find_places(const TileStep& sum, int i);
  bool are_following(const std::int64_t* places);

  const TileProgram& program_;
  const LaunchArguments& arguments_;
  const std::int64_t capacity_;
  char** slots_;
  const void** values_;
  std::int64_t* bases_;
  // Places that were looked at last, which most rows have in common.
  const std::int64_t* seen_places_ = nullptr;
  std::int64_t seen_count_ = 0;
  bool seen_follow_ = false;
  bool* ones_;         // per step: its value is one element, which stands for all
  const void** rows_;  // per input, null where it is read where it lies
  Tile tile_{.first = 0, .count = 0, .axis = -1};
  std::int64_t index_stride_ = 1;
  bool fetches_ahead_ = false;
  bool* streamed_;  // per output: it is written past the caches
  // Of a call.
  const void** call_inputs_;
  void** call_outputs_;
  std::array<std::int64_t, kMaxRank> position_;
};

}  // namespace cupola::cpu
