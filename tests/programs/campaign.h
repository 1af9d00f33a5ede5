#pragma once
// Runs many programs in child processes, so that one that crashes or hangs is only a result.

#include <cstdint>
#include <optional>
#include <string>

#include "program.h"

namespace cupola::programs {

struct Campaign {
  std::uint64_t first_seed = 1;
  std::uint64_t count = 100;
  std::uint64_t per_process = 50;
  int jobs = 1;
  int seconds_per_program = 30;  // more is a hang
  bool hostile = true;           // on the adversarial CPU platform, else as the environment says
  bool goes_on = true;           // after a program with a wrong result
  Limits limits;
};

struct Result {
  std::uint64_t programs = 0;
  std::uint64_t statements = 0;
  std::uint64_t failed = 0;
  std::uint64_t crashed = 0;  // of them: died without a verdict of the platform's checker, or hung
  std::uint64_t injected_faults = 0;
};

// Prints each failing program, made short, with what went wrong and how to run it again.
Result run(const Campaign& campaign);

// Runs one program in a child process. What went wrong, with the output of the process.
std::optional<std::string> run_apart(const Program& program, const Campaign& campaign);

}  // namespace cupola::programs
