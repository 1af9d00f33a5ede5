#include "base/counters.h"

#include <array>
#include <atomic>

namespace cupola {
namespace {

// Threads count apart from each other, as far as there are places.
constexpr std::size_t kPlaces = 16;
struct alignas(64) Place {
  std::array<std::atomic<std::uint64_t>, kCounterCount> counters{};
};
std::array<Place, kPlaces> places{};

Place& place_of_thread() {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t number = threads.fetch_add(1) % kPlaces;
  return places[number];
}

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
    case Counter::schedules_made:
      return "schedules_made";
    case Counter::schedules_known:
      return "schedules_known";
    case Counter::kernel_graphs:
      return "kernel_graphs";
    case Counter::kernel_copies:
      return "kernel_copies";
    case Counter::divided_launches:
      return "divided_launches";
    case Counter::gathered_launches:
      return "gathered_launches";
  }
  __builtin_unreachable();
}

void count(Counter counter) {
  place_of_thread().counters[static_cast<std::size_t>(counter)].fetch_add(
      1, std::memory_order_relaxed);
}

std::uint64_t value_of(Counter counter) {
  std::uint64_t sum = 0;
  for (const Place& place : places) {
    sum += place.counters[static_cast<std::size_t>(counter)].load(std::memory_order_relaxed);
  }
  return sum;
}

}  // namespace cupola
