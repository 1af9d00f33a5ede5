#include "driver/health.h"

#include <fmt/format.h>

#include <new>
#include <unordered_set>
#include <utility>

#include "base/mutant.h"
#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "cupola/error.h"

namespace cupola {

namespace {

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "an unknown exception";
  }
}

thread_local int unreported = 0;

bool is_out_of_host_memory(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

// A kernel that stopped, on a device that can tell and goes on.
bool is_of_a_launch(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const LaunchError&) {
    return true;
  } catch (...) {
    return false;
  }
}

int status_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const DeviceError& exception) {
    return exception.status();
  } catch (...) {
    return 0;
  }
}

struct Names {
  Names() { lock_at_fork(ForkLayer::base, mutex); }
  std::mutex mutex;
  std::unordered_set<std::string> all;
};

}  // namespace

UnreportedFaults::UnreportedFaults() { ++unreported; }
UnreportedFaults::~UnreportedFaults() { --unreported; }

const char* lasting_name(const std::string& name) {
  static constinit Lazy<Names> instance;
  Names& names = *instance;
  const std::lock_guard lock(names.mutex);
  return names.all.insert(name).first->c_str();
}

void DeviceHealth::fail(std::exception_ptr error) noexcept {
  const bool is_lasting = !is_out_of_host_memory(error) && !is_of_a_launch(error);
  const std::lock_guard lock(mutex_);
  if ((error_ && (is_lasting_ || !is_lasting)) || CUPOLA_MUTANT(forget_faults)) return;
  error_ = std::move(error);
  reported_ = false;
  is_lasting_ = is_lasting;
  failed_.store(true, std::memory_order_release);
}

void DeviceHealth::fail_now(std::exception_ptr error) {
  fail(std::move(error));
  throw_fault();
}

std::exception_ptr DeviceHealth::fault() const {
  if (!is_failed()) return nullptr;
  const std::lock_guard lock(mutex_);
  return is_lasting_ ? error_ : nullptr;
}

void DeviceHealth::clear() noexcept {
  const std::lock_guard lock(mutex_);
  forget();
}

void DeviceHealth::forget() noexcept {
  failed_.store(false, std::memory_order_release);
  error_ = nullptr;
}

void DeviceHealth::throw_fault() {
  std::exception_ptr error;
  bool repeated = false;
  {
    const std::lock_guard lock(mutex_);
    error = error_;
    if (error && !is_lasting_) {
      if (unreported == 0) forget();
      if (is_of_a_launch(error)) std::rethrow_exception(error);
      throw OutOfMemoryError(fmt::format(
          "the host ran out of memory while {} worked; what was computed there since the last "
          "synchronization may not have been",
          device_.to_string()));
    }
    repeated = reported_;
    if (unreported == 0) reported_ = true;
  }
  if (!error) throw FaultError(fmt::format("{} failed", device_.to_string()));
  if (!repeated) std::rethrow_exception(error);
  throw FaultError(
      fmt::format("{} is out of use since its work failed, which was reported before. It was: {}",
                  device_.to_string(), text_of(error)),
      status_of(error));
}

void DeviceHealth::note_launch(const RecentLaunch& launch) noexcept {
  const std::uint64_t number = launches_.fetch_add(1, std::memory_order_relaxed);
  Slot& slot = recent_[number % kLaunches];
  slot.kernel.store(launch.kernel, std::memory_order_relaxed);
  slot.stream.store(launch.stream, std::memory_order_relaxed);
  for (std::size_t i = 0; i < 3; ++i) {
    slot.extents[i].store(launch.grid[i], std::memory_order_relaxed);
  }
  slot.extents[3].store(launch.block, std::memory_order_relaxed);
  slot.number.store(number + 1, std::memory_order_release);
}

std::string DeviceHealth::recent_launches() const {
  std::string text;
  const std::uint64_t last = launches_.load(std::memory_order_acquire);
  const std::uint64_t first = last > kLaunches ? last - kLaunches : 0;
  for (std::uint64_t number = last; number > first; --number) {
    const Slot& slot = recent_[(number - 1) % kLaunches];
    if (slot.number.load(std::memory_order_acquire) != number) continue;  // being written
    text += fmt::format(
        "{}{} (launch {}, stream {}, grid {}x{}x{}, {} threads per block)",
        text.empty() ? fmt::format("; the last launches on {} were ", device_.to_string()) : ", ",
        slot.kernel.load(std::memory_order_relaxed), number,
        slot.stream.load(std::memory_order_relaxed), slot.extents[0].load(), slot.extents[1].load(),
        slot.extents[2].load(), slot.extents[3].load());
  }
  return text;
}

}  // namespace cupola
