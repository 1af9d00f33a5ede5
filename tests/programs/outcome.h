#pragma once
// What became of a statement, and whether that is what it should have done.

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "oracle.h"
#include "program.h"

namespace cupola::programs {

struct Tolerance {
  bool out_of_memory = false;    // statements may fail for want of memory, and then do nothing
  bool injected_faults = false;  // or because the platform fails calls on purpose
};

struct Outcome {
  bool done = false;                                    // else it failed in a way that is tolerated
  std::vector<std::int64_t> read;                       // Kind::read
  std::function<std::vector<std::int64_t>()> received;  // Kind::receive: when all is done
  std::optional<std::string> in_child;                  // Kind::fork: what went wrong there
  std::exception_ptr error;
};

// What went wrong with the next statement of the oracle's program, if anything; the oracle goes on.
std::optional<std::string> judge(const Statement& statement, const Outcome& outcome, Oracle& oracle,
                                 const Tolerance& tolerance);

// Empty when the two are equal.
std::string first_difference(const std::vector<std::int64_t>& expected,
                             const std::vector<std::int64_t>& found);

// Empty when the error is one that the program has to live with.
std::string unexpected(const std::exception_ptr& error, const Tolerance& tolerance);

}  // namespace cupola::programs
