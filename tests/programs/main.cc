// random_programs: runs random asynchronous programs and compares them with their meaning.
//
//   random_programs [--count N] [--seed S] [--jobs J] [--per-process K] [--seconds T] [--normal]
//                  [--sets]
//   random_programs --show S
//
// --sets: several devices are a device as well. --normal: not on the adversarial CPU platform but
// as the environment says. The last line of the output is a JSON object of counts; the exit status
// is 1 if a program failed.

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "campaign.h"

namespace {

using cupola::programs::Campaign;

[[noreturn]] void refuse(const std::string& argument) {
  fmt::print(stderr, "random_programs: what is {}?\n", argument);
  std::exit(2);
}

std::uint64_t number(int count, char** arguments, int& i) {
  if (i + 1 >= count) refuse(arguments[i]);
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(arguments[++i], &end, 10);
  if (*end != '\0') refuse(arguments[i]);
  return value;
}

Campaign parse(int count, char** arguments) {
  Campaign campaign;
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    if (name == "--count") {
      campaign.count = number(count, arguments, i);
    } else if (name == "--seed") {
      campaign.first_seed = number(count, arguments, i);
    } else if (name == "--jobs") {
      campaign.jobs = static_cast<int>(number(count, arguments, i));
    } else if (name == "--per-process") {
      campaign.per_process = number(count, arguments, i);
    } else if (name == "--seconds") {
      campaign.seconds_per_program = static_cast<int>(number(count, arguments, i));
    } else if (name == "--sets") {
      campaign.limits.with_set = true;
    } else if (name == "--normal") {
      campaign.hostile = false;
    } else if (name == "--show") {
      fmt::print("{}", to_text(generate(number(count, arguments, i), campaign.limits)));
      std::exit(0);
    } else {
      refuse(name);
    }
  }
  return campaign;
}

}  // namespace

int main(int count, char** arguments) {
  const Campaign campaign = parse(count, arguments);
  const auto start = std::chrono::steady_clock::now();
  const cupola::programs::Result result = run(campaign);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print(
      "{{\"first_seed\": {}, \"programs\": {}, \"statements\": {}, \"injected_faults\": {}, "
      "\"failed\": {}, \"seconds\": {:.1f}}}\n",
      campaign.first_seed, result.programs, result.statements, result.injected_faults,
      result.failed, seconds.count());
  return result.failed == 0 ? 0 : 1;
}
