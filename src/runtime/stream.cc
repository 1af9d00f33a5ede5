#include "runtime/stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counters.h"
#include "base/mutant.h"
#include "base/process/fork.h"
#include "cupola/error.h"
#include "runtime/capture.h"
#include "runtime/live_streams.h"
#include "runtime/observer.h"

namespace cupola {

namespace {

constexpr std::size_t kRememberedWaits = 64;
constexpr std::uint64_t kMilestoneSteps = 16;  // works between two questions

std::uint64_t next_stream_id() {
  static std::atomic<std::uint64_t> counter{0};
  return counter.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

StreamState::StreamState(Driver& driver, const Device& device, const StreamOptions& options,
                         Role role)
    : driver_(driver),
      device_(device),
      options_(options),
      role_(role),
      id_(next_stream_id()),
      generation_(fork_generation()) {
  if (CUPOLA_MUTANT(make_streams_early)) open();
}

StreamState::StreamState(Driver& driver, const Device& device, Foreign foreign)
    : driver_(driver),
      device_(device),
      id_(next_stream_id()),
      generation_(fork_generation()),
      is_foreign_(true),
      handle_(driver.adopt_stream(device.index(), foreign.native)) {
  native_id_ = driver.native_id(handle_);
  keep(std::move(foreign.owner));
}

StreamState::~StreamState() {
  forget_live_stream(id_);
  delete deferred();
  delete late_errors();
  const bool is_parents = !is_inherited_safe();
  if (is_parents || !is_open()) return;
  if (event_) driver_.destroy_event(event_);
  if (milestone_) driver_.destroy_event(milestone_);
  if (deputy_) driver_.destroy_stream(deputy_);
  driver_.destroy_stream(handle_);
}

bool StreamState::is_inherited_safe() const {
  return !is_inherited(generation_) || driver_.traits().survives_fork;
}

StreamHandle StreamState::open() const {
  const std::lock_guard lock(open_mutex_);
  const StreamHandle known = handle_.load(std::memory_order_acquire);
  if (known) {
    if (!is_inherited_safe()) check_not_forked(generation_);
    return known;
  }
  const StreamHandle made = driver_.create_stream(device_.index(), options_);
  count(Counter::streams);
  generation_.store(fork_generation());
  handle_.store(made, std::memory_order_release);
  return made;
}

bool StreamState::is_native_alive() const {
  if (!is_foreign_) return true;
  try {
    return driver_.native_id(handle_) == native_id_;
  } catch (const Error&) {
    return false;
  }
}

void StreamState::keep(std::shared_ptr<void> owner) {
  if (!owner) return;
  const std::lock_guard lock(open_mutex_);
  const bool known = std::any_of(owners_.begin(), owners_.end(),
                                 [&](const auto& other) { return other.get() == owner.get(); });
  if (!known) owners_.push_back(std::move(owner));
}

std::shared_ptr<Capture> StreamState::locked_capture() const {
  const std::lock_guard lock(capture_mutex_);
  return capture_;
}

void StreamState::set_capture(std::shared_ptr<Capture> capture) {
  std::shared_ptr<Capture> before;  // goes after the lock
  const std::lock_guard lock(capture_mutex_);
  is_capturing_.store(capture != nullptr, std::memory_order_release);
  before = std::exchange(capture_, std::move(capture));
}

void StreamState::mark_uncaptured() {
  handle();
  const std::lock_guard lock(event_mutex_);
  record_last_use();
}

bool StreamState::wait_in_capture(StreamState& earlier, std::uint64_t sequence) {
  const std::shared_ptr<Capture> own = capture();
  if (!own) return false;
  if (earlier.capture() == own) {
    if (earlier.id_ != id_) own->order(*this, earlier);
  } else {
    own->require(earlier.shared_from_this(), sequence);
  }
  return true;
}

void StreamState::wait_for(StreamState& earlier) {
  take_over_errors(earlier);
  const std::uint64_t sequence = earlier.submitted();
  if (wait_in_capture(earlier, sequence)) return;
  const StreamHandle own = handle();
  if (!earlier.is_open()) return;
  {
    const std::lock_guard lock(earlier.event_mutex_);
    if (earlier.is_foreign_) {
      if (!earlier.event_) return;  // this library put nothing there
    } else if (earlier.is_capturing()) {
      // What it did before is marked; what it does now is none of this stream's business.
    } else if (!earlier.event_ || !CUPOLA_MUTANT(stale_event)) {
      earlier.record_last_use();
    }
    if (CUPOLA_MUTANT(wrong_wait_direction)) {
      driver_.record(earlier.event_, own);
      return driver_.wait(earlier.handle(), earlier.event_);
    }
    driver_.wait(own, earlier.event_);
  }
  remember_wait(earlier, sequence);
}

void StreamState::wait_for(StreamState& earlier, std::uint64_t sequence) {
  if (is_ordered_after(earlier, sequence)) return take_over_errors(earlier);
  wait_for(earlier);
}

bool StreamState::is_ordered_after(const StreamState& earlier, std::uint64_t sequence) {
  return earlier.id_ == id_ || earlier.is_known_complete(sequence) ||
         (!is_capturing() && waits_already(earlier, sequence));
}

void StreamState::wait_for_owner_of(StreamState& foreign) {
  if (foreign.id_ == id_) return;
  const StreamHandle own = handle();
  const std::lock_guard lock(foreign.event_mutex_);
  foreign.record_last_use();
  driver_.wait(own, foreign.event_);
}

// With event_mutex_ held.
void StreamState::record_last_use() {
  if (!event_) {
    event_ = driver_.create_event(device_.index());
    count(Counter::events);
  }
  driver_.record(event_, handle());
}

void StreamState::record(EventHandle event) {
  if (!is_foreign_) return driver_.record(event, handle());
  const std::lock_guard lock(event_mutex_);
  if (!deputy_) deputy_ = driver_.create_stream(device_.index());
  if (event_) driver_.wait(deputy_, event_);
  driver_.record(event, deputy_);
}

std::uint64_t StreamState::advance() {
  if (is_foreign_) {
    const std::lock_guard lock(event_mutex_);
    record_last_use();
  }
  return submitted_.fetch_add(1) + 1;
}

bool StreamState::waits_already(const StreamState& earlier, std::uint64_t sequence) {
  const std::lock_guard lock(waits_mutex_);
  return std::any_of(waits_.begin(), waits_.end(), [&](const auto& wait) {
    return wait.first == earlier.id_ &&
           (sequence <= wait.second || CUPOLA_MUTANT(one_wait_for_ever));
  });
}

void StreamState::remember_wait(const StreamState& earlier, std::uint64_t sequence) {
  const std::lock_guard lock(waits_mutex_);
  for (auto& [id, waited] : waits_) {
    if (id != earlier.id_) continue;
    waited = std::max(waited, sequence);
    return;
  }
  if (waits_.size() == kRememberedWaits) waits_.clear();  // to wait once more does no harm
  waits_.emplace_back(earlier.id_, sequence);
}

void StreamState::synchronize() {
  if (!is_open()) return;
  const ObservedWait waiting;
  const std::uint64_t sequence = submitted();
  if (!is_foreign_) {
    driver_.synchronize(handle());
  } else if (sequence > completed_.load()) {
    driver_.synchronize(event_);
  }
  set_complete(sequence);
}

bool StreamState::is_idle() {
  if (!is_open()) return true;
  if (is_capturing()) return false;
  const std::uint64_t sequence = submitted();
  if (is_foreign_) {
    if (sequence > completed_.load() && !driver_.is_complete(event_)) return false;
  } else if (!driver_.is_idle(handle())) {
    return false;
  }
  set_complete(sequence);
  return true;
}

bool StreamState::has_room(std::uint64_t most) {
  if (is_capturing()) return true;
  const std::uint64_t now = submitted();
  const std::uint64_t done = std::min(now, completed_.load());
  if (now - done < most / 2) return true;
  const bool is_full = now - done >= most;
  if ((is_full || now % kMilestoneSteps == 0) && milestone_mutex_.try_lock()) {
    const std::lock_guard lock(milestone_mutex_, std::adopt_lock);
    if (milestone_sequence_ == 0) {
      if (!milestone_) {
        milestone_ = driver_.create_event(device_.index());
        count(Counter::events);
      }
      driver_.record(milestone_, handle());
      milestone_sequence_ = now;
    } else if (driver_.is_complete(milestone_)) {
      set_complete(milestone_sequence_);
      milestone_sequence_ = 0;
    }
  }
  return now - std::min(now, completed_.load()) < most;
}

namespace {

// The slot's object: the first that is set stays.
template <typename T>
T& set_once(std::atomic<T*>& slot, std::unique_ptr<T> made) {
  T* known = nullptr;
  if (slot.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) {
    return *made.release();
  }
  return *known;
}

}  // namespace

DeferredWork& StreamState::set_deferred(std::unique_ptr<DeferredWork> work) {
  return set_once(deferred_, std::move(work));
}

LateErrors& StreamState::set_late_errors(std::unique_ptr<LateErrors> errors) {
  return set_once(late_errors_, std::move(errors));
}

void StreamState::set_complete(std::uint64_t sequence) {
  if (CUPOLA_MUTANT(complete_too_early)) ++sequence;
  std::uint64_t known = completed_.load();
  while (known < sequence && !completed_.compare_exchange_weak(known, sequence)) {
  }
}

void check_same_device(const StreamState& stream, const Device& device, const char* what) {
  if (stream.device() == device) return;
  throw DeviceError(fmt::format("{} is on {}, the stream on {}: use a stream of {}", what,
                                device.to_string(), stream.device().to_string(),
                                device.to_string()));
}

}  // namespace cupola
