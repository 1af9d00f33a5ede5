#pragma once
// What evaluate() would do now, found out by letting it: on a copy of the pending graph, with
// memory that is not there and kernels that are only noted. Nothing is allocated, compiled,
// launched or computed, and what is pending stays so.

#include <span>
#include <vector>

#include "codegen/planner.h"
#include "graph/node.h"

namespace cupola {

// The kernels in the order in which they would be launched; none for arrays that are stored. The
// arrays in `reads` and `writes` that are pending now have made-up addresses.
std::vector<PlannedLaunch> rehearse(std::span<const Array> arrays);

// While one lives, its thread's evaluation asks it for memory, and hands kernels to it.
class Rehearsal {
 public:
  Rehearsal() noexcept;
  ~Rehearsal();
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;
  // Null where work is real.
  static Rehearsal* of_thread() noexcept { return current_; }

  Array place(const Array& pending);
  void add(PlannedLaunch planned);
  std::vector<PlannedLaunch> take() { return std::move(launches_); }

 private:
  inline static thread_local Rehearsal* current_ = nullptr;
  Rehearsal* const outer_;
  std::uintptr_t next_address_;
  std::vector<PlannedLaunch> launches_;
};

}  // namespace cupola
