#include "platforms/cpu/streams/stream.h"

#include "base/mutant.h"
#include "base/process/interrupt.h"
#include "driver/graph.h"
#include "platforms/cpu/device/device_health.h"
#include "platforms/cpu/streams/live_streams.h"
#include "platforms/cpu/streams/recording.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

// A function that may block, as something that the stream awaits: it starts when its turn comes.
class FunctionCall final : public Completion, public std::enable_shared_from_this<FunctionCall> {
 public:
  FunctionCall(Scheduler& scheduler, std::function<void()> function)
      : Completion(&scheduler), scheduler_(scheduler), function_(std::move(function)) {}

  bool has_begun() const override { return !function_; }
  bool park(std::shared_ptr<Stream> stream) override {
    if (function_) {
      scheduler_.run_apart(
          [self = shared_from_this(), function = std::exchange(function_, nullptr)] {
            try {
              function();
            } catch (...) {
              self->thrown_ = std::current_exception();
            }
            self->complete();
          });
    }
    if (Completion::park(std::move(stream))) return true;
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    return false;
  }

 private:
  Scheduler& scheduler_;
  std::function<void()> function_;
  std::exception_ptr thrown_;  // published by complete()
};

// Counts a thread while it waits.
class Waiting {
 public:
  explicit Waiting(std::atomic<int>& count) : count_(count) { count_.fetch_add(1); }
  ~Waiting() { count_.fetch_sub(1); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  std::atomic<int>& count_;
};

// Until something is done, or the time is over, or there are no loops to help.
template <typename IsDone>
void help_until(std::chrono::steady_clock::time_point end, const IsDone& is_done) {
  while (!is_done() && std::chrono::steady_clock::now() < end && help_once()) {
  }
}

}  // namespace

void Completion::complete() {
  std::vector<std::shared_ptr<Stream>> parked;
  const RunningTask whole;  // a child finds those that were parked woken, too
  {
    const std::lock_guard lock(completion_lock(this));
    completed_at_ = std::chrono::steady_clock::now();
    done_.store(1);
    parked.swap(parked_);
  }
  if (waiting_.load() > 0) wake_waiters(done_);
  for (const auto& stream : parked) stream->wake();
}

bool Completion::park(std::shared_ptr<Stream> stream) {
  const std::lock_guard lock(completion_lock(this));
  if (done_.load(std::memory_order_relaxed) != 0) return false;
  parked_.push_back(std::move(stream));
  return true;
}

void Completion::wait() {
  if (is_complete()) return;
  if (scheduler_ != nullptr) {
    return scheduler_->run_until(nullptr, [this] { return is_complete(); });
  }
  const Waiting waiting(waiting_);
  for (;;) {
    const auto end = std::chrono::steady_clock::now() + kInterruptPeriod;
    help_until(end, [this] { return is_complete(); });
    if (wait_for_change(done_, 0, end)) return;
    check_interrupt();
  }
}

Stream::Stream(int device, Scheduler* scheduler)
    : device_(device), health_(device_health(device)), scheduler_(scheduler) {
  LiveStreams::instance().add(*this);
}

Stream::~Stream() { LiveStreams::instance().remove(*this); }

std::shared_ptr<Recording> Stream::locked_recording() const {
  const std::lock_guard lock(recording_mutex_);
  return recording_;
}

void Stream::set_recording(std::shared_ptr<Recording> recording) {
  const std::lock_guard lock(recording_mutex_);
  is_recorded_.store(recording != nullptr, std::memory_order_release);
  recording_ = std::move(recording);
}

bool Stream::record_work(Kind kind, std::function<void()>& work) {
  const auto recording = this->recording();
  if (!recording) return false;
  health_.check();
  if (kind == Kind::borrowed) refuse_in_capture("to wait for work of a stream");
  recording->add(*this, [kind, work = std::move(work)](Stream& lane) {
    if (kind == Kind::function) return lane.enqueue_function(work);
    lane.push({work, nullptr, nullptr, kind});
  });
  return true;
}

bool Stream::runs_at_once() const {
  health_.check();
  if (is_recorded_.load(std::memory_order_acquire)) return false;
  return scheduler_ == nullptr || scheduler_->runs_at_once();
}

bool Stream::begin_if_idle() {
  const std::lock_guard lock(mutex_.within_gate());
  if (running_ || !queue_.empty()) return false;
  running_ = true;
  ++submitted_;
  pending_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void Stream::end_running() noexcept {
  bool more = false;
  {
    const std::lock_guard lock(mutex_.within_gate());
    running_ = false;
    more = !queue_.empty();
    count_one();
  }
  if (more) schedule();
}

void Stream::count_one() {
  completed_.store(completed_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  pending_.fetch_sub(1, std::memory_order_release);
  if (waiting_ == 0) return;
  changes_.fetch_add(1);
  wake_waiters(changes_);
}

std::uint64_t Stream::push(Task task) {
  health_.check();
  std::unique_lock lock(mutex_);
  return push_locked(std::move(task), std::move(lock));
}

std::uint64_t Stream::push_locked(Task task, std::unique_lock<GatedMutex> lock) {
  queue_.push_back(std::move(task));
  const std::uint64_t ticket = ++submitted_;
  pending_.fetch_add(1, std::memory_order_relaxed);
  // A queue that is not empty has a thread on its way already, or is parked.
  const bool start = !running_ && queue_.size() == 1;
  lock.unlock();
  if (start) schedule();
  if (scheduler_ != nullptr) scheduler_->called();
  return ticket;
}

void Stream::enqueue_release(std::function<void()> work) noexcept {
  std::unique_lock lock(mutex_);
  if (!running_ && queue_.empty()) {
    lock.unlock();
    work();  // whatever comes now comes after it
    return;
  }
  push_locked({std::move(work), nullptr, nullptr}, std::move(lock));
}

void Stream::enqueue(std::function<void()> work) {
  if (record_work(Kind::own, work)) return;
  push({std::move(work), nullptr, nullptr});
}

void Stream::enqueue_long(std::function<void()> work) {
  if (record_work(Kind::long_own, work)) return;
  push({std::move(work), nullptr, nullptr, Kind::long_own});
}

void Stream::enqueue_borrowed(std::function<void()> work) {
  if (record_work(Kind::borrowed, work)) return;
  const Kind kind = CUPOLA_MUTANT(work_of_lost_callers) ? Kind::own : Kind::borrowed;
  push({std::move(work), nullptr, nullptr, kind});
}

void Stream::enqueue_function(std::function<void()> function) {
  if (record_work(Kind::function, function)) return;
  if (scheduler_ == nullptr) {
    push({std::move(function), nullptr, nullptr, Kind::function});
    return;
  }
  push({nullptr, std::make_shared<FunctionCall>(*scheduler_, std::move(function)), nullptr,
        Kind::function});
}

void Stream::run_in_turn(std::function<void()> work) {
  if (record_work(Kind::borrowed, work)) return;
  std::exception_ptr thrown;
  const auto run = [&] {
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  };
  wait_for(push({run, nullptr, nullptr, Kind::borrowed}));
  if (thrown) std::rethrow_exception(thrown);
}

// Not refused on a failed device: what is kept until work is done must be released there as well.
std::shared_ptr<Completion> Stream::record() {
  if (is_idle()) return nullptr;
  auto completion = std::make_shared<Completion>(scheduler_);
  push_locked({nullptr, nullptr, completion}, std::unique_lock(mutex_));
  return completion;
}

void Stream::wait(const std::shared_ptr<Completion>& completion) {
  if (!completion || completion->is_complete()) return;
  push_locked({nullptr, completion, nullptr}, std::unique_lock(mutex_));
}

void Stream::wait_for_function(const std::shared_ptr<Completion>& completion) {
  push_locked({nullptr, completion, nullptr, Kind::function}, std::unique_lock(mutex_));
}

void Stream::schedule() {
  if (scheduler_ != nullptr) return scheduler_->ready(shared_from_this());
  cpu::enqueue([self = shared_from_this()] { self->drain(UINT64_MAX); });
}

void Stream::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = running_;
    parked_ = false;
    if (running_ || queue_.empty()) return;
  }
  schedule();
}

void Stream::run_work(Task& task) const {
  const LongLoops long_loops(task.kind == Kind::long_own);
  try {
    if (task.work) task.work();
  } catch (...) {
    health_.fail(std::current_exception());
  }
}

bool Stream::run(Task& task) noexcept {
  try {
    if (task.await) return !task.await->park(shared_from_this());
  } catch (...) {
    health_.fail(std::current_exception());
    return true;
  }
  if (task.kind == Kind::function) {
    run_work(task);
    return true;
  }
  const RunningTask running;
  run_work(task);
  if (task.to_complete) task.to_complete->complete();
  task.is_done = !CUPOLA_MUTANT(done_twice_in_a_child);
  return true;
}

void Stream::finish_one(std::unique_lock<GatedMutex>& lock) {
  {
    const Task done = std::move(queue_.front());
    queue_.pop_front();
    in_function_ = false;
    lock.unlock();  // what the task holds may be the last of its kind
  }
  lock.lock();
  count_one();
}

void Stream::drain(std::uint64_t ticket, Time end) {
  const auto may_begin = [end](const Task& task) {
    if (end == Time::max()) return true;
    return task.kind != Kind::long_own && std::chrono::steady_clock::now() < end;
  };
  std::unique_lock lock(mutex_);
  if (running_ || parked_ || queue_.empty() || !may_begin(queue_.front())) return;
  running_ = true;
  while (!queue_.empty() && completed_ < ticket && may_begin(queue_.front())) {
    Task& task = queue_.front();  // stays where it is while others push
    woken_ = false;
    in_function_ = task.kind == Kind::function && !task.await;
    lock.unlock();
    const bool done = run(task);
    lock.lock();
    if (done) {
      finish_one(lock);
    } else if (!woken_) {
      parked_ = true;
      break;
    }
  }
  running_ = false;
  const bool more = !queue_.empty() && !parked_;
  lock.unlock();
  if (more) schedule();
}

void Stream::step() {
  std::uint64_t ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    ticket = completed_ + 1;
  }
  drain(ticket);
}

void Stream::wait_for(std::uint64_t ticket) {
  resume_after_fork();
  if (scheduler_ != nullptr) {
    return scheduler_->run_until(this, [&] {
      const std::lock_guard lock(mutex_);
      return completed_ >= ticket;
    });
  }
  drain(ticket);
  is_done_by(ticket, Time::max());
}

void Stream::wait_interruptibly(std::uint64_t ticket) {
  if (scheduler_ != nullptr) return wait_for(ticket);
  resume_after_fork();
  for (;;) {
    const Time end = std::chrono::steady_clock::now() + kInterruptPeriod;
    drain(ticket, end);
    if (is_done_by(ticket, end)) return;
    check_interrupt();
  }
}

bool Stream::is_done_by(std::uint64_t ticket, Time end) {
  {
    const std::lock_guard lock(mutex_);
    if (completed_ >= ticket) return true;
    ++waiting_;
  }
  // Outside the gate: a fork must not wait for a thread that waits here.
  help_until(end, [this, ticket] { return completed_ >= ticket; });
  bool is_in_time = true;
  while (is_in_time) {
    const std::uint32_t seen = changes_;
    if (completed_ >= ticket) break;
    is_in_time = wait_for_change(changes_, seen, end);
  }
  const std::lock_guard lock(mutex_);
  --waiting_;
  return is_in_time;
}

void Stream::synchronize() {
  if (!is_idle()) {
    std::uint64_t ticket = 0;
    {
      const std::lock_guard lock(mutex_);
      ticket = submitted_;
    }
    wait_interruptibly(ticket);
  }
  health_.check();
}

// Threads that ran, drained or waited are gone; their places are free.
void Stream::forget_lost_threads() {
  // Its thread is the parent's, and what it holds may be in use: it is neither run nor released.
  const auto leave_first = [this] {
    new Task(std::move(queue_.front()));
    queue_.pop_front();
    parked_ = false;
  };
  if (!queue_.empty() && queue_.front().is_done) leave_first();
  const bool begun = in_function_ && !queue_.empty();
  const bool beside = !queue_.empty() && queue_.front().kind == Kind::function &&
                      queue_.front().await && queue_.front().await->has_begun();
  if (begun || beside) leave_first();
  if (CUPOLA_MUTANT(forget_queued_work)) queue_.clear();
  for (Task& task : queue_) {
    if (task.kind == Kind::borrowed) task.work = nullptr;  // its caller never returns here
  }
  in_function_ = running_ = woken_ = false;
  waiting_ = 0;
  completed_ = submitted_ - queue_.size();
  pending_.store(static_cast<std::int64_t>(queue_.size()), std::memory_order_relaxed);
}

}  // namespace cupola::cpu
