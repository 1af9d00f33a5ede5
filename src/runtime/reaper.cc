#include "runtime/reaper.h"

#include <pthread.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/mutant.h"
#include "base/threads/lazy.h"

namespace cupola {

namespace {

// Polls are this far apart; what is released within 1 ms of its end leaves room for the system.
constexpr std::chrono::microseconds kPause(200);
// At process exit a poll that takes longer is left behind.
constexpr std::chrono::seconds kPatience(1);

std::atomic<Reaper*> last_started{nullptr};

void stop_last_started() {
  if (Reaper* reaper = last_started.load()) reaper->stop();
}

}  // namespace

void Reaper::wake() noexcept {
  if (awake_.load()) return;
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  if (started_) {
    changed_.notify_all();
    return;
  }
  try {
    start();
  } catch (...) {
    // The system has no thread to spare: the next call tries again.
  }
}

void Reaper::start() {
  // Registered after the platforms are in use, hence run before they go.
  static constinit Lazy<const int> registered;
  registered.get([] { return std::atexit(stop_last_started); });
  // Signals are for the program's own threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread thread([this] { run(); });
    pthread_setname_np(thread.native_handle(), "cupola-reaper");
    thread.detach();
    started_ = true;
    last_started.store(this);
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Reaper::run() noexcept {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    sleep(lock);
    if (stopping_) break;
    lock.unlock();
    if (!CUPOLA_MUTANT(release_when_asked)) poll_();
    lock.lock();
    if (!stopping_) changed_.wait_for(lock, kPause);
  }
  stopped_ = true;
  changed_.notify_all();
}

void Reaper::sleep(std::unique_lock<std::mutex>& lock) {
  while (!stopping_) {
    // Whoever adds something either sees that nobody is awake, or is seen here.
    awake_.store(false);
    if (!is_idle_()) break;
    changed_.wait(lock);
  }
  awake_.store(true);
}

void Reaper::forget_after_fork() noexcept { last_started.store(nullptr); }

void Reaper::stop() noexcept {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
  if (started_) changed_.wait_for(lock, kPatience, [this] { return stopped_; });
}

}  // namespace cupola
