#include "exec/lending/lent_check.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/process/environment.h"
#include "base/process/fork.h"
#include "base/threads/lazy.h"

namespace cupola {

namespace {

std::atomic<bool>& switched_on() {
  static constinit Lazy<std::atomic<bool>> on;
  return on.get([] { return is_switched_on("CUPOLA_DEBUG_LENT"); });
}

struct Report {
  Report() { lock_at_fork(ForkLayer::exec, mutex); }
  std::mutex mutex;
  std::function<void(const std::string&)> function = [](const std::string& text) {
    std::fputs((text + "\n").c_str(), stderr);
  };
};
Report& report() {
  static constinit Lazy<Report> instance;
  return *instance;
}

void tell(const std::string& text) {
  std::function<void(const std::string&)> function;
  {
    const std::lock_guard lock(report().mutex);
    function = report().function;
  }
  function(text);
}

// Every byte and its place count; no defence against intent.
std::uint64_t checksum(const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  std::uint64_t sum = bytes;
  for (; bytes > 0;) {
    const std::size_t size = bytes < 8 ? bytes : 8;
    std::uint64_t word = 0;
    std::memcpy(&word, from, size);
    sum = (sum ^ word) * 0x9E3779B97F4A7C15U;
    sum ^= sum >> 29;
    from += size;
    bytes -= size;
  }
  return sum;
}

}  // namespace

void set_lent_checks(bool on) { switched_on() = on; }
bool lent_checks() { return switched_on(); }

void set_lent_report(std::function<void(const std::string&)> function) {
  const std::lock_guard lock(report().mutex);
  report().function = std::move(function);
}

LentCheck::LentCheck(const void* source, std::size_t bytes)
    : source_(source), bytes_(bytes), on_(lent_checks()) {
  if (on_) sum_ = checksum(source, bytes);
}

void LentCheck::queue(StreamState& stream) const {
  if (!on_) return;
  const auto compare = [source = source_, bytes = bytes_, sum = sum_, device = stream.device()] {
    if (checksum(source, bytes) == sum) return;
    tell(fmt::format(
        "a source of {} bytes at {}, lent to a copy to {}, was changed before the copy was done: "
        "the array may hold old and new elements. Wait for the stream before changing it, or "
        "copy with source=\"snapshot\"",
        bytes, source, device.to_string()));
  };
  stream.driver().run_on_host(compare, stream.handle());
}

}  // namespace cupola
