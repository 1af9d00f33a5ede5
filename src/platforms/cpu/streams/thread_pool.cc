#include "platforms/cpu/streams/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutant.h"
#include "base/process/fork.h"
#include "base/process/processors.h"
#include "base/threads/lazy.h"
#include "base/threads/mutex.h"

namespace cupola::cpu {
namespace {

// Ranges per thread: enough that a slow one does not hold up the rest.
constexpr std::int64_t kRangesPerThread = 8;
// How often an idle thread looks for work before it sleeps. What comes meanwhile needs nobody
// woken, but the time is the processor's. On one processor nobody brings any.
constexpr int kSpins = 200;
// Shared by any number of threads, less takes longer.
constexpr double kLeastShared = 262144;  // nanoseconds
int spins() { return pool_size() > 1 ? kSpins : 0; }

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// A PoolPause lives.
std::atomic<bool> is_paused{false};

bool may_help() {
  return !is_paused.load(std::memory_order_relaxed) || CUPOLA_MUTANT(pool_beside_library);
}

thread_local constinit bool loops_are_long = false;

// One parallel_for, on the stack of its caller.
class Loop {
 public:
  Loop(std::int64_t count, std::int64_t range, RangeFunction function)
      : is_long(loops_are_long), count_(count), range_(range), function_(function) {}

  bool has_more() const { return next_.load(std::memory_order_relaxed) < count_; }
  // Takes ranges until none is left.
  void work() {
    while (work_once()) {
    }
  }
  // As work(), but leaves the rest to its caller during a pause.
  void help() {
    while (may_help() && work_once()) {
    }
  }
  // One range; false where none is left.
  bool work_once() {
    const std::int64_t first = next_.fetch_add(range_, std::memory_order_relaxed);
    if (first >= count_) return false;
    try {
      function_(first, std::min(first + range_, count_));
    } catch (...) {
      next_.store(count_, std::memory_order_relaxed);
      if (!threw_.exchange(true)) error_ = std::current_exception();
    }
    return true;
  }
  // Once nobody works any more.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

  const bool is_long;
  std::atomic<int> helpers{0};  // other threads in it; changed under the pool's mutex

 private:
  const std::int64_t count_;
  const std::int64_t range_;
  const RangeFunction function_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<bool> threw_{false};
  std::exception_ptr error_;
};

class Pool {
 public:
  explicit Pool(int size) : size_(size) {
    for (int i = 0; i < size; ++i) std::thread([this] { serve(); }).detach();
  }

  void enqueue(std::function<void()> function) {
    std::unique_lock lock(mutex_);
    tasks_.push_back(std::move(function));
    announce(lock, 1);
  }

  void run(Loop& loop, std::int64_t ranges) {
    {
      std::unique_lock lock(mutex_);
      loops_.push_back(&loop);
      announce(lock, std::min<std::int64_t>(ranges - 1, size_));
    }
    loop.work();
    {
      const std::lock_guard lock(mutex_);
      std::erase(loops_, &loop);  // nobody joins any more
    }
    const int most = spins();
    for (int i = 0; i < most; ++i) {
      if (loop.helpers.load(std::memory_order_acquire) == 0) return;
      pause_briefly();
    }
    std::unique_lock lock(mutex_);
    helped_.wait(lock, [&] { return loop.helpers == 0; });
  }

  bool help_once() {
    std::unique_lock lock(mutex_);
    return help(
        lock, [](const Loop& loop) { return !loop.is_long; }, [](Loop& loop) { loop.work_once(); });
  }

  // Until no other thread is in a loop; none begins meanwhile.
  void wait_for_helpers() {
    std::unique_lock lock(mutex_);
    helped_.wait(lock, [this] { return helping_ == 0; });
  }
  // After a pause: there may be loops that have no helpers.
  void resume() {
    std::unique_lock lock(mutex_);
    if (!loops_.empty()) announce(lock, size_);
  }

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  void announce(std::unique_lock<std::mutex>& lock, std::int64_t threads) {
    news_.fetch_add(1, std::memory_order_relaxed);
    const std::int64_t woken = std::min<std::int64_t>(threads, sleeping_);
    lock.unlock();
    for (std::int64_t i = 0; i < woken; ++i) changed_.notify_one();
  }

  [[noreturn]] void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      const bool helped = help(
          lock, [](const Loop&) { return true; }, [](Loop& loop) { loop.help(); });
      if (helped || run_task(lock)) continue;
      const std::uint32_t seen = news_.load(std::memory_order_relaxed);
      lock.unlock();
      const int most = spins();
      for (int i = 0; i < most && news_.load(std::memory_order_relaxed) == seen; ++i) {
        pause_briefly();
      }
      lock.lock();
      if (news_.load(std::memory_order_relaxed) != seen) continue;
      ++sleeping_;
      changed_.wait(lock);
      --sleeping_;
    }
  }

  // Loops that have begun come before tasks: somebody waits for them.
  template <typename Suits, typename Part>
  bool help(std::unique_lock<std::mutex>& lock, const Suits& suits, const Part& part) {
    if (!may_help()) return false;
    const auto found = std::find_if(loops_.begin(), loops_.end(), [&](const Loop* loop) {
      return loop->has_more() && suits(*loop);
    });
    if (found == loops_.end()) return false;
    Loop& loop = **found;
    ++loop.helpers;
    ++helping_;
    lock.unlock();
    part(loop);
    lock.lock();
    --helping_;
    // The loop may be gone as soon as it has no helpers.
    if (--loop.helpers == 0 || helping_ == 0) helped_.notify_all();
    return true;
  }

  bool run_task(std::unique_lock<std::mutex>& lock) {
    if (tasks_.empty()) return false;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    return true;
  }

  const int size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable helped_;
  std::atomic<std::uint32_t> news_{0};
  int sleeping_ = 0;
  int helping_ = 0;  // threads in loops of others
  std::deque<std::function<void()>> tasks_;
  std::vector<Loop*> loops_;
};

// The pool of this process: none before it is needed. Never destroyed, since its threads may
// outlive static objects; one that a forked child inherits has no threads and is left alone.
class CurrentPool {
 public:
  CurrentPool() {
    at_fork(ForkLayer::base,
            {[this] { before_fork(); }, [this] { in_parent(); }, [this] { in_child(); }});
  }
  static CurrentPool& instance() {
    static constinit Lazy<CurrentPool> current;
    return *current;
  }
  Pool& get() {
    if (Pool* pool = pool_.load(std::memory_order_acquire)) return *pool;
    const std::lock_guard lock(mutex_);
    if (!pool_.load(std::memory_order_relaxed)) {
      pool_.store(new Pool(pool_size()), std::memory_order_release);
    }
    return *pool_.load(std::memory_order_relaxed);
  }
  // Null where nothing has needed threads yet.
  Pool* if_any() { return pool_.load(std::memory_order_acquire); }

 private:
  void before_fork() {
    mutex_.lock();
    if (Pool* pool = pool_.load(std::memory_order_relaxed)) pool->lock();
  }
  void in_parent() {
    if (Pool* pool = pool_.load(std::memory_order_relaxed)) pool->unlock();
    mutex_.unlock();
  }
  // What was queued there was only the turns of streams, which are queued anew.
  void in_child() {
    if (!CUPOLA_MUTANT(pool_of_the_parent)) pool_.store(nullptr, std::memory_order_relaxed);
    is_paused.store(false, std::memory_order_relaxed);
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::atomic<Pool*> pool_{nullptr};
};

// One pause at a time.
Mutex pauses;

}  // namespace

int pool_size() {
  static constinit Lazy<const int> size;
  return size.get(usable_processors);
}

std::int64_t least_shared_cost() {
  const double threads = pool_size();
  return threads > 1 ? static_cast<std::int64_t>(kLeastShared * threads / (threads - 1))
                     : std::numeric_limits<std::int64_t>::max();
}

std::int64_t grain_for(double cost_per_item) {
  const double share = kLeastShared / std::max(cost_per_item, 1.0);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(share));
}

void enqueue(std::function<void()> function) {
  CurrentPool::instance().get().enqueue(std::move(function));
}

void parallel_for(std::int64_t count, std::int64_t grain, RangeFunction function) {
  if (count <= grain || pool_size() == 1) {
    if (count > 0) function(0, count);
    return;
  }
  const std::int64_t most = kRangesPerThread * pool_size();
  const std::int64_t range = std::max({std::int64_t{1}, grain, (count + most - 1) / most});
  const std::int64_t ranges = (count + range - 1) / range;
  if (ranges == 1) return function(0, count);
  Loop loop(count, range, function);
  CurrentPool::instance().get().run(loop, ranges);
  loop.rethrow();
}

bool help_once() {
  Pool* pool = CurrentPool::instance().if_any();
  return pool != nullptr && pool->help_once();
}

LongLoops::LongLoops(bool are_long) : before_(std::exchange(loops_are_long, are_long)) {}
LongLoops::~LongLoops() { loops_are_long = before_; }

PoolPause::PoolPause() {
  pauses.lock();
  is_paused.store(true, std::memory_order_relaxed);
  if (Pool* pool = CurrentPool::instance().if_any()) pool->wait_for_helpers();
}

PoolPause::~PoolPause() {
  is_paused.store(false, std::memory_order_relaxed);
  if (Pool* pool = CurrentPool::instance().if_any()) pool->resume();
  pauses.unlock();
}

}  // namespace cupola::cpu
