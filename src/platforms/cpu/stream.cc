#include "platforms/cpu/stream.h"

#include "platforms/cpu/thread_pool.h"

namespace cupola::cpu {
namespace {

// A function that may block, as something that the stream awaits: it starts when its turn comes.
class FunctionCall final : public Completion, public std::enable_shared_from_this<FunctionCall> {
 public:
  FunctionCall(Scheduler& scheduler, std::function<void()> function)
      : Completion(&scheduler), scheduler_(scheduler), function_(std::move(function)) {}

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

}  // namespace

void Completion::complete() {
  std::vector<std::shared_ptr<Stream>> parked;
  {
    const std::lock_guard lock(mutex_);
    completed_at_ = std::chrono::steady_clock::now();
    done_.store(true, std::memory_order_release);
    parked.swap(parked_);
    changed_.notify_all();
  }
  for (const auto& stream : parked) stream->wake();
}

bool Completion::park(std::shared_ptr<Stream> stream) {
  const std::lock_guard lock(mutex_);
  if (is_complete()) return false;
  parked_.push_back(std::move(stream));
  return true;
}

void Completion::wait() {
  if (is_complete()) return;
  if (scheduler_ != nullptr) {
    return scheduler_->run_until(nullptr, [this] { return is_complete(); });
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_complete(); });
}

bool Stream::begin_if_idle() {
  if (scheduler_ != nullptr && !scheduler_->runs_at_once()) return false;
  const std::lock_guard lock(mutex_);
  throw_kept_error();
  if (running_ || !queue_.empty()) return false;
  running_ = true;
  ++submitted_;
  pending_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void Stream::end_running() noexcept {
  bool more = false;
  {
    const std::lock_guard lock(mutex_);
    running_ = false;
    ++completed_;
    pending_.fetch_sub(1, std::memory_order_release);
    more = !queue_.empty();
    if (waiting_ > 0) progressed_.notify_all();
  }
  if (more) schedule();
}

std::uint64_t Stream::push(Task task) {
  std::unique_lock lock(mutex_);
  throw_kept_error();
  return push_locked(std::move(task), std::move(lock));
}

std::uint64_t Stream::push_locked(Task task, std::unique_lock<std::mutex> lock) {
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

void Stream::enqueue(std::function<void()> work) { push({std::move(work), nullptr, nullptr}); }

void Stream::enqueue_function(std::function<void()> function) {
  if (scheduler_ == nullptr) return enqueue(std::move(function));
  push({nullptr, std::make_shared<FunctionCall>(*scheduler_, std::move(function)), nullptr});
}

void Stream::run_in_turn(std::function<void()> work) {
  std::exception_ptr thrown;
  wait_for(push({[&] {
                   try {
                     work();
                   } catch (...) {
                     thrown = std::current_exception();
                   }
                 },
                 nullptr, nullptr}));
  if (thrown) std::rethrow_exception(thrown);
}

std::shared_ptr<Completion> Stream::record() {
  if (is_idle()) return nullptr;
  auto completion = std::make_shared<Completion>(scheduler_);
  push({nullptr, nullptr, completion});
  return completion;
}

void Stream::wait(const std::shared_ptr<Completion>& completion) {
  if (!completion || completion->is_complete()) return;
  push({nullptr, completion, nullptr});
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

bool Stream::run(Task& task) noexcept {
  try {
    if (task.await) return !task.await->park(shared_from_this());
    if (task.work) task.work();
    if (task.to_complete) task.to_complete->complete();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    failed_.store(true, std::memory_order_release);
  }
  return true;
}

void Stream::finish_one(std::unique_lock<std::mutex>& lock) {
  {
    const Task done = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();  // what the task holds may be the last of its kind
  }
  lock.lock();
  ++completed_;
  pending_.fetch_sub(1, std::memory_order_release);
  if (waiting_ > 0) progressed_.notify_all();
}

void Stream::drain(std::uint64_t ticket) {
  std::unique_lock lock(mutex_);
  if (running_ || parked_) return;
  running_ = true;
  while (!queue_.empty() && completed_ < ticket) {
    Task& task = queue_.front();  // stays where it is while others push
    woken_ = false;
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
  if (scheduler_ != nullptr) {
    return scheduler_->run_until(this, [&] {
      const std::lock_guard lock(mutex_);
      return completed_ >= ticket;
    });
  }
  drain(ticket);
  std::unique_lock lock(mutex_);
  ++waiting_;
  progressed_.wait(lock, [&] { return completed_ >= ticket; });
  --waiting_;
}

void Stream::synchronize() {
  if (!is_idle()) {
    std::uint64_t ticket = 0;
    {
      const std::lock_guard lock(mutex_);
      ticket = submitted_;
    }
    wait_for(ticket);
  }
  if (!failed_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex_);
  throw_kept_error();
}

void Stream::throw_kept_error() {
  if (!error_) return;
  failed_.store(false, std::memory_order_relaxed);
  std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace cupola::cpu
