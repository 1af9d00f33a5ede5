#include "runtime/host_functions.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "driver/beside.h"
#include "runtime/capture.h"

namespace cupola {

namespace {

constexpr std::chrono::seconds kIdleTime{5};  // after which a thread ends

std::atomic<std::int64_t> pending{0};

// As many threads as functions run at the same time, at most one for each stream.
class HostThreads {
 public:
  HostThreads() {
    // Tasks of a platform give their functions to run(), and a fork waits for such tasks: it must
    // not hold the lock by then.
    at_fork(ForkLayer::base, {[this] { mutex_.lock(); }, [this] { mutex_.unlock(); },
                              [this] { start_anew_in_child(); }});
  }

  void run(std::function<void()> task) noexcept {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
      if (idle_ >= tasks_.size()) {
        changed_.notify_one();
        return;
      }
    }
    std::thread([this] { work(); }).detach();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      const bool found = changed_.wait_for(lock, kIdleTime, [this] { return !tasks_.empty(); });
      --idle_;
      if (!found) return;
      {
        const auto task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        task();
      }
      lock.lock();
    }
  }

  // The parent's threads do not exist there, nor do the functions' streams.
  void start_anew_in_child() {
    mutex_.unlock();
    for (auto& task : tasks_) new std::function<void()>(std::move(task));  // never destroyed
    tasks_.clear();
    idle_ = 0;
    pending = 0;
    new (&changed_) std::condition_variable;  // threads of the parent may have been waiting
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::size_t idle_ = 0;
};

// Never destroyed: threads may outlive static objects.
HostThreads& host_threads() {
  static constinit Lazy<HostThreads> threads;
  return *threads;
}

// Freed on the function's thread: a thread of the platform must not destroy streams.
struct Task {
  std::shared_ptr<StreamState> stream;
  std::function<void()> function;
};

}  // namespace

void launch_host_function(const std::shared_ptr<StreamState>& stream,
                          std::function<void()> function) {
  if (const std::shared_ptr<Capture> capture = stream->capture()) {
    // Freed with the graph, and not by the platform's thread.
    const auto kept = std::make_shared<std::function<void()>>(std::move(function));
    capture->keep({[kept] {}, 0});
    stream->driver().run_on_host(
        [called = std::weak_ptr(kept)] {
          if (const auto held = called.lock()) (*held)();
        },
        stream->handle());
    stream->advance();
    return;
  }
  HostThreads& threads = host_threads();
  const auto task = std::make_shared<Task>(Task{stream, std::move(function)});
  const auto begin = [&threads, task](const Driver::Done& done) {
    threads.run([taken = std::make_shared<Task>(std::move(*task)), done]() mutable {
      {
        const StreamState& own = *taken->stream;
        const BesideStream beside(own.device().platform(), own.driver().of_platform(own.handle()));
        taken->function();
      }
      taken->function = nullptr;
      done();
      pending.fetch_sub(1);
      taken.reset();
    });
  };
  const StreamHandle handle = stream->handle();
  pending.fetch_add(1);
  try {
    stream->driver().run_beside(begin, handle);
  } catch (...) {
    pending.fetch_sub(1);
    throw;
  }
  stream->advance();
}

bool host_functions_are_pending() noexcept { return pending.load() > 0; }

}  // namespace cupola
