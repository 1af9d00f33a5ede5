#pragma once
// A thread that polls while there is something to wait for and sleeps otherwise.

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace cupola {

// Must never be destroyed once the thread has started: the thread runs until the process exits,
// when it is stopped before the platforms go.
class Reaper {
 public:
  // Both are called on the thread only, without a lock; neither may throw.
  Reaper(std::function<void()> poll, std::function<bool()> is_idle)
      : poll_(std::move(poll)), is_idle_(std::move(is_idle)) {}
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

  // Call after is_idle() has become false. The first call starts the thread. After the process
  // has begun to exit, does nothing.
  void wake() noexcept;
  // Returns when poll() has run for the last time, or seems to be stuck.
  void stop() noexcept;
  // In a forked child: none of the parent's is stopped at the child's end.
  static void forget_after_fork() noexcept;

 private:
  void start();
  void run() noexcept;
  void sleep(std::unique_lock<std::mutex>& lock);

  const std::function<void()> poll_;
  const std::function<bool()> is_idle_;
  std::atomic<bool> awake_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;
  bool stopping_ = false;
  bool stopped_ = false;
};

}  // namespace cupola
