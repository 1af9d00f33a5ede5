#include "runtime/completion.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutant.h"
#include "base/process/fork.h"
#include "base/process/process_end.h"
#include "base/threads/lazy.h"
#include "core/device_sets.h"
#include "driver/health.h"
#include "runtime/capture.h"
#include "runtime/event_set.h"
#include "runtime/reaper.h"

namespace cupola {

namespace {

// Beyond so many things that wait for events of their own, a queue records its newest event again
// instead of taking another.
constexpr std::size_t kQueueEvents = 64;
constexpr std::size_t kDeviceEvents = 512;
constexpr std::chrono::seconds kLongestRelease{1};

// A thing, shared by the streams that it waits for.
struct Pending {
  Pending(Retired thing_, std::size_t streams) : thing(std::move(thing_)), left(streams) {}
  // True: that was the last of the streams, and the thing is released.
  bool arrive() {
    if (left.fetch_sub(1, std::memory_order_acq_rel) > 1) return false;
    thing.release();
    thing.release = nullptr;
    return true;
  }
  Retired thing;
  std::atomic<std::size_t> left;
  std::atomic<bool> lost{false};  // will never be released
};
using PendingPointer = std::shared_ptr<Pending>;

// Things that wait for one event.
struct Batch {
  std::uint64_t number = 0;  // order within the process
  EventHandle event = nullptr;
  std::vector<PendingPointer> things;
};

struct Queue {
  std::shared_ptr<StreamState> stream;
  std::deque<Batch> batches;  // by number
  int in_hand = 0;            // batches that somebody looks at
};

// A batch that is being looked at is in nobody's queue: events are queried and things released
// outside the lock.
class Completions {
 public:
  explicit Completions(const Completions* of_parent = nullptr) : of_parent_(of_parent) {}
  // The thing counts as in flight from here to discount().
  void count(const Retired& thing);
  void discount(const Retired& thing);
  void add(const std::shared_ptr<StreamState>& stream, PendingPointer thing);
  InFlight drain(std::uint64_t stream_id);
  InFlight drain_all();
  void drain_quietly();
  // Until what other threads took out of the stream's queue is released, or back; not for ever,
  // since a release may wait for this thread.
  void wait_for_others(std::uint64_t stream_id);
  // Of that device, or all, that have something in flight.
  std::vector<std::shared_ptr<StreamState>> streams_of(const Device* device);
  bool is_empty() const { return things_.load() == 0; }
  InFlight in_flight() const { return {things_.load(), bytes_.load(), events_.total()}; }

 private:
  // What a forked child leaves alone, not lost.
  [[maybe_unused]] const Completions* const of_parent_;

  // The newest batch of a queue that has no event to spare; else one that is new and empty.
  Batch batch_for(const std::shared_ptr<StreamState>& stream);
  void record(StreamState& stream, Batch& batch);
  void put_back(std::uint64_t stream_id, Batch batch);
  bool take_first(std::uint64_t stream_id, std::shared_ptr<StreamState>& stream, Batch& batch);
  // `batch` was in hand and is complete.
  InFlight release(const StreamState& stream, Batch batch);
  void let_go(std::uint64_t stream_id);
  // Whether no batch of any queue is older.
  bool is_first(std::uint64_t number);
  bool is_in_hand(std::uint64_t stream_id);
  std::vector<std::uint64_t> stream_ids();

  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Queue> queues_;  // by stream; those with something in flight
  std::uint64_t last_number_ = 0;
  EventSet events_;
  std::atomic<std::size_t> things_{0};
  std::atomic<std::size_t> bytes_{0};
  Reaper reaper_{[this] { drain_quietly(); }, [this] { return things_.load() == 0; }};
};

std::vector<std::shared_ptr<StreamState>> Completions::streams_of(const Device* device) {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<StreamState>> streams;
  for (const auto& [id, queue] : queues_) {
    if (!device || overlap(queue.stream->device(), *device)) streams.push_back(queue.stream);
  }
  return streams;
}

// Never destroyed; replaced in a forked child.
std::atomic<Completions*>& instance() {
  static constinit Lazy<std::atomic<Completions*>> completions;
  return completions.get([] {
    at_fork(ForkLayer::runtime, {{}, {}, forget_completions_after_fork});
    return new Completions;
  });
}
Completions& completions() { return *instance().load(std::memory_order_acquire); }

void add_to(InFlight& total, const InFlight& part) {
  total.things += part.things;
  total.bytes += part.bytes;
}

bool is_done(const StreamState& stream, EventHandle event) noexcept {
  try {
    return stream.driver().is_complete(event);
  } catch (...) {
    return !process_is_ending();  // the device failed: nothing runs there any more
  }
}

bool is_idle(StreamState& stream) noexcept {
  try {
    return stream.is_idle();
  } catch (...) {
    return !process_is_ending();
  }
}

void record_event(StreamState& stream, EventHandle event) {
  try {
    stream.record(event);
  } catch (...) {
    // What the stream's work threw before; a second refusal is about the event.
    stream.record(event);
  }
}

void Completions::count(const Retired& thing) {
  things_ += 1;
  bytes_ += thing.bytes;
}

void Completions::discount(const Retired& thing) {
  things_ -= 1;
  bytes_ -= thing.bytes;
}

void Completions::add(const std::shared_ptr<StreamState>& stream, PendingPointer thing) {
  Batch batch = batch_for(stream);
  try {
    record(*stream, batch);
  } catch (...) {
    if (batch.things.empty()) {
      let_go(stream->id());
    } else {
      put_back(stream->id(), std::move(batch));
    }
    throw;
  }
  batch.things.push_back(std::move(thing));
  put_back(stream->id(), std::move(batch));
  reaper_.wake();
}

void Completions::record(StreamState& stream, Batch& batch) {
  if (batch.event) return record_event(stream, batch.event);
  const EventHandle event = events_.take(stream.driver(), stream.device());
  try {
    record_event(stream, event);
  } catch (...) {
    events_.put(stream.device(), event);
    throw;
  }
  batch.event = event;
}

Batch Completions::batch_for(const std::shared_ptr<StreamState>& stream) {
  const bool scarce = events_.taken(stream->device()) >= kDeviceEvents;
  const std::lock_guard lock(mutex_);
  Queue& queue = queues_[stream->id()];
  if (!queue.stream) queue.stream = stream;
  ++queue.in_hand;
  std::deque<Batch>& batches = queue.batches;
  if (batches.empty() || (batches.size() < kQueueEvents && !scarce)) return {};
  Batch newest = std::move(batches.back());
  batches.pop_back();
  return newest;
}

void Completions::put_back(std::uint64_t stream_id, Batch batch) {
  const std::lock_guard lock(mutex_);
  if (batch.number == 0) batch.number = ++last_number_;
  Queue& queue = queues_.at(stream_id);
  --queue.in_hand;
  const auto place =
      std::upper_bound(queue.batches.begin(), queue.batches.end(), batch,
                       [](const Batch& a, const Batch& b) { return a.number < b.number; });
  queue.batches.insert(place, std::move(batch));
}

bool Completions::take_first(std::uint64_t stream_id, std::shared_ptr<StreamState>& stream,
                             Batch& batch) {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(stream_id);
  if (found == queues_.end() || found->second.batches.empty()) return false;
  Queue& queue = found->second;
  batch = std::move(queue.batches.front());
  queue.batches.pop_front();
  ++queue.in_hand;
  stream = queue.stream;
  return true;
}

void Completions::let_go(std::uint64_t stream_id) {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(stream_id);
  --found->second.in_hand;
  // The caller has the stream as well: this is not its last owner.
  if (found->second.in_hand == 0 && found->second.batches.empty()) queues_.erase(found);
}

InFlight Completions::release(const StreamState& stream, Batch batch) {
  events_.put(stream.device(), batch.event);
  InFlight released;
  for (PendingPointer& pending : batch.things) {
    const bool last = pending->arrive();
    if (last) {
      discount(pending->thing);
      released.things += 1;
      released.bytes += pending->thing.bytes;
    }
    pending.reset();
  }
  let_go(stream.id());
  return released;
}

bool Completions::is_first(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  return std::none_of(queues_.begin(), queues_.end(), [&](const auto& entry) {
    const std::deque<Batch>& batches = entry.second.batches;
    return !batches.empty() && batches.front().number < number;
  });
}

InFlight Completions::drain(std::uint64_t stream_id) {
  InFlight released;
  std::shared_ptr<StreamState> stream;  // outlives the batches; may be its last owner
  Batch batch;
  while (take_first(stream_id, stream, batch)) {
    if (!is_done(*stream, batch.event) || (CUPOLA_MUTANT(one_fifo) && !is_first(batch.number))) {
      put_back(stream_id, std::move(batch));
      break;
    }
    const InFlight some = release(*stream, std::exchange(batch, Batch{}));
    add_to(released, some);
  }
  return released;
}

void Completions::drain_quietly() {
  const UnreportedFaults background;
  drain_all();
}

InFlight Completions::drain_all() {
  InFlight released;
  for (const std::uint64_t id : stream_ids()) {
    const InFlight some = drain(id);
    add_to(released, some);
  }
  return released;
}

bool Completions::is_in_hand(std::uint64_t stream_id) {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(stream_id);
  return found != queues_.end() && found->second.in_hand > 0;
}

void Completions::wait_for_others(std::uint64_t stream_id) {
  const auto end = std::chrono::steady_clock::now() + kLongestRelease;
  while (is_in_hand(stream_id) && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

std::vector<std::uint64_t> Completions::stream_ids() {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> ids;
  ids.reserve(queues_.size());
  for (const auto& [id, queue] : queues_) ids.push_back(id);
  return ids;
}

void add_or_lose(const std::shared_ptr<StreamState>& stream, const PendingPointer& pending) {
  try {
    completions().add(stream, pending);
  } catch (...) {
    if (pending->lost.exchange(true)) return;
    new PendingPointer(pending);
    completions().discount(pending->thing);
  }
}

}  // namespace

void retire(const std::shared_ptr<StreamState>& stream, Retired thing) noexcept {
  retire({&stream, 1}, std::move(thing));
}

namespace {

// True: a stream is being captured, and the graph has the thing now, which launches may use.
bool is_kept_by_capture(std::span<const std::shared_ptr<StreamState>> streams, Retired& thing) {
  for (const std::shared_ptr<StreamState>& stream : streams) {
    const std::shared_ptr<Capture> capture = stream->capture();
    if (!capture) continue;
    for (const std::shared_ptr<StreamState>& each : streams) {
      if (each->capture() != capture) capture->require(each, each->submitted());
    }
    capture->keep(std::move(thing));
    return true;
  }
  return false;
}

}  // namespace

void retire(std::span<const std::shared_ptr<StreamState>> streams, Retired thing) noexcept {
  const UnreportedFaults background;
  if (Capture::any() && is_kept_by_capture(streams, thing)) return;
  std::vector<std::shared_ptr<StreamState>> busy;
  for (const std::shared_ptr<StreamState>& stream : streams) {
    if (!is_idle(*stream)) busy.push_back(stream);
  }
  if (busy.empty()) return thing.release();
  const auto pending = std::make_shared<Pending>(std::move(thing), busy.size());
  completions().count(pending->thing);
  for (const std::shared_ptr<StreamState>& stream : busy) add_or_lose(stream, pending);
}

InFlight in_flight() { return completions().in_flight(); }

InFlight drain(const StreamState& stream) noexcept {
  if (completions().is_empty()) return {};
  const UnreportedFaults background;
  return completions().drain(stream.id());
}

InFlight drain() noexcept {
  if (completions().is_empty()) return {};
  const UnreportedFaults background;
  return completions().drain_all();
}

namespace {

InFlight settle_all(const std::vector<std::shared_ptr<StreamState>>& streams) {
  InFlight released;
  for (const auto& stream : streams) {
    if (stream->is_capturing()) continue;
    stream->synchronize();
    add_to(released, drain(*stream));
    completions().wait_for_others(stream->id());
  }
  return released;
}

}  // namespace

InFlight settle(const Device& device) { return settle_all(completions().streams_of(&device)); }
InFlight settle() { return settle_all(completions().streams_of(nullptr)); }

void forget_completions_after_fork() noexcept {
  Reaper::forget_after_fork();
  instance().store(new Completions(&completions()), std::memory_order_release);
}

}  // namespace cupola
