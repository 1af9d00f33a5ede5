#include "exec/transfers/copy_threads.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "base/copy_apart.h"
#include "base/process/environment.h"
#include "base/process/fork.h"
#include "base/process/processors.h"
#include "base/threads/lazy.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace cupola {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr int kUsualThreads = 6;

struct Job {
  const std::function<void()>& work;
  int running = 0;
  std::exception_ptr thrown = nullptr;
};

class CopyThreads {
 public:
  void run(int helpers, const std::function<void()>& work) {
    Job job{work};
    invite(job, helpers);
    std::exception_ptr thrown;
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
    finish(job);
    if (!thrown) thrown = job.thrown;
    if (thrown) std::rethrow_exception(thrown);
  }

 private:
  void invite(Job& job, int helpers) {
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < helpers; ++i) invitations_.push_back(&job);
    while (threads_ < helpers && start_thread()) ++threads_;
    invited_.notify_all();
  }
  // Those who have not come by now are not needed any more.
  void finish(Job& job) {
    std::unique_lock lock(mutex_);
    std::erase(invitations_, &job);
    finished_.wait(lock, [&] { return job.running == 0; });
  }
  bool start_thread() {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the program's own threads
    bool started = true;
    try {
      std::thread([this] { help(); }).detach();
    } catch (...) {
      started = false;  // the caller does it alone
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
  }
  [[noreturn]] void help() {
    std::unique_lock lock(mutex_);
    for (;;) {
      invited_.wait(lock, [this] { return !invitations_.empty(); });
      Job& job = *invitations_.front();
      invitations_.pop_front();
      ++job.running;
      lock.unlock();
      std::exception_ptr thrown;
      try {
        job.work();
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      if (thrown && !job.thrown) job.thrown = thrown;
      if (--job.running == 0) finished_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable invited_, finished_;
  std::deque<Job*> invitations_;
  int threads_ = 0;
};

// Never destroyed. A forked child has none of its parent's threads and gets its own.
struct ThreadsOfProcess {
  ThreadsOfProcess() { lock_at_fork(ForkLayer::exec, mutex); }
  std::mutex mutex;
  CopyThreads* threads = nullptr;
  std::uint64_t generation = 0;
};

CopyThreads& threads() {
  static constinit Lazy<ThreadsOfProcess> instance;
  ThreadsOfProcess& process = *instance;
  const std::lock_guard lock(process.mutex);
  if (process.threads == nullptr || is_inherited(process.generation)) {
    process.threads = new CopyThreads;
    process.generation = fork_generation();
  }
  return *process.threads;
}

int threads_asked_for() {
  const char* text = environment_value("CUPOLA_COPY_THREADS");
  return text == nullptr ? 0 : std::atoi(text);
}

}  // namespace

int copy_threads(int usual) {
  static constinit Lazy<const int> cores;
  static constinit Lazy<const int> wanted;
  const int asked = wanted.get(threads_asked_for);
  return std::clamp(asked > 0 ? asked : usual, 1, cores.get(usable_processors));
}

void run_with_helpers(int helpers, const std::function<void()>& work) {
  if (helpers <= 0) return work();
  threads().run(helpers, work);
}

void copy_past_cache(void* target, const void* source, std::size_t bytes) {
#ifdef __SSE2__
  auto* to = static_cast<char*>(target);
  const auto* from = static_cast<const char*>(source);
  const std::size_t head =
      std::min<std::size_t>(bytes, (16 - reinterpret_cast<std::uintptr_t>(to) % 16) % 16);
  std::memcpy(to, from, head);
  to += head;
  from += head;
  bytes -= head;
  for (; bytes >= 64; to += 64, from += 64, bytes -= 64) {
    const auto* read = reinterpret_cast<const __m128i*>(from);
    auto* write = reinterpret_cast<__m128i*>(to);
    const __m128i a = _mm_loadu_si128(read);
    const __m128i b = _mm_loadu_si128(read + 1);
    const __m128i c = _mm_loadu_si128(read + 2);
    const __m128i d = _mm_loadu_si128(read + 3);
    _mm_stream_si128(write, a);
    _mm_stream_si128(write + 1, b);
    _mm_stream_si128(write + 2, c);
    _mm_stream_si128(write + 3, d);
  }
  std::memcpy(to, from, bytes);
  _mm_sfence();
#else
  copy_apart(target, source, bytes);
#endif
}

void copy_in_parallel(void* target, const void* source, std::size_t bytes) {
  const std::size_t pieces = (bytes + kPiece - 1) / kPiece;
  if (pieces <= 1) return copy_apart(target, source, bytes);
  std::atomic<std::size_t> next{0};
  const int most = static_cast<int>(std::min<std::size_t>(pieces, 64));
  run_with_helpers(std::min(most, copy_threads(kUsualThreads)) - 1, [&] {
    for (std::size_t i = next++; i < pieces; i = next++) {
      const std::size_t first = i * kPiece;
      copy_past_cache(static_cast<char*>(target) + first, static_cast<const char*>(source) + first,
                      std::min(kPiece, bytes - first));
    }
  });
}

void advise_huge_pages(void* data, std::size_t bytes) {
  if (bytes < 2 * kHugePage) return;
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = (address + kHugePage - 1) / kHugePage * kHugePage;
  const std::uintptr_t last = (address + bytes) / kHugePage * kHugePage;
  if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace cupola
