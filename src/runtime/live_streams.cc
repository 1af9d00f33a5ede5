#include "runtime/live_streams.h"

#include <map>
#include <unordered_map>
#include <utility>

#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "base/threads/thread_owned.h"
#include "core/device_sets.h"
#include "driver/registry.h"
#include "runtime/capture.h"
#include "runtime/completion.h"

namespace cupola {

namespace {

struct LiveStreams {
  LiveStreams() { lock_at_fork(ForkLayer::runtime, mutex); }
  std::mutex mutex;
  std::unordered_map<std::uint64_t, std::weak_ptr<StreamState>> streams;
  // Streams of others by the platform's identity of them, which is never reused.
  std::map<std::pair<int, std::uint64_t>, std::weak_ptr<StreamState>> foreign;
  // Default streams of threads that ended, for threads to come.
  std::unordered_map<Device, std::vector<StreamPointer>> idle;
};

// Never destroyed: threads may end after static destructors ran.
LiveStreams& live() {
  static constinit Lazy<LiveStreams> instance;
  return *instance;
}

StreamPointer enlist(StreamPointer stream) {
  const std::lock_guard lock(live().mutex);
  live().streams.emplace(stream->id(), stream);
  return stream;
}

StreamPointer take_thread_stream(const Device& device) {
  {
    const std::lock_guard lock(live().mutex);
    auto& idle = live().idle[device];
    if (!idle.empty()) {
      StreamPointer stream = std::move(idle.back());
      idle.pop_back();
      return stream;
    }
  }
  return enlist(std::make_shared<StreamState>(driver(device), device, StreamOptions{},
                                              StreamState::Role::of_thread));
}

struct ThreadStream {
  Device device;
  StreamPointer own;  // null until the thread's default stream is needed
  StreamPointer current;
};

bool has_late_errors(const StreamState& stream) noexcept {
  LateErrors* errors = stream.late_errors();
  return errors && !errors->settle();
}

// They are for those who look at what the stream computed, and no other thread's.
void leave_to_its_arrays(StreamPointer stream) noexcept {
  retire(stream, {[stream] { stream->late_errors()->settle(); }});
}

class ThreadStreams {
 public:
  ~ThreadStreams() {
    for (ThreadStream& entry : entries_) {
      if (entry.own && has_late_errors(*entry.own)) leave_to_its_arrays(std::move(entry.own));
    }
    const std::lock_guard lock(live().mutex);
    for (ThreadStream& entry : entries_) {
      if (entry.own) live().idle[entry.device].push_back(std::move(entry.own));
    }
  }
  ThreadStream& entry(const Device& device) {
    for (ThreadStream& candidate : entries_) {
      if (candidate.device == device) return candidate;
    }
    check_device(device);
    return entries_.emplace_back(ThreadStream{device, nullptr, nullptr});
  }

 private:
  std::vector<ThreadStream> entries_;
};

ThreadStreams& thread_streams() { return ThreadOwned<ThreadStreams>::get(); }

}  // namespace

StreamPointer make_stream(const Device& device, const StreamOptions& options) {
  check_device(device);
  return enlist(std::make_shared<StreamState>(driver(device), device, options));
}

StreamPointer adopt_stream(const Device& device, void* native, std::shared_ptr<void> owner) {
  check_device(device);
  Driver& platform = driver(device);
  auto made = std::make_shared<StreamState>(platform, device, StreamState::Foreign{native, owner});
  StreamPointer known;
  {
    const std::lock_guard lock(live().mutex);
    auto& entry = live().foreign[{device.index(), made->native_id()}];
    known = entry.lock();
    if (!known) {
      entry = made;
      live().streams.emplace(made->id(), made);
      return made;
    }
  }
  known->keep(std::move(owner));
  return known;
}

const StreamPointer& thread_stream(const Device& device) {
  ThreadStream& entry = thread_streams().entry(device);
  if (!entry.own) entry.own = take_thread_stream(device);
  return entry.own;
}

const StreamPointer& current_stream(const Device& device) {
  ThreadStream& entry = thread_streams().entry(device);
  if (!entry.current) entry.current = thread_stream(device);
  return entry.current;
}

StreamPointer choose_stream(const Device& device, StreamPointer stream) {
  return std::exchange(thread_streams().entry(device).current, std::move(stream));
}

namespace {

template <typename Condition>
std::vector<StreamPointer> live_streams_if(const Condition& condition) {
  std::vector<StreamPointer> streams;
  {
    const std::lock_guard lock(live().mutex);
    for (const auto& [id, weak] : live().streams) streams.push_back(weak.lock());
  }
  // Outside the lock, which the destructor of a stream takes.
  std::erase_if(streams,
                [&](const auto& stream) { return !stream || !condition(stream->device()); });
  return streams;
}

}  // namespace

std::vector<StreamPointer> live_streams(const Device& device) {
  return live_streams_if([&](const Device& other) { return other == device; });
}

std::vector<StreamPointer> live_streams(PlatformKind platform) {
  return live_streams_if([&](const Device& other) { return other.platform() == platform; });
}

void forget_live_stream(std::uint64_t id) noexcept {
  const std::lock_guard lock(live().mutex);
  live().streams.erase(id);
  std::erase_if(live().foreign, [](const auto& entry) { return entry.second.expired(); });
}

namespace {

// True: another thread captures the stream, and is not to be disturbed. Throws, and spoils the
// capture, where it is the caller's or one that allows no thread to wait.
bool is_passed_over(StreamState& stream) {
  const std::shared_ptr<Capture> capture = stream.capture();
  if (!capture) return false;
  if (!capture->is_of_this_thread() && capture->mode() != CaptureMode::global) return true;
  stream.driver().synchronize(stream.handle());
  return false;
}

}  // namespace

void synchronize(const Device& device) {
  check_device(device);
  // A member of a set does the set's work, too.
  const std::vector<StreamPointer> streams =
      live_streams_if([&](const Device& other) { return overlap(device, other); });
  for (const StreamPointer& stream : streams) {
    if (is_passed_over(*stream)) continue;
    stream->compute_deferred();
    stream->synchronize();
    drain(*stream);
  }
  for (const StreamPointer& stream : streams) stream->throw_late_errors();
}

}  // namespace cupola
