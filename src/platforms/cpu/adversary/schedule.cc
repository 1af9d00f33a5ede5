#include "platforms/cpu/adversary/schedule.h"

#include <algorithm>
#include <new>
#include <utility>

#include "platforms/cpu/streams/stream.h"

namespace cupola::cpu::adversary {
namespace {

// Nobody has called for so long: whoever waits does so by other means.
constexpr std::chrono::milliseconds kSilence{30};
// Functions that end within this time do so before anything else happens.
constexpr std::chrono::milliseconds kGrace{20};
// Questions in a row that get the same answer.
constexpr int kPatience = 6;
constexpr int kMaxStepsInCall = 4;

}  // namespace

Policy Policy::draw(Random& random) {
  static constexpr double kAtOnce[] = {0, 0, 0.2, 0.8};
  static constexpr double kInCall[] = {0, 0, 0.1, 0.4, 0.8};
  static constexpr double kWanted[] = {0, 0.3, 1};
  Policy policy;
  policy.at_once = kAtOnce[random.below(std::size(kAtOnce))];
  policy.step_in_call = kInCall[random.below(std::size(kInCall))];
  policy.wanted_first = kWanted[random.below(std::size(kWanted))];
  policy.priorities = random.chance(0.5);
  return policy;
}

Schedule::Schedule(std::uint64_t seed) : random_(seed), policy_(Policy::draw(random_)) {}

Schedule::~Schedule() {
  std::unique_lock lock(mutex_);
  is_ending_ = true;
  wanted_.notify_all();
  changed_.wait(lock, [this] { return functions_ == 0; });
  lock.unlock();
  if (thread_.joinable()) thread_.join();
}

void Schedule::reseed(std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  random_ = Random(seed);
  policy_ = Policy::draw(random_);
  polls_ = 0;
}

void Schedule::forget_lost_threads() {
  // Without waiters that do not exist.
  new (&changed_) std::condition_variable;
  new (&wanted_) std::condition_variable;
  new (&thread_) std::thread;
  inside_ = 0;
  functions_ = 0;
}

void Schedule::ready(std::shared_ptr<Stream> stream) {
  const std::lock_guard lock(mutex_);
  const bool known = std::any_of(ready_.begin(), ready_.end(),
                                 [&](const Ready& each) { return each.stream == stream; });
  if (!known) ready_.push_back({std::move(stream), random_.next()});
  if (!thread_.joinable()) thread_ = std::thread([this] { keep_going(); });
  changed_.notify_all();
  wanted_.notify_one();
}

bool Schedule::runs_at_once() {
  const std::lock_guard lock(mutex_);
  return random_.chance(policy_.at_once);
}

std::shared_ptr<Stream> Schedule::choose(const Stream* wanted) {
  if (ready_.empty()) return nullptr;
  auto chosen = ready_.begin() + static_cast<std::ptrdiff_t>(random_.below(ready_.size()));
  if (policy_.priorities) {
    chosen = std::max_element(ready_.begin(), ready_.end(), [](const Ready& a, const Ready& b) {
      return a.priority < b.priority;
    });
  }
  if (wanted != nullptr && random_.chance(policy_.wanted_first)) {
    const auto found = std::find_if(ready_.begin(), ready_.end(),
                                    [&](const Ready& each) { return each.stream.get() == wanted; });
    if (found != ready_.end()) chosen = found;
  }
  std::shared_ptr<Stream> stream = std::move(chosen->stream);
  ready_.erase(chosen);
  return stream;
}

bool Schedule::step(const Stream* wanted, std::unique_lock<std::mutex>& lock) {
  std::shared_ptr<Stream> stream = choose(wanted);
  if (!stream) return false;
  polls_ = 0;
  ++inside_;
  lock.unlock();
  stream->step();
  stream.reset();
  lock.lock();
  --inside_;
  last_call_ = Clock::now();
  changed_.notify_all();
  return true;
}

void Schedule::called() {
  std::unique_lock lock(mutex_);
  last_call_ = Clock::now();
  polls_ = 0;
  for (int i = 0; i < kMaxStepsInCall && random_.chance(policy_.step_in_call); ++i) {
    if (!step(nullptr, lock)) return;
  }
}

void Schedule::polled() {
  std::unique_lock lock(mutex_);
  last_call_ = Clock::now();
  if (++polls_ > kPatience) step(nullptr, lock);
}

void Schedule::run_until(const Stream* wanted, const std::function<bool()>& done) {
  std::unique_lock lock(mutex_);
  for (;;) {
    lock.unlock();
    if (done()) return;
    lock.lock();
    last_call_ = Clock::now();
    // What is waited for may run on another thread, whose end nobody announces here.
    if (!step(wanted, lock)) changed_.wait_for(lock, std::chrono::milliseconds(1));
  }
}

void Schedule::run_apart(std::function<void()> function) {
  struct Ended {
    bool is_true = false;
  };
  auto ended = std::make_shared<Ended>();
  std::unique_lock lock(mutex_);
  ++functions_;
  std::thread([this, ended, function = std::move(function)]() mutable {
    function();
    function = nullptr;
    const std::lock_guard own_lock(mutex_);
    ended->is_true = true;
    --functions_;
    changed_.notify_all();
  }).detach();
  changed_.wait_for(lock, kGrace, [&] { return ended->is_true; });
}

void Schedule::keep_going() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    wanted_.wait(lock, [this] { return is_ending_ || !ready_.empty(); });
    if (is_ending_) return;
    const Clock::time_point due = last_call_ + kSilence;
    if (inside_ > 0 || Clock::now() < due) {
      wanted_.wait_until(lock, std::max(due, Clock::now() + kSilence / 2),
                         [this] { return is_ending_; });
      continue;
    }
    step(nullptr, lock);
    last_call_ = Clock::now() - kSilence;  // nobody has called meanwhile: the next one at once
  }
}

}  // namespace cupola::cpu::adversary
