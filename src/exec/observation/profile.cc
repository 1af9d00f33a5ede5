#include "exec/observation/profile.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/process/clock.h"
#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "cupola/error.h"

namespace cupola {

namespace {

using EventPointer = std::shared_ptr<ProfileEvent>;

// Work whose times are not read yet, beyond which those that are done are looked for.
constexpr std::size_t kMaxOpen = 2048;
// A platform's times are exact only near each other.
constexpr std::int64_t kBaseLasts = 2'000'000'000;  // nanoseconds

int thread_number() {
  static std::atomic<int> threads{0};
  thread_local const int number = ++threads;
  return number;
}

// An event of the platform that is known to have been complete at a time of the host.
class Base {
 public:
  Base(Driver& driver, int device) : driver_(driver) {
    const StreamHandle stream = driver.create_stream(device);
    event_ = driver.create_event(device, {.timing = true});
    driver.record(event_, stream);
    driver.synchronize(event_);
    host_time_ = steady_now();
    driver.destroy_stream(stream);
  }
  ~Base() { driver_.destroy_event(event_); }
  Base(const Base&) = delete;
  Base& operator=(const Base&) = delete;
  EventHandle event() const { return event_; }
  std::int64_t host_time() const { return host_time_; }

 private:
  Driver& driver_;
  EventHandle event_ = nullptr;
  std::int64_t host_time_ = 0;
};

// Work with an event before and one after it.
struct TimedWork {
  EventPointer event;
  Driver* driver = nullptr;
  int device = 0;
  std::shared_ptr<Base> base;
  EventHandle first = nullptr;
  EventHandle last = nullptr;
};

class Recorder final : public Observer {
 public:
  static Recorder& instance() {
    static constinit Lazy<Recorder> recorder;
    return *recorder;
  }
  Recorder() { lock_at_fork(ForkLayer::exec, mutex_); }

  void start(std::size_t most_events) {
    const std::lock_guard lock(mutex_);
    if (is_on_) throw ValueError("a profile is being recorded already");
    events_.clear();
    forgotten_ = 0;
    most_events_ = most_events;
    start_ = steady_now();
    generation_ = fork_generation();
    is_on_ = true;
    add_observer(*this);
  }
  bool is_on() {
    const std::lock_guard lock(mutex_);
    return is_on_;
  }
  Profile stop();

  void* work_begins(const Work& work) noexcept override;
  void work_ends(const Work& work, void* token) noexcept override;
  void wait_begins(const Wait&) noexcept override { wait_start_ = steady_now(); }
  void wait_ends(const Wait& wait) noexcept override;
  void memory_used(const MemoryUse& use) noexcept override;

 private:
  struct EventSet {
    std::vector<EventHandle> free;
    std::shared_ptr<Base> base;
  };
  using DeviceKey = std::pair<Driver*, int>;

  EventHandle take_event(const DeviceKey& key);
  std::shared_ptr<Base> base_of(const DeviceKey& key);
  void read_times(TimedWork& work) noexcept;
  void read_done();
  void add(EventPointer event);
  // False in a forked child, where the parent's events mean nothing.
  bool may_record() const { return is_on_ && generation_ == fork_generation(); }

  std::mutex mutex_;
  bool is_on_ = false;
  std::uint64_t generation_ = 0;
  std::int64_t start_ = 0;
  std::size_t most_events_ = 0;
  std::size_t forgotten_ = 0;
  std::deque<EventPointer> events_;
  std::deque<TimedWork> open_;
  std::map<DeviceKey, EventSet> sets_;
  inline static thread_local std::int64_t wait_start_ = 0;
};

ProfileEvent::Kind kind_of(WorkKind kind) {
  switch (kind) {
    case WorkKind::kernel:
      return ProfileEvent::Kind::kernel;
    case WorkKind::to_device:
      return ProfileEvent::Kind::to_device;
    case WorkKind::to_host:
      return ProfileEvent::Kind::to_host;
    case WorkKind::between_devices:
      return ProfileEvent::Kind::between_devices;
  }
  __builtin_unreachable();
}

EventHandle Recorder::take_event(const DeviceKey& key) {
  std::vector<EventHandle>& free = sets_[key].free;
  if (free.empty()) return key.first->create_event(key.second, {.timing = true});
  const EventHandle event = free.back();
  free.pop_back();
  return event;
}

std::shared_ptr<Base> Recorder::base_of(const DeviceKey& key) {
  std::shared_ptr<Base>& base = sets_[key].base;
  if (!base || steady_now() - base->host_time() > kBaseLasts) {
    base = std::make_shared<Base>(*key.first, key.second);
  }
  return base;
}

void Recorder::add(EventPointer event) {
  events_.push_back(std::move(event));
  while (events_.size() > most_events_) {
    events_.pop_front();
    ++forgotten_;
  }
}

// The events of the platform are complete, or the device has failed.
void Recorder::read_times(TimedWork& work) noexcept {
  try {
    const auto nanoseconds = [](double milliseconds) {
      return static_cast<std::int64_t>(milliseconds * 1e6);
    };
    Driver& driver = *work.driver;
    const std::int64_t since_base =
        nanoseconds(driver.elapsed_milliseconds(work.base->event(), work.first));
    const std::int64_t duration = nanoseconds(driver.elapsed_milliseconds(work.first, work.last));
    work.event->device_start = work.base->host_time() + since_base - start_;
    work.event->device_end = work.event->device_start + std::max<std::int64_t>(duration, 0);
    std::vector<EventHandle>& free = sets_[{work.driver, work.device}].free;
    free.push_back(work.first);
    free.push_back(work.last);
  } catch (...) {
    work.driver->destroy_event(work.first);
    work.driver->destroy_event(work.last);
  }
}

void Recorder::read_done() {
  while (!open_.empty() && open_.front().driver->is_complete(open_.front().last)) {
    read_times(open_.front());
    open_.pop_front();
  }
}

void* Recorder::work_begins(const Work& work) noexcept {
  try {
    auto timed = std::make_unique<TimedWork>();
    timed->event = std::make_shared<ProfileEvent>(ProfileEvent{.kind = kind_of(work.kind),
                                                               .name = work.name,
                                                               .device = work.stream.device(),
                                                               .stream = work.stream.id(),
                                                               .bytes_read = work.bytes_read,
                                                               .bytes_written = work.bytes_written,
                                                               .is_pageable = work.is_pageable,
                                                               .thread = thread_number(),
                                                               .position = work.position});
    timed->driver = &work.stream.driver();
    timed->device = work.stream.device().index();
    const DeviceKey key{timed->driver, timed->device};
    const StreamHandle stream = work.stream.handle();
    {
      const std::lock_guard lock(mutex_);
      if (!may_record()) return nullptr;
      timed->base = base_of(key);
      timed->first = take_event(key);
      timed->last = take_event(key);
      timed->event->host_start = steady_now() - start_;
      add(timed->event);
    }
    timed->driver->record(timed->first, stream);
    return timed.release();
  } catch (...) {
    return nullptr;  // the work itself will say what is wrong
  }
}

void Recorder::work_ends(const Work& work, void* token) noexcept {
  std::unique_ptr<TimedWork> timed(static_cast<TimedWork*>(token));
  if (!timed) return;
  try {
    const std::int64_t end = steady_now();
    timed->driver->record(timed->last, work.stream.handle());
    const std::lock_guard lock(mutex_);
    if (!may_record()) return;
    timed->event->host_end = end - start_;
    open_.push_back(std::move(*timed));
    if (open_.size() > kMaxOpen) read_done();
  } catch (...) {
    // Its times stay unknown.
  }
}

void Recorder::wait_ends(const Wait& wait) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (!may_record() || wait_start_ < start_) return;
    add(std::make_shared<ProfileEvent>(
        ProfileEvent{.kind = ProfileEvent::Kind::wait,
                     .name = wait.asked_by ? wait.asked_by : "synchronize",
                     .thread = thread_number(),
                     .host_start = wait_start_ - start_,
                     .host_end = steady_now() - start_,
                     .position = wait.position}));
  } catch (...) {
    // Not recorded.
  }
}

void Recorder::memory_used(const MemoryUse& use) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (!may_record()) return;
    const std::int64_t time = steady_now() - start_;
    add(std::make_shared<ProfileEvent>(ProfileEvent{
        .kind = use.is_allocated ? ProfileEvent::Kind::alloc : ProfileEvent::Kind::free,
        .device = use.device,
        .stream = use.stream,
        .bytes_read = static_cast<std::int64_t>(use.bytes),
        .address = reinterpret_cast<std::uintptr_t>(use.pointer),
        .thread = thread_number(),
        .host_start = time,
        .host_end = time,
        .position = use.position}));
  } catch (...) {
    // Not recorded.
  }
}

// Without the lock: what the work stands behind may use memory.
void wait_for(const std::deque<TimedWork>& all) noexcept {
  for (const TimedWork& work : all) {
    try {
      work.driver->synchronize(work.last);
    } catch (...) {
      // Of a device that failed: its times stay unknown.
    }
  }
}

Profile Recorder::stop() {
  remove_observer(*this);
  Profile profile;
  std::deque<TimedWork> open;
  std::deque<EventPointer> events;
  {
    const std::lock_guard lock(mutex_);
    if (!is_on_) return profile;
    is_on_ = false;
    open.swap(open_);
    events.swap(events_);
    profile.forgotten = forgotten_;
    profile.duration = steady_now() - start_;
  }
  const bool is_own = generation_ == fork_generation();
  if (is_own) wait_for(open);
  const std::lock_guard lock(mutex_);
  for (TimedWork& work : open) {
    if (is_own) read_times(work);
  }
  open.clear();
  for (auto& [key, set] : sets_) {
    if (!is_own) continue;
    for (const EventHandle event : set.free) key.first->destroy_event(event);
  }
  sets_.clear();
  for (const EventPointer& event : events) profile.events.push_back(std::move(*event));
  std::stable_sort(
      profile.events.begin(), profile.events.end(),
      [](const ProfileEvent& a, const ProfileEvent& b) { return a.host_start < b.host_start; });
  return profile;
}

}  // namespace

void start_profile(std::size_t most_events) { Recorder::instance().start(most_events); }
bool is_profiling() { return Recorder::instance().is_on(); }
Profile stop_profile() { return Recorder::instance().stop(); }

}  // namespace cupola
