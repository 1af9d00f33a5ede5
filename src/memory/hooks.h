#pragma once
// What the host language does for memory, and when it may. Python installs the functions; without
// them nothing happens.

#include <memory>
#include <string>
#include <vector>

namespace cupola {

// One level of the program's call stack.
struct Frame {
  std::string function;
  std::string file;
  int line = 0;
};
using Site = std::shared_ptr<const std::vector<Frame>>;  // innermost first; may be null

// Runs the garbage collector.
void set_collector(void (*collect)());
// Finds out where the calling thread is in the program.
void set_site_finder(Site (*find)());

// While one lives, this thread holds locks of the library: the interpreter, whose lock another
// thread may hold that waits for ours, is not entered.
class InterpreterBarrier {
 public:
  InterpreterBarrier();
  ~InterpreterBarrier();
  InterpreterBarrier(const InterpreterBarrier&) = delete;
  InterpreterBarrier& operator=(const InterpreterBarrier&) = delete;
};

// Whether one lives on this thread.
bool has_interpreter_barrier() noexcept;

// False when there is no collector, or a barrier.
bool run_collector();
// Under a barrier, the place where the outermost one was made. Null when nobody records.
Site current_site();

}  // namespace cupola
