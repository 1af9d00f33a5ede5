#pragma once
// For tests: holds a stream back until it is opened, at the latest when it goes.

#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "runtime/stream.h"

namespace cupola {

class StreamGate {
 public:
  using Clock = std::chrono::steady_clock;

  // No thread waits at the gate: functions of several streams may share one.
  explicit StreamGate(const Stream& stream) : stream_(stream) {
    stream.state()->driver().run_beside(
        [this](Driver::Done pass) {
          const std::lock_guard lock(mutex_);
          pass_ = std::move(pass);
          pass_if_open();
        },
        stream.state()->handle());
    stream.state()->advance();
  }
  ~StreamGate() {
    open();
    stream_.state()->compute_deferred();
    stream_.state()->synchronize();
  }
  StreamGate(const StreamGate&) = delete;
  StreamGate& operator=(const StreamGate&) = delete;

  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    pass_if_open();
  }
  // The stream has come here, and waits.
  bool holds() {
    const std::lock_guard lock(mutex_);
    return static_cast<bool>(pass_);
  }
  // When the stream went on.
  Clock::time_point opened_at() {
    const std::lock_guard lock(mutex_);
    return opened_at_;
  }

 private:
  void pass_if_open() {
    if (!open_ || !pass_) return;
    opened_at_ = Clock::now();
    std::exchange(pass_, nullptr)();
  }

  Stream stream_;
  std::mutex mutex_;
  Driver::Done pass_;  // set once the stream has come here
  bool open_ = false;
  Clock::time_point opened_at_;
};

// Whether `condition` becomes true within the deadline.
template <typename Condition>
bool eventually(const Condition& condition) {
  const auto deadline = StreamGate::Clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (StreamGate::Clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

// Whether the stream has not come to its end after a time in which it would have.
inline bool is_held(const Stream& stream) {
  const auto deadline = StreamGate::Clock::now() + std::chrono::milliseconds(50);
  while (StreamGate::Clock::now() < deadline) {
    if (stream.is_idle()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace cupola
