#pragma once
// Releases things once streams are done with them: memory that several streams used, the source of
// a copy. Each stream has a queue of its own, so that a stuck one delays no other.
//
// What a stream is done with is released within a millisecond by the reaper, a thread that starts
// with the first thing that has to wait and sleeps while nothing is in flight; drain() releases
// earlier. Any thread may call anything here. Nothing is released under a lock of this file, and
// nothing at process exit.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "runtime/stream.h"

namespace cupola {

struct Retired {
  // Called once, on any thread. It may use the library, must not throw, and must not wait: a thing
  // that needs the interpreter hands itself over to a thread that may take its lock.
  std::function<void()> release;
  std::size_t bytes = 0;  // that the thing holds: for in_flight()
};

// Releases `thing` once all work so far on `stream` is done; at once where it is done already. A
// failed stream counts as done. Where not even an event can be recorded the thing is never
// released: a leak is safe, reuse before completion is not.
void retire(const std::shared_ptr<StreamState>& stream, Retired thing) noexcept;
// Once all work so far on each of them is done. No stream waits for another because of it.
void retire(std::span<const std::shared_ptr<StreamState>> streams, Retired thing) noexcept;

struct InFlight {
  std::size_t things = 0;
  std::size_t bytes = 0;
  std::size_t events = 0;  // of the platforms, in use or kept for the next thing
};
InFlight in_flight();

// Releases what is done, without waiting; tells what it was. `events` is 0.
InFlight drain(const StreamState& stream) noexcept;
InFlight drain() noexcept;

// Waits for the streams of the device that have something in flight, and releases it. Throws what
// the streams throw. What other threads are releasing just then it waits for as well, up to a
// second.
InFlight settle(const Device& device);
InFlight settle();  // of all devices

// For the only thread of a forked child: forgets everything that the parent had in flight, without
// releasing it, and lets a reaper start anew.
void forget_completions_after_fork() noexcept;

}  // namespace cupola
