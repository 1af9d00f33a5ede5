#include "exec/observation/bandwidth.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/threads/lazy.h"
#include "driver/registry.h"
#include "exec/transfers/copy_threads.h"

namespace cupola {

namespace {

constexpr std::size_t kCopied = std::size_t{32} << 20;
constexpr int kRounds = 4;

// Threads of the whole machine that run or wait for a processor now, this one among them.
int runnable_threads() {
  double load = 0;
  int running = 1;
  std::ifstream("/proc/loadavg") >> load >> load >> load >> running;
  return running;
}

Bandwidth measure_host() {
  using Clock = std::chrono::steady_clock;
  int others = 0;  // summed over the rounds, looked at while no thread of ours copies
  const std::vector<char> source(kCopied, 1);
  std::vector<char> target(kCopied);
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    others += runnable_threads() - 1;
    const Clock::time_point start = Clock::now();
    copy_in_parallel(target.data(), source.data(), kCopied);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::max(best, 2.0 * static_cast<double>(kCopied) / seconds);
  }
  const bool is_busy = others >= kRounds;
  return {best, is_busy ? "copy measured while other programs ran" : "measured copy"};
}

double attribute(const std::vector<std::pair<std::string, int>>& attributes, const char* name) {
  for (const auto& [key, value] : attributes) {
    if (key == name) return value;
  }
  return 0;
}

}  // namespace

Bandwidth bandwidth_of(const Device& device) {
  if (driver(device).traits().host_shares_memory) {
    static constinit Lazy<const Bandwidth> measured;
    return measured.get(measure_host);
  }
  const auto attributes = driver(device).attributes(device.index());
  const double hertz = 1e3 * attribute(attributes, "MemoryClockRate");
  const double bytes_wide = attribute(attributes, "GlobalMemoryBusWidth") / 8;
  const auto devices = static_cast<double>(device.member_count());
  // Two transfers a clock.
  return {2 * hertz * bytes_wide * devices, "memory clock and bus width", true};
}

}  // namespace cupola
