#pragma once
// In-order streams and events of the emulated devices.
//
// A stream is a queue that one thread at a time drains: a pool thread, a thread that waits for the
// stream, or, when the stream is idle and the work small, the thread that brings the work. Nobody
// blocks while draining: a wait for an event parks the queue, and the event wakes it.
//
// Fork: what runs, and what changes a stream, is finished before (task_gate.h); what is queued
// stays queued on both sides, and parent and child each do it with their own memory. The child's
// streams go on when it first uses any of them.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/threads/mutex.h"
#include "driver/health.h"
#include "platforms/cpu/streams/scheduler.h"
#include "platforms/cpu/streams/task_gate.h"

namespace cupola::cpu {

class Recording;
class Stream;

// In a forked child: lets the inherited streams go on, once; true when it did so now.
bool resume_after_fork();

// One record of an event. Complete once and for all.
class Completion {
 public:
  // Who runs the work that wait() waits for: the pool, or the scheduler.
  explicit Completion(Scheduler* scheduler = nullptr) : scheduler_(scheduler) {}
  virtual ~Completion() = default;
  bool is_complete() const {
    return done_.load(std::memory_order_acquire) != 0 || (resume_after_fork() && is_complete());
  }
  // False: what will complete it has not been started, and starts when a stream parks.
  virtual bool has_begun() const { return true; }
  void complete();
  // False (and nothing kept) when it is complete already; else `stream` is resumed then.
  virtual bool park(std::shared_ptr<Stream> stream);
  // Blocks. Throws what check_interrupt() throws.
  void wait();
  // When it was; only once it is complete.
  std::chrono::steady_clock::time_point completed_at() const { return completed_at_; }

 private:
  Scheduler* const scheduler_;
  std::atomic<std::uint32_t> done_{0};                  // 1: it is
  std::atomic<int> waiting_{0};                         // threads in wait()
  std::chrono::steady_clock::time_point completed_at_;  // published by done_
  std::vector<std::shared_ptr<Stream>> parked_;         // guarded by completion_lock()
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  // The scheduler, if there is one, must outlive the stream.
  explicit Stream(int device, Scheduler* scheduler = nullptr);
  ~Stream();
  int device() const { return device_; }

  // Every call but those marked noexcept throws while the device is failed (driver/health.h), as it
  // is once asynchronous work threw. What work throws that runs at once goes to its caller and is
  // not kept.
  void enqueue(std::function<void()> work);
  // As enqueue, work of more than kInterruptPeriod (base/process/interrupt.h): threads of the pool
  // do it, so that one that waits for it can be interrupted.
  void enqueue_long(std::function<void()> work);
  // As enqueue, what uses the stack of a caller that waits for it: a forked child, which does not
  // have that caller, leaves it out.
  void enqueue_borrowed(std::function<void()> work);
  // As enqueue, a function of the user, who may let it wait for whatever he likes: a fork does not
  // wait for it, and to the child it counts as done once it has begun.
  void enqueue_function(std::function<void()> function);
  // As enqueue, for what must run whatever failed before: keeps the error for the next call. On
  // this thread when the stream is idle.
  void enqueue_release(std::function<void()> work) noexcept;
  // Runs `work` on this thread, in order, and returns when it has run. A borrowed function.
  template <typename Work>
  void run_now(const Work& work) {
    if (!try_run_now(work)) run_in_turn([&work] { work(); });
  }
  // As enqueue, but at once on this thread when the stream is idle. True: it has run.
  template <typename Work>
  bool try_run_now(const Work& work) {
    if (!runs_at_once()) return false;
    const RunningTask task;
    if (!begin_if_idle()) return false;
    const Running running(*this);
    work();
    return true;
  }
  // Null when everything before is done already.
  std::shared_ptr<Completion> record();
  void wait(const std::shared_ptr<Completion>& completion);
  // As wait(), for a function of the user that another thread runs and that has begun when this
  // stream gets here: to a forked child it counts as done then.
  void wait_for_function(const std::shared_ptr<Completion>& completion);
  // Throws what check_interrupt() throws, too; the work goes on then.
  void synchronize();
  bool is_idle() const {
    return pending_.load(std::memory_order_acquire) == 0 || (resume_after_fork() && is_idle());
  }

  // What records the work that is brought, and keeps it from running; null: nothing does. Work that
  // was brought before goes on, and so do releases.
  std::shared_ptr<Recording> recording() const {
    return is_recorded_.load(std::memory_order_acquire) ? locked_recording() : nullptr;
  }
  void set_recording(std::shared_ptr<Recording> recording);

  // The event at the head of the queue has happened.
  void wake();
  // For a scheduler: runs the first piece of work on this thread, unless the stream is parked or
  // another thread is at it.
  void step();

 private:
  friend class LiveStreams;
  enum class Kind : std::uint8_t {
    own,
    long_own,  // and takes long
    borrowed,  // refers to the stack of a thread that waits for it
    function   // of the user
  };
  struct Task {
    std::function<void()> work;               // or
    std::shared_ptr<Completion> await;        // park until this, or
    std::shared_ptr<Completion> to_complete;  // complete this
    Kind kind = Kind::own;
    bool is_done =
        false;  // and about to leave the queue; set before the task gate lets a fork pass
  };
  // Ends what begin_if_idle began.
  struct Running {
    explicit Running(Stream& stream) : stream_(stream) {}
    ~Running() { stream_.end_running(); }
    Stream& stream_;
  };

  std::shared_ptr<Recording> locked_recording() const;
  // True: the work was recorded.
  bool record_work(Kind kind, std::function<void()>& work);
  bool runs_at_once() const;
  // Both within the gate.
  bool begin_if_idle();
  void end_running() noexcept;
  void run_in_turn(std::function<void()> work);
  std::uint64_t push(Task task);
  std::uint64_t push_locked(Task task, std::unique_lock<GatedMutex> lock);
  void wait_for(std::uint64_t ticket);
  void wait_interruptibly(std::uint64_t ticket);
  using Time = std::chrono::steady_clock::time_point;
  // False: it was not done by then.
  bool is_done_by(std::uint64_t ticket, Time end);
  void schedule();
  // Runs queued work on this thread until task number `ticket` is done, the queue is empty, it
  // parks, or another thread drains it already; begins none after `end`, and then none that takes
  // long.
  void drain(std::uint64_t ticket, Time end = Time::max());
  // False: the task awaits an event, which will wake this stream.
  bool run(Task& task) noexcept;
  void finish_one(std::unique_lock<GatedMutex>& lock);
  void count_one();
  void run_work(Task& task) const;
  void forget_lost_threads();

  const int device_;
  DeviceHealth& health_;
  Scheduler* const scheduler_;
  std::atomic<bool> is_recorded_{false};
  mutable Mutex recording_mutex_;
  std::shared_ptr<Recording> recording_;
  std::atomic<std::int64_t> pending_{0};  // tasks that are queued or running
  GatedMutex mutex_;
  std::deque<Task> queue_;
  bool running_ = false;      // some thread drains, or runs work at once
  bool parked_ = false;       // the first task awaits an event
  bool woken_ = false;        // the event came while running_
  bool in_function_ = false;  // the first task is a function of the user that has begun
  int waiting_ = 0;           // threads in wait_for
  std::uint64_t submitted_ = 0;
  std::atomic<std::uint64_t> completed_{0};  // changed under mutex_
  std::atomic<std::uint32_t> changes_{0};    // of completed_, while a thread waits
};

}  // namespace cupola::cpu
