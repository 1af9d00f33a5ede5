#include "python/interpreter/interpreter_lock.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace cupola::python {

namespace {

void restore(PyThreadState* state) {
  outlive_interpreter([state] { PyEval_RestoreThread(state); });
}

}  // namespace

void stay_until_process_ends() noexcept {
  for (;;) pause();
}

#ifdef Py_GIL_DISABLED

// Nobody waits for a lock.
InterpreterUnlocked::InterpreterUnlocked() noexcept : state_(PyEval_SaveThread()) {}
InterpreterUnlocked::~InterpreterUnlocked() { restore(state_); }

#else

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr microseconds kLongest{150};
constexpr microseconds kShortest{5};
constexpr microseconds kInTurn{2000};
constexpr int kLooksPerYield = 32;

// A thread is about to ask for the interpreter lock or has it, and has not given it away here
// since: it may have done so elsewhere, and nobody waits for it longer than `patience`.
std::atomic<bool> is_inside{false};
// How often the lock was given away here. While it is, who waits does so for `kInTurn`.
std::atomic<std::uint32_t> turns{0};
std::atomic<microseconds> patience{kLongest};

bool try_enter() noexcept {
  return !is_inside.load(std::memory_order_relaxed) && !is_inside.exchange(true);
}

// False: whoever was inside stayed there, or too many others were sooner.
bool look_around(microseconds longest) noexcept {
  auto now = Clock::now();
  const auto last = now + kInTurn;
  auto end = now + longest;
  std::uint32_t seen = turns.load(std::memory_order_relaxed);
  do {
    for (int i = 0; i < kLooksPerYield; ++i) {
      if (try_enter()) return true;
    }
    std::this_thread::yield();
    now = Clock::now();
    const std::uint32_t turn = turns.load(std::memory_order_relaxed);
    if (turn != seen) end = std::min(now + longest, last);
    seen = turn;
  } while (now < end);
  return false;
}

}  // namespace

InterpreterUnlocked::InterpreterUnlocked() noexcept : state_(PyEval_SaveThread()) {
  turns.fetch_add(1, std::memory_order_relaxed);
  is_inside.store(false);
}

InterpreterUnlocked::~InterpreterUnlocked() {
  if (try_enter()) {
    restore(state_);
    return;
  }
  const microseconds longest = patience.load(std::memory_order_relaxed);
  const bool entered = look_around(longest);
  const auto asked = Clock::now();
  restore(state_);
  if (entered) {
    patience.store(std::min(longest * 2, kLongest), std::memory_order_relaxed);
  } else if (Clock::now() - asked < kShortest) {
    // The lock was free: programs that use other libraries beside this one do not wait for long.
    patience.store(std::max(longest / 2, kShortest), std::memory_order_relaxed);
  }
}

#endif

}  // namespace cupola::python
