#include "base/process/interrupt.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>
#include <thread>

namespace cupola {

namespace {

// What is about to be done is seen without a call of the system that sleeps.
constexpr int kYields = 8;

std::atomic<void (*)()> current_check{nullptr};
std::atomic<bool (*)()> current_applies{nullptr};
thread_local int uninterruptible = 0;

// What takes less is asked for without a pause.
constexpr std::chrono::milliseconds kSpinning{50};
constexpr std::chrono::microseconds kLongestPause{1000};
constexpr int kPausesPerWait = 512;

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

timespec timespec_of(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  return {.tv_sec = seconds.count(), .tv_nsec = (time - seconds).count()};
}

}  // namespace

void set_interrupt_check(void (*check)(), bool (*applies)()) {
  current_applies.store(applies);
  current_check.store(check);
}

void check_interrupt() {
  if (uninterruptible > 0) return;
  if (void (*const check)() = current_check.load()) check();
}

bool is_interruptible() {
  if (uninterruptible > 0) return false;
  bool (*const applies)() = current_applies.load();
  return applies && applies();
}

Uninterruptible::Uninterruptible() { ++uninterruptible; }
Uninterruptible::~Uninterruptible() { --uninterruptible; }

void wait_until(const std::function<bool()>& is_over) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  Clock::time_point next_check = begin + kInterruptPeriod;
  while (!is_over()) {
    const Clock::time_point now = Clock::now();
    if (now >= next_check) {
      check_interrupt();
      next_check = now + kInterruptPeriod;
    }
    if (now - begin < kSpinning) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(
          std::min<Clock::duration>((now - begin) / kPausesPerWait, kLongestPause));
    }
  }
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
