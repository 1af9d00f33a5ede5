#pragma once
// Who looks at what the library does: the profile, NVTX ranges, the doctor. What happens is told to
// each of them on the thread where it happens, with the place of the user's program that it is done
// for. While nobody looks, a question costs one relaxed load.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/call_site.h"
#include "runtime/stream.h"

namespace cupola {

enum class WorkKind : std::uint8_t { kernel, to_device, to_host, between_devices };

// What is handed over to a stream.
struct Work {
  WorkKind kind;
  std::string name;  // "multiply, add"
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;
  StreamState& stream;
  bool is_pageable = false;  // the host's side of a transfer
  bool is_matrix_vector = false;
  const void* updated = nullptr;  // what an elementwise kernel reads and writes in place
  CallPosition position = noted_position;
};

// The host waits for a device.
struct Wait {
  const char* asked_by;  // "float(a)"; null: the program asked for the wait
  CallPosition position;
};

struct MemoryUse {
  Device device;
  bool is_allocated;  // else given back
  const void* pointer;
  std::size_t bytes;
  std::uint64_t stream;  // identity; 0: the host's order
  CallPosition position;
};

enum class SpillDirection : std::uint8_t { out, in };

// An array was moved to the host for want of memory, or back.
struct Spill {
  SpillDirection direction;
  std::size_t bytes;
  CallPosition position;
};

// An array was sorted, all of it.
struct Sorted {
  std::weak_ptr<const void> storage;
  std::size_t bytes;
  CallPosition position;
};
// A part of an array was taken by slices and numbers.
struct TakenPart {
  const void* storage;
  std::int64_t elements;
  std::int64_t of_elements;
  CallPosition position;
};

// Methods come from any thread at any time, also while it holds locks of the library: they use no
// array and wait for nothing. They stay valid after remove_observer(): calls may be under way.
class Observer {
 public:
  virtual ~Observer() = default;
  // Around the hand-over; what the first returns the second is given. Events that are recorded on
  // the work's stream are before and after it.
  virtual void* work_begins(const Work&) noexcept { return nullptr; }
  virtual void work_ends(const Work&, void*) noexcept {}
  virtual void wait_begins(const Wait&) noexcept {}
  virtual void wait_ends(const Wait&) noexcept {}
  virtual void memory_used(const MemoryUse&) noexcept {}
  virtual void array_spilled(const Spill&) noexcept {}
  // One element was read or written by its indices.
  virtual void element_used(const CallPosition&, bool /*is_written*/) noexcept {}
  virtual void array_sorted(const Sorted&) noexcept {}
  virtual void part_taken(const TakenPart&) noexcept {}
  // What a write stores was computed into memory of its own first, because the write changes what
  // it is computed from.
  virtual void write_detached(const CallPosition&, std::int64_t /*bytes*/) noexcept {}
  // The same for no such reason: kernels before the one that writes computed a part of it.
  virtual void write_unfused(const CallPosition&, std::int64_t /*bytes*/) noexcept {}
};

inline constexpr std::size_t kMaxObservers = 4;
// Once each, until it is removed. Observers live for ever.
void add_observer(Observer& observer);
void remove_observer(Observer& observer);

namespace internal {
extern std::atomic<int> observers;
// Calls function(observer, slot).
template <typename Function>
void for_each_observer(const Function& function);
extern std::array<std::atomic<Observer*>, kMaxObservers> observer_slots;
// Outermost first; those below are a part of it.
extern thread_local constinit int waits;
extern thread_local constinit const char* asked_by;
}  // namespace internal

inline bool is_observed() { return internal::observers.load(std::memory_order_relaxed) != 0; }

template <typename Function>
void internal::for_each_observer(const Function& function) {
  for (std::size_t i = 0; i < kMaxObservers; ++i) {
    if (Observer* observer = observer_slots[i].load(std::memory_order_acquire)) {
      function(*observer, i);
    }
  }
}

// Around the hand-over of work. `describe` returns a Work, and is called when somebody looks.
class ObservedWork {
 public:
  template <typename Describe>
  explicit ObservedWork(const Describe& describe) {
    if (is_observed()) [[unlikely]]
      begin(new Work(describe()));
  }
  ~ObservedWork() {
    if (work_) [[unlikely]]
      end();
  }
  ObservedWork(const ObservedWork&) = delete;
  ObservedWork& operator=(const ObservedWork&) = delete;

 private:
  void begin(Work* work) noexcept;
  void end() noexcept;

  Work* work_ = nullptr;
  std::array<Observer*, kMaxObservers> told_{};
  std::array<void*, kMaxObservers> tokens_{};
};

// While the host waits. One within another is a part of it.
class ObservedWait {
 public:
  ObservedWait() {
    if (is_observed()) [[unlikely]]
      begin();
  }
  ~ObservedWait() {
    if (counted_) [[unlikely]]
      end();
  }
  ObservedWait(const ObservedWait&) = delete;
  ObservedWait& operator=(const ObservedWait&) = delete;

 private:
  void begin() noexcept;
  void end() noexcept;

  bool counted_ = false;
  std::array<Observer*, kMaxObservers> told_{};
  Wait wait_{};
};

// While one lives, waits of this thread are there for what the program wrote; `what` lives for
// ever. The outermost counts.
class AskedBy {
 public:
  explicit AskedBy(const char* what) : is_outermost_(internal::asked_by == nullptr) {
    if (is_outermost_) internal::asked_by = what;
  }
  ~AskedBy() {
    if (is_outermost_) internal::asked_by = nullptr;
  }
  AskedBy(const AskedBy&) = delete;
  AskedBy& operator=(const AskedBy&) = delete;

 private:
  const bool is_outermost_;
};

void tell_memory_use(const MemoryUse& use) noexcept;
void tell_spill(const Spill& spill) noexcept;
void tell_element_use(bool is_written) noexcept;
void tell_sorted(std::weak_ptr<const void> storage, std::size_t bytes) noexcept;
void tell_taken_part(const void* storage, std::int64_t elements, std::int64_t of_elements) noexcept;
void tell_detached_write(std::int64_t bytes) noexcept;
void tell_unfused_write(std::int64_t bytes) noexcept;

}  // namespace cupola
