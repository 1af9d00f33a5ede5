#include "python/interpreter_lock.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace cupola::python {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr microseconds kLongest{2000};
constexpr microseconds kShortest{5};
constexpr int kLooksPerYield = 32;

// A thread is about to ask for the interpreter lock or has it, and has not given it away here
// since: it may have done so elsewhere, and nobody waits for it longer than `patience`.
std::atomic<bool> is_inside{false};
std::atomic<microseconds> patience{kLongest};

bool try_enter() noexcept {
  return !is_inside.load(std::memory_order_relaxed) && !is_inside.exchange(true);
}

// False: whoever was inside stayed there.
bool look_around(microseconds longest) noexcept {
  const auto end = Clock::now() + longest;
  do {
    for (int i = 0; i < kLooksPerYield; ++i) {
      if (try_enter()) return true;
    }
    std::this_thread::yield();
  } while (Clock::now() < end);
  return false;
}

}  // namespace

InterpreterUnlocked::InterpreterUnlocked() noexcept : state_(PyEval_SaveThread()) {
  is_inside.store(false);
}

InterpreterUnlocked::~InterpreterUnlocked() {
  if (try_enter()) {
    PyEval_RestoreThread(state_);
    return;
  }
  const microseconds longest = patience.load(std::memory_order_relaxed);
  const bool entered = look_around(longest);
  const auto asked = Clock::now();
  PyEval_RestoreThread(state_);
  if (entered) {
    patience.store(std::min(longest * 2, kLongest), std::memory_order_relaxed);
  } else if (Clock::now() - asked < kShortest) {
    // The lock was free: programs that use other libraries beside this one do not wait for long.
    patience.store(std::max(longest / 2, kShortest), std::memory_order_relaxed);
  }
}

}  // namespace cupola::python
