#pragma once
// How the program ends a wait of the library (Ctrl-C in Python).

#include <atomic>
#include <chrono>
#include <cstdint>

namespace cupola {

// A thread that waits for longer looks this often.
inline constexpr std::chrono::milliseconds kInterruptPeriod{50};

// To be called once. `check` throws where the calling thread is to stop waiting; it may run any
// code of the program.
void set_interrupt_check(void (*check)());
// Without locks. What the thread waited for goes on.
void check_interrupt();

// Waits until `word` is not `seen`, or until `end`. False: it still is.
bool wait_for_change(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                     std::chrono::steady_clock::time_point end);
// Wakes those that wait for a change of `word`, which was changed before.
void wake_waiters(const std::atomic<std::uint32_t>& word) noexcept;

}  // namespace cupola
