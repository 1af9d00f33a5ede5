#pragma once
// Handles whose owners are gone, for their next owners: making and destroying streams and events
// can wait for all work of the device, which no destructor may do.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "base/fork.h"

namespace cupola::cuda {

// Threads: any. To live for ever.
template <typename Handle>
class Spare {
 public:
  Spare() { lock_at_fork(ForkLayer::platform, mutex_); }

  void put(Handle* handle) noexcept {
    std::unique_ptr<Handle> owned(handle);
    const std::scoped_lock lock(mutex_);
    try {
      handles_.push_back(std::move(owned));
    } catch (const std::bad_alloc&) {
      static_cast<void>(owned.release());  // better lost than destroyed here
    }
  }

  // One that `fits`, or null. The oldest are asked first, and few, as that may ask the platform.
  template <typename Fits>
  std::unique_ptr<Handle> take(const Fits& fits) {
    const std::scoped_lock lock(mutex_);
    const auto end = handles_.begin() + std::min<std::ptrdiff_t>(kAsked, std::ssize(handles_));
    const auto found =
        std::find_if(handles_.begin(), end, [&](const auto& each) { return fits(*each); });
    if (found == end) return nullptr;
    std::unique_ptr<Handle> taken = std::move(*found);
    handles_.erase(found);
    return taken;
  }

 private:
  static constexpr std::ptrdiff_t kAsked = 64;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Handle>> handles_;
};

}  // namespace cupola::cuda
