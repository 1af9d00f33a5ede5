#pragma once
// Handles whose owners are gone, for their next owners: making and destroying streams and events
// can wait for all work of the device, which no destructor may do.

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "base/process/fork.h"
#include "platforms/cuda/device/context.h"

namespace cupola::cuda {

// Threads: any. To live for ever.
template <typename Handle>
class HandleCache {
 public:
  using Options = decltype(Handle::options);

  HandleCache() { lock_at_fork(ForkLayer::platform, mutex_); }

  void put(Handle* handle) noexcept {
    std::unique_ptr<Handle> owned(handle);
    const std::scoped_lock lock(mutex_);
    try {
      of_kind(handle->context, handle->options).push_back(std::move(owned));
    } catch (const std::bad_alloc&) {
      static_cast<void>(owned.release());  // better lost than destroyed here
    }
  }

  // One of the context with these options that `is_idle`, or null. The oldest are asked first, and
  // few, as that asks the platform; those that are not idle come last the next time.
  template <typename IsIdle>
  std::unique_ptr<Handle> take(const DeviceContext* context, const Options& options,
                               const IsIdle& is_idle) {
    constexpr std::size_t kAsked = 64;
    const std::scoped_lock lock(mutex_);
    Handles& handles = of_kind(context, options);
    for (std::size_t left = std::min(kAsked, handles.size()); left > 0; --left) {
      std::unique_ptr<Handle> oldest = std::move(handles.front());
      handles.pop_front();
      if (is_idle(*oldest)) return oldest;
      handles.push_back(std::move(oldest));
    }
    return nullptr;
  }

 private:
  using Handles = std::deque<std::unique_ptr<Handle>>;
  struct Kind {
    const DeviceContext* context;
    Options options;
    Handles handles;
  };

  Handles& of_kind(const DeviceContext* context, const Options& options) {
    for (Kind& kind : kinds_) {
      if (kind.context == context && kind.options == options) return kind.handles;
    }
    return kinds_.emplace_back(context, options, Handles()).handles;
  }

  std::mutex mutex_;
  std::deque<Kind> kinds_;
};

}  // namespace cupola::cuda
