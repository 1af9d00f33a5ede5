#pragma once
// Counts threads that read, for one that wants to write. Those of the parent process do not count
// in a forked child.

#include <atomic>
#include <cstdint>

#include "base/process/fork.h"

namespace cupola {

// The lock that guards what is read is held in all calls.
class HostReaders {
 public:
  void enter() noexcept { state_.store(counted(count() + 1)); }
  void leave() noexcept {
    const std::uint32_t left = count() - 1;
    state_.store(counted(left));
    if (left == 0) state_.notify_all();
  }
  bool any() const noexcept { return count() > 0; }
  // Until there is none; lets go of the lock meanwhile.
  template <typename Lock>
  void wait(Lock& lock) {
    while (count() > 0) {
      const std::uint32_t seen = state_.load();
      lock.unlock();
      state_.wait(seen);
      lock.lock();
    }
  }

 private:
  static constexpr std::uint32_t kCount = 0xFFFF;
  static std::uint32_t generation() noexcept {
    return static_cast<std::uint32_t>(fork_generation()) << 16;
  }
  static std::uint32_t counted(std::uint32_t count) noexcept { return generation() | count; }
  std::uint32_t count() const noexcept {
    const std::uint32_t state = state_.load();
    return (state & ~kCount) == generation() ? state & kCount : 0;
  }

  std::atomic<std::uint32_t> state_{0};
};

}  // namespace cupola
