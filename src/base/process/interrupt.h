#pragma once
// How the program ends a wait of the library (Ctrl-C in Python).

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

namespace cupola {

// A thread that waits for longer looks this often.
inline constexpr std::chrono::milliseconds kInterruptPeriod{50};

// To be called once. `check` throws where the calling thread is to stop waiting; it may run any
// code of the program. `applies` tells the threads in which it does anything.
void set_interrupt_check(void (*check)(), bool (*applies)());
// Without locks. What the thread waited for goes on.
void check_interrupt();
// Whether check_interrupt() may throw in the calling thread: if not, it may block in a driver.
bool is_interruptible();

// While one lives, waits of its thread end when what they wait for is done: for what is to be freed
// after the wait.
class Uninterruptible {
 public:
  Uninterruptible();
  ~Uninterruptible();
  Uninterruptible(const Uninterruptible&) = delete;
  Uninterruptible& operator=(const Uninterruptible&) = delete;
};

// Returns when `is_over()`, which is asked again and again: short waits end at once, long ones
// within 1/64 of their length and 1 ms. Throws what check_interrupt() and `is_over` throw.
void wait_until(const std::function<bool()>& is_over);

// Waits until `word` is not `seen`, or until `end`. False: it still is.
bool wait_for_change(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                     std::chrono::steady_clock::time_point end);
// Wakes those that wait for a change of `word`, which was changed before.
void wake_waiters(const std::atomic<std::uint32_t>& word) noexcept;

}  // namespace cupola
