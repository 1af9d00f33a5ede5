#pragma once
// Handles of a library, which serve one thread at a time.

#include <condition_variable>
#include <mutex>
#include <vector>

namespace cupola::cuda {

// Of one device. There are at most kMaxHandles: a thread that finds none free waits.
template <typename Handle>
class HandlePool {
 public:
  // Null when one more may be made; then the caller makes it.
  Handle take() {
    std::unique_lock lock(mutex_);
    returned_.wait(lock, [&] { return !free_.empty() || made_ < kMaxHandles; });
    if (free_.empty()) {
      ++made_;
      return nullptr;
    }
    const Handle handle = free_.back();
    free_.pop_back();
    return handle;
  }
  // Null: it could not be made.
  void give_back(Handle handle) {
    const std::scoped_lock lock(mutex_);
    if (handle) {
      free_.push_back(handle);
    } else {
      --made_;
    }
    returned_.notify_one();
  }

 private:
  static constexpr int kMaxHandles = 8;

  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<Handle> free_;
  int made_ = 0;
};

}  // namespace cupola::cuda
