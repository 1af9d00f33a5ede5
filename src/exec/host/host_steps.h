#pragma once
// Work on few elements that the calling thread does one step after the other, on what is stored and
// on results of steps before, which lie in memory of the thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/ufunc.h"
#include "cupola/dims.h"
#include "cupola/dtype.h"
#include "driver/driver.h"

namespace cupola {

// Elements along the last dimension are neighbours, or one stands for them.
struct Rows {
  std::int64_t bytes = 0;  // from row to row
  bool are_ones = false;
};

// Nothing where rows are short, or not one distance apart. Strides and `item` count bytes.
std::optional<Rows> rows_of(const Dims& shape, const Dims& strides, std::int64_t item);

// What a step reads: memory, or the result of a step before it. Without gaps if nothing is said.
struct StepSource {
  const void* memory = nullptr;
  int step = -1;
  bool is_one = false;  // an element that stands for all
  std::optional<Rows> rows{};

  bool is_one_of_row() const { return is_one || (rows && rows->are_ones); }
  std::int64_t bytes_to_next(std::int64_t row, std::int64_t item) const {
    return rows ? rows->bytes : is_one ? 0 : row * item;
  }
};

struct RunLoop {
  HostLoop loop = nullptr;
  std::array<StepSource, 3> sources{};
  std::array<std::int64_t, 3> items{};  // bytes of an element of each
  std::size_t source_count = 1;
};
// Of the source's elements as they lie. Strides count bytes.
struct CloseGaps {
  StepSource source;
  Dims shape, strides;
};
// int64, from 0 on.
struct NumberElements {};
// Each result of as many elements, one after the other, of the source, which has no gaps.
struct ReduceRows {
  HostReduction reduce = nullptr;
  UfuncId combine{};
  DType dtype{};
  StepSource source;
  std::int64_t length = 0;
};

struct HostStep {
  std::variant<RunLoop, CloseGaps, NumberElements, ReduceRows> work;
  std::int64_t count = 0;
  std::int64_t row = 0;    // elements that are done at a time
  std::int64_t item = 0;   // bytes of an element of the result
  std::size_t offset = 0;  // of the result, in the thread's memory
};

inline constexpr std::size_t kMaxSteps = 24;

// One at a time in each thread. What they read must stay as long as it lives.
class HostSteps {
 public:
  HostSteps();
  ~HostSteps();
  HostSteps(const HostSteps&) = delete;
  HostSteps& operator=(const HostSteps&) = delete;

  // What is added is the last one. Nothing: there are too many, or too much.
  std::optional<StepSource> add(HostStep&& step);
  // The source as the elements of an array lie: by rows, or by a step that closes the gaps.
  std::optional<StepSource> read_by(StepSource source, const Dims& shape, Dims strides,
                                    std::int64_t item);
  // A source of rows of so many elements, or of one element, becomes one without gaps.
  bool close_gaps(StepSource& source, std::int64_t count, std::int64_t row, std::int64_t item);

  // The last result is put there, without gaps; or in rows of so many elements.
  void run(void* result);
  void run_rows(void* result, std::int64_t row, const Rows& rows);
  // The same in memory of the thread, until it computes the next.
  const void* run();

 private:
  struct Workspace;

  std::optional<StepSource> copy(const StepSource& source, Dims shape, Dims strides,
                                 std::int64_t item);
  void run(void* result, std::int64_t bytes_to_next);
  void run_step(const HostStep& step, char* result, std::int64_t bytes_to_next) const;
  void run_loop(const HostStep& step, const RunLoop& work, char* result,
                std::int64_t bytes_to_next) const;
  void reduce_rows(const HostStep& step, const ReduceRows& work, char* result,
                   std::int64_t bytes_to_next) const;
  const void* memory_of(const StepSource& source) const;

  Workspace& workspace_;
  std::vector<HostStep>& steps_;
  char* const scratch_;
  std::size_t used_ = 0;
};

}  // namespace cupola
