#include "platforms/cpu/streams/task_gate.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

#include "base/mutant.h"

namespace cupola::cpu {
namespace {

// Threads count in different places, so that they do not wait for each other's cache lines.
constexpr std::size_t kCounters = 32;
struct alignas(64) Counter {
  std::atomic<int> running{0};
};

std::array<Counter, kCounters> counters;
std::atomic<bool> closed{false};
std::atomic<std::size_t> next_counter{0};

struct Visit {
  int depth = 0;
  Counter* counter = nullptr;
};
thread_local constinit Visit visit;

void set_open() {
  closed.store(false);
  closed.notify_all();
}

}  // namespace

// Counting and looking at `closed` against closing and looking at the counts: all sequentially
// consistent, so that one of the two sees the other.
void enter_gate() noexcept {
  Visit& own = visit;
  if (own.depth++ > 0) return;
  if (own.counter == nullptr) {
    own.counter = &counters[next_counter.fetch_add(1, std::memory_order_relaxed) % kCounters];
  }
  for (;;) {
    own.counter->running.fetch_add(1);
    if (!closed.load()) return;
    own.counter->running.fetch_sub(1);
    closed.wait(true);
  }
}

void leave_gate() noexcept {
  Visit& own = visit;
  if (--own.depth == 0) own.counter->running.fetch_sub(1);
}

void close_gate() {
  if (CUPOLA_MUTANT(fork_half_done_work)) return;
  closed.store(true);
  for (Counter& counter : counters) {
    const int own = visit.depth > 0 && &counter == visit.counter ? 1 : 0;
    while (counter.running.load() > own) std::this_thread::yield();
  }
}

void open_gate() { set_open(); }

void open_gate_in_child() {
  for (Counter& counter : counters) counter.running.store(0);
  if (visit.depth > 0) visit.counter->running.store(1);
  set_open();
}

}  // namespace cupola::cpu
