#pragma once
// The statement fork: what a forked child of a program checks and does.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "outcome.h"
#include "program.h"
#include "worker.h"

namespace cupola::programs {

// The last arrays of a program: statements do not name them, children work on them.
constexpr int kChildArrays = 3;
constexpr const char* kChildHangs = "the forked child hangs";

// Where a program forks.
struct Fork {
  const Program& program;
  std::size_t at;                        // a statement, of the calling thread
  const std::vector<Outcome>& outcomes;  // of statements that were before
  PlatformKind platform;
  Tolerance tolerance;
};

// Forks. The child compares the arrays that it inherited on CPU devices with the oracle, as far as
// no thread was changing them, then works with them and with new ones, and ends. Waits for it.
// Returns what went wrong there; where forks are left out, nothing. `worker` is the calling
// thread's.
std::optional<std::string> run_child(const Fork& fork, Worker& worker);

}  // namespace cupola::programs
