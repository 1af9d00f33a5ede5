#pragma once
// A launch as the loops that it is made of. What runs a plan asks for memory and for loops, always
// the same ones for the same launch; how much of them runs is decided here: all, a part of one, or
// nothing where the stages are only counted.

#include <cstdint>
#include <memory>
#include <vector>

#include "codegen/launch_parts.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {

class Stages {
 public:
  // All loops, whole.
  Stages() = default;
  // The same with the memory that counted() asks for, which is taken here. Throws std::bad_alloc.
  explicit Stages(const LaunchStages& counted)
      : reserved_(counted.scratch_bytes > 0 ? make_lines(counted.scratch_bytes) : nullptr),
        scratch_(reserved_ ? reserved_[0].bytes : nullptr) {}
  // One loop, for the part of its items, with the memory that counted() asks for.
  Stages(int stage, WorkPart part, std::int64_t elements, void* scratch)
      : what_(What::part),
        wanted_(stage),
        part_(part),
        elements_(elements),
        scratch_(static_cast<char*>(scratch)) {}
  // No loop at all; afterwards counted() tells of them.
  struct CountOnly {};
  explicit Stages(CountOnly) : what_(What::count) {}

  // From now on loops are the calling thread's alone: to wake others takes longer than the work.
  void stay_on_caller() { stays_ = true; }

  // For what one stage leaves to another one. 64-byte aligned, contents undefined; not to be looked
  // at but in loops.
  char* take(std::size_t bytes);

  // The next stage: items that are free of each other, as parallel_for() runs them.
  void loop(std::int64_t items, std::int64_t grain, RangeFunction function);
  // The same for items that need to be done by one thread, in order.
  void in_order(std::int64_t items, RangeFunction function);

  // The number of the next stage. What comes beside other stages, free of them, begins where they
  // began.
  int next() const { return next_; }
  void begin_at(int stage) { next_ = stage; }

  LaunchStages counted() const { return counted_; }

 private:
  enum class What : std::uint8_t { all, part, count };
  struct alignas(64) Line {
    char bytes[64];
  };
  static std::unique_ptr<Line[]> make_lines(std::size_t bytes);
  // Whether the stage, which has the next number, is to run now.
  bool begin(bool divides);

  const What what_ = What::all;
  bool stays_ = false;
  const int wanted_ = 0;
  const WorkPart part_{};
  const std::int64_t elements_ = 0;
  const std::unique_ptr<Line[]> reserved_;
  char* const scratch_ = nullptr;
  std::vector<std::unique_ptr<Line[]>> taken_;
  int next_ = 0;
  LaunchStages counted_;
};

}  // namespace cupola::cpu
