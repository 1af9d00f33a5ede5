#include "exec/launch/polled_memory.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "base/process/interrupt.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace cupola {

namespace {

constexpr std::size_t kBlockBytes = 4096;
constexpr unsigned char kEmpty = 0xA5;
// Short waits are the rule: then the value is there before another thread could run.
constexpr int kSpins = 2000;
constexpr int kLooks = 64;  // at the slot, between two questions to the platform
// Many threads that poll would keep those from running that have something to do.
constexpr int kFewSpins = 50;
constexpr std::chrono::microseconds kNap(20);
const int most_busy = std::max(2, static_cast<int>(std::thread::hardware_concurrency()) / 4);

std::atomic<int> pollers{0};

struct Polling {
  Polling() { pollers.fetch_add(1, std::memory_order_relaxed); }
  ~Polling() { pollers.fetch_sub(1, std::memory_order_relaxed); }
  static bool is_crowded() { return pollers.load(std::memory_order_relaxed) > most_busy; }
};

void pause() {
#ifdef __SSE2__
  _mm_pause();
#endif
}

}  // namespace

std::vector<char*> make_polled_slots(Driver& driver, const Device& device) {
  auto* block =
      static_cast<char*>(driver.allocate(device.index(), kBlockBytes, MemoryKind::pinned));
  std::vector<char*> slots;
  for (std::size_t at = 0; at < kBlockBytes; at += kPolledBytes) slots.push_back(block + at);
  return slots;
}

// The device writes the bytes that the host looks at: each look is a new one, and what follows it
// sees what was written. An emulated device writes them as it writes everything, which
// ThreadSanitizer must not hold against looks that found nothing.
[[gnu::no_sanitize("thread")]] bool is_empty(char* slot, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    const char now = __atomic_load_n(slot + i, __ATOMIC_ACQUIRE);
    if (static_cast<unsigned char>(now) != kEmpty) return false;
  }
  return true;
}

void make_empty(char* slot, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    std::atomic_ref<char>(slot[i]).store(static_cast<char>(kEmpty), std::memory_order_release);
  }
}

void poll(StreamState& stream, char* slot, std::size_t bytes) {
  const Polling polling;
  for (int i = 0; i < kSpins && (i < kFewSpins || !Polling::is_crowded()); ++i) {
    if (!is_empty(slot, bytes)) return;
    pause();
  }
  auto next_check = std::chrono::steady_clock::now() + kInterruptPeriod;
  while (!stream.is_idle()) {
    if (const auto now = std::chrono::steady_clock::now(); now >= next_check) {
      check_interrupt();
      next_check = now + kInterruptPeriod;
    }
    for (int i = 0; i < kLooks; ++i) {
      if (!is_empty(slot, bytes)) return;
      if (Polling::is_crowded()) {
        std::this_thread::sleep_for(kNap);
      } else {
        std::this_thread::yield();
      }
    }
  }
}

}  // namespace cupola
