#include "base/counters.h"

#include <array>
#include <atomic>

namespace cupola {
namespace {

std::array<std::atomic<std::uint64_t>, kCounterCount> counters{};

}  // namespace

std::string_view name_of(Counter counter) {
  switch (counter) {
    case Counter::compilations:
      return "compilations";
    case Counter::compiled_found:
      return "compiled_found";
    case Counter::module_loads:
      return "module_loads";
    case Counter::libraries_opened:
      return "libraries_opened";
    case Counter::library_handles:
      return "library_handles";
    case Counter::streams:
      return "streams";
    case Counter::events:
      return "events";
    case Counter::launches:
      return "launches";
  }
  __builtin_unreachable();
}

void count(Counter counter) {
  counters[static_cast<std::size_t>(counter)].fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t value_of(Counter counter) {
  return counters[static_cast<std::size_t>(counter)].load(std::memory_order_relaxed);
}

}  // namespace cupola
