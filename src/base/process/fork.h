#pragma once
// What fork(2) means for the library. In a forked child only the calling thread lives on; locks
// that other threads held stay locked, and whatever CUDA made belongs to the parent.
//
// Three means, by kind of state:
//   registries and caches   at_fork / lock_at_fork: their locks are taken before the fork and
//                           released on both sides, so that the child finds them whole and open.
//   locks of single objects Mutex (base/threads/mutex.h): open in the child, also where a thread
//                           of the parent held it.
//   handles of a device     remember fork_generation() at their making and check_not_forked() at
//                           use; destructors ask is_inherited() and then do nothing.

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace cupola {

namespace internal {
extern std::atomic<std::uint64_t> fork_generation;
}

// 0 in the process that loaded the library, one more in each forked child.
inline std::uint64_t fork_generation() noexcept {
  return internal::fork_generation.load(std::memory_order_relaxed);
}

// Whether a handle of that generation was made by a process that this one was forked from.
inline bool is_inherited(std::uint64_t generation) noexcept {
  return generation != fork_generation();
}

// Throws ForkedProcessError for an inherited handle. The message names what initialised the device
// in the parent, and where (see note_device_initialization), and what to do instead.
void check_not_forked(std::uint64_t generation);
[[noreturn]] void throw_forked();

// The layers whose code may hold locks when it calls another's. Before a fork the locks of the
// upper layers are taken first, which is the order in which a call takes them. Within a layer the
// order is that of registration, which may be any: who takes one lock within another registers
// both, in that order. `tasks`: what a platform runs on threads of its own comes to rest, which may
// need the platform's locks.
enum class ForkLayer : std::uint8_t {
  python,
  exec,
  memory,
  runtime,
  driver,
  tasks,
  platform,
  base
};

struct ForkHandlers {
  std::function<void()> prepare;  // in the parent, before; may be empty like the others
  std::function<void()> parent;   // in the parent, after
  std::function<void()> child;    // in the child, before fork() returns there
};

// Registers handlers for good, from any thread. `prepare` runs layer by layer from python to base,
// within one in order of registration; the others run in reverse order. `prepare` and `parent` may
// run in turns before a fork. None may throw, fork, register others or need the interpreter lock.
void at_fork(ForkLayer layer, ForkHandlers handlers);
// The mutex, which lives for ever, is held during each fork. Nobody may wait for the interpreter
// lock, or fork, while holding it.
void lock_at_fork(ForkLayer layer, std::mutex& mutex);

// Prepare handlers of pthread_atfork run latest-registered first. Call this after a library was
// opened that registers its own (a BLAS library), so that ours still run before it.
void come_first_at_fork();

// To be called once, when a device's platform was initialised for the first time: `what` is
// "cuInit" or the like, `where` the caller's line or empty. Prepare handlers may call it.
void note_device_initialization(const std::string& what, const std::string& where);
// "cuInit, called first at train.py:12 (main)" of this process or the one it was forked from;
// empty where nothing was initialised.
std::string device_initialization();

}  // namespace cupola
