#pragma once
// Any legal order of the streams, chosen by a seed. Work is held back until somebody waits, or
// chance runs some of it within another call; then it is taken from the streams one piece at a
// time. Work runs on threads that call the driver, and, when for a while nobody does, on a thread
// of the scheduler, so that programs that wait by other means go on. With one calling thread, and
// as long as that thread does not pause, the order depends on the seed alone.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "platforms/cpu/adversary/random.h"
#include "platforms/cpu/streams/scheduler.h"

namespace cupola::cpu::adversary {

// How the choices are made; drawn from the seed.
struct Policy {
  double at_once = 0;       // chance that small work for an idle stream runs within its call
  double step_in_call = 0;  // chance of one more piece of work within a call
  double wanted_first = 0;  // chance that a wait runs the stream waited for, if it can
  bool priorities = false;  // otherwise the stream with the highest priority, not any

  static Policy draw(Random& random);
};

class Schedule final : public Scheduler {
 public:
  explicit Schedule(std::uint64_t seed);
  // No work may be left.
  ~Schedule() override;

  // Starts anew, for tests: the choices from here on are those of `seed`.
  void reseed(std::uint64_t seed);
  // Held during a fork, so that the child finds it whole.
  std::mutex& mutex() { return mutex_; }
  // For the only thread of a forked child, with mutex() held.
  void forget_lost_threads();

  void ready(std::shared_ptr<Stream> stream) override;
  bool runs_at_once() override;
  void called() override;
  void polled() override;
  void run_until(const Stream* wanted, const std::function<bool()>& done) override;
  void run_apart(std::function<void()> function) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Ready {
    std::shared_ptr<Stream> stream;
    std::uint64_t priority;
  };

  // Takes a stream out of ready_; null where there is none.
  std::shared_ptr<Stream> choose(const Stream* wanted);
  // Runs one piece of work, unlocked meanwhile; false where there was none.
  bool step(const Stream* wanted, std::unique_lock<std::mutex>& lock);
  // The thread of the scheduler.
  void keep_going();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable wanted_;  // by keep_going
  Random random_;
  Policy policy_;
  std::vector<Ready> ready_;
  int polls_ = 0;      // since the last work
  int inside_ = 0;     // calls that run work
  int functions_ = 0;  // of run_apart, that have not ended
  bool is_ending_ = false;
  Clock::time_point last_call_ = Clock::now();
  std::thread thread_;
};

}  // namespace cupola::cpu::adversary
