#pragma once
// A mutex for objects that a forked child inherits: one that a thread of the parent held at the
// fork is open in the child, where that thread does not exist. Four bytes, trivially destructible.
//
// It is for data that is whole at every moment that another thread may be seen at: written last
// by one publishing store, or only read where the parent may have been in the middle. Registries
// that many threads change take a std::mutex and lock_at_fork (base/process/fork.h) instead.

#include <atomic>
#include <cstdint>

#include "base/process/fork.h"

namespace cupola {

class Mutex {
 public:
  constexpr Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  bool try_lock() noexcept {
    std::uint32_t seen = state_.load(std::memory_order_relaxed);
    return is_open(seen) &&
           state_.compare_exchange_strong(seen, held(kLocked), std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  void lock() noexcept {
    if (!try_lock()) lock_slowly();
  }
  // Open, but its last holder was lost in a fork: what it guards may lack that thread's last entry.
  bool is_abandoned() const noexcept {
    const std::uint32_t seen = state_.load(std::memory_order_relaxed);
    return (seen & 3) != 0 && is_open(seen);
  }
  void unlock() noexcept {
    if (state_.exchange(0, std::memory_order_release) == held(kAwaited)) state_.notify_one();
  }

 private:
  static constexpr std::uint32_t kLocked = 1;
  static constexpr std::uint32_t kAwaited = 2;  // and others may sleep
  // The holder's process is part of the state.
  static std::uint32_t held(std::uint32_t how) noexcept {
    return static_cast<std::uint32_t>(fork_generation()) << 2 | how;
  }
  static bool is_open(std::uint32_t state) noexcept {
    return (state & 3) == 0 || state >> 2 != held(0) >> 2;
  }
  void lock_slowly() noexcept {
    std::uint32_t seen = state_.load(std::memory_order_relaxed);
    for (;;) {
      if (is_open(seen)) {
        if (state_.compare_exchange_weak(seen, held(kAwaited), std::memory_order_acquire,
                                         std::memory_order_relaxed)) {
          return;
        }
      } else if (seen != held(kAwaited) &&
                 !state_.compare_exchange_weak(seen, held(kAwaited), std::memory_order_relaxed)) {
        continue;
      } else {
        state_.wait(held(kAwaited), std::memory_order_relaxed);
        seen = state_.load(std::memory_order_relaxed);
      }
    }
  }

  std::atomic<std::uint32_t> state_{0};
};

}  // namespace cupola
