#pragma once
// What a platform remembers of a device whose asynchronous work failed. The failure is thrown once
// as it was, with the launches that can have caused it; from then on every use of the device is
// told that it has failed. Other devices go on.

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>

#include "base/threads/mutex.h"
#include "cupola/device.h"

namespace cupola {

// One launch, for the report of a fault.
struct RecentLaunch {
  const char* kernel = nullptr;  // lives for ever
  std::array<std::uint32_t, 3> grid{};
  std::uint32_t block = 0;  // threads
  std::uint64_t stream = 0;
};

// While one lives, this thread asks about devices for nobody who could be told: what it is thrown
// counts as reported to no one.
class UnreportedFaults {
 public:
  UnreportedFaults();
  ~UnreportedFaults();
  UnreportedFaults(const UnreportedFaults&) = delete;
  UnreportedFaults& operator=(const UnreportedFaults&) = delete;
};

// The same text at an address that stays valid for ever.
const char* lasting_name(const std::string& name);

// Threads: every method at any time.
class DeviceHealth {
 public:
  explicit DeviceHealth(const Device& device) : device_(device) {}

  bool is_failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  // Throws what the device failed with: the error itself to the first caller, FaultError that
  // repeats it to all others.
  void check() {
    if (is_failed()) [[unlikely]]
      throw_fault();
  }
  // Keeps the error, unless there is one already. Running out of host memory is no fault of the
  // device: it is thrown once, as OutOfMemoryError, and the device goes on. So it does after a
  // LaunchError: its kernel stopped.
  void fail(std::exception_ptr error) noexcept;
  // As fail() and check() in one.
  [[noreturn]] void fail_now(std::exception_ptr error);
  // The error itself; null while the device is healthy, and for one that it goes on after.
  std::exception_ptr fault() const;
  // The device is healthy again.
  void clear() noexcept;

  // Remembers a launch; no lock.
  void note_launch(const RecentLaunch& launch) noexcept;
  // "; the last launches on cuda:0 were ...", newest first; empty without any.
  std::string recent_launches() const;

 private:
  static constexpr std::size_t kLaunches = 16;
  struct Slot {
    std::atomic<const char*> kernel{nullptr};
    std::atomic<std::uint64_t> number{0};
    std::atomic<std::uint64_t> stream{0};
    std::array<std::atomic<std::uint32_t>, 4> extents{};  // grid, block
  };

  [[noreturn]] void throw_fault();
  void forget() noexcept;  // with the mutex held

  const Device device_;
  std::atomic<bool> failed_{false};
  mutable Mutex mutex_;
  std::exception_ptr error_;  // guarded
  bool reported_ = false;     // guarded
  bool is_lasting_ = false;   // guarded; the device is out of use
  std::atomic<std::uint64_t> launches_{0};
  std::array<Slot, kLaunches> recent_;
};

}  // namespace cupola
