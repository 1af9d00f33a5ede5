#include "base/interrupt.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>
#include <thread>

namespace cupola {

namespace {

// What is about to be done is seen without a call of the system that sleeps.
constexpr int kYields = 8;

std::atomic<void (*)()> current_check{nullptr};

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

timespec timespec_of(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  return {.tv_sec = seconds.count(), .tv_nsec = (time - seconds).count()};
}

}  // namespace

void set_interrupt_check(void (*check)()) { current_check.store(check); }

void check_interrupt() {
  if (void (*const check)() = current_check.load()) check();
}

bool wait_for_change(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                     std::chrono::steady_clock::time_point end) {
  for (int i = 0; i < kYields && word.load() == seen; ++i) std::this_thread::yield();
  while (word.load() == seen) {
    const auto rest = end - std::chrono::steady_clock::now();
    if (rest.count() <= 0) return false;
    const timespec limit = timespec_of(rest);
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, &limit, nullptr, 0);
  }
  return true;
}

void wake_waiters(const std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace cupola
