#include "runtime/stream.h"

#include <atomic>
#include <unordered_map>
#include <vector>

#include "driver/registry.h"

namespace cupola {

namespace {

std::uint64_t next_stream_id() {
  static std::atomic<std::uint64_t> counter{0};
  return counter.fetch_add(1, std::memory_order_relaxed) + 1;
}

// Every live stream, to synchronise a whole device.
struct LiveStreams {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, std::weak_ptr<StreamState>> streams;
};

LiveStreams& live_streams() {
  static auto* live = new LiveStreams;
  return *live;
}

std::shared_ptr<StreamState> make_stream(const Device& device) {
  auto stream = std::make_shared<StreamState>(driver(device.platform()), device);
  const std::lock_guard lock(live_streams().mutex);
  live_streams().streams.emplace(stream->id(), stream);
  return stream;
}

// Default streams of threads that ended, for threads to come. Never destroyed: threads may end
// after static destructors ran.
class IdleStreams {
 public:
  static IdleStreams& instance() {
    static auto* streams = new IdleStreams;
    return *streams;
  }
  std::shared_ptr<StreamState> take(const Device& device) {
    {
      const std::lock_guard lock(mutex_);
      auto& streams = streams_[device];
      if (!streams.empty()) {
        auto stream = std::move(streams.back());
        streams.pop_back();
        return stream;
      }
    }
    return make_stream(device);
  }
  void put(std::shared_ptr<StreamState> stream) noexcept {
    const std::lock_guard lock(mutex_);
    streams_[stream->device()].push_back(std::move(stream));
  }

 private:
  std::mutex mutex_;
  std::unordered_map<Device, std::vector<std::shared_ptr<StreamState>>> streams_;
};

struct ThreadStream {
  Device device;
  std::shared_ptr<StreamState> own;  // null until the thread's default stream is needed
  std::shared_ptr<StreamState> current;
};

class ThreadStreams {
 public:
  ~ThreadStreams() {
    for (ThreadStream& entry : entries_) {
      if (entry.own) IdleStreams::instance().put(std::move(entry.own));
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

thread_local ThreadStreams thread_streams;

}  // namespace

StreamState::StreamState(Driver& driver, const Device& device)
    : driver_(driver),
      device_(device),
      handle_(driver.create_stream(device.index())),
      id_(next_stream_id()) {}

StreamState::~StreamState() {
  {
    const std::lock_guard lock(live_streams().mutex);
    live_streams().streams.erase(id_);
  }
  if (event_) driver_.destroy_event(event_);
  driver_.destroy_stream(handle_);
}

void StreamState::wait_for(StreamState& earlier) {
  const std::lock_guard lock(earlier.event_mutex_);
  if (!earlier.event_) earlier.event_ = driver_.create_event(earlier.device_.index());
  driver_.record(earlier.event_, earlier.handle_);
  driver_.wait(handle_, earlier.event_);
}

const std::shared_ptr<StreamState>& current_stream(const Device& device) {
  ThreadStream& entry = thread_streams.entry(device);
  if (!entry.current) {
    if (!entry.own) entry.own = IdleStreams::instance().take(device);
    entry.current = entry.own;
  }
  return entry.current;
}

void synchronize(const Device& device) {
  check_device(device);
  std::vector<std::shared_ptr<StreamState>> streams;
  {
    const std::lock_guard lock(live_streams().mutex);
    for (const auto& [id, weak] : live_streams().streams) {
      if (auto stream = weak.lock(); stream && stream->device() == device) {
        streams.push_back(std::move(stream));
      }
    }
  }
  for (const auto& stream : streams) stream->driver().synchronize(stream->handle());
}

Stream Stream::current(const Device& device) { return Stream(current_stream(device)); }

Stream Stream::create(const Device& device) {
  check_device(device);
  return Stream(make_stream(device));
}

const Device& Stream::device() const { return state_->device(); }
std::uint64_t Stream::id() const { return state_->id(); }
void Stream::synchronize() const { state_->driver().synchronize(state_->handle()); }
bool Stream::is_idle() const { return state_->driver().is_idle(state_->handle()); }
void Stream::use() const { thread_streams.entry(device()).current = state_; }
void* Stream::native_handle() const {
  return device().platform() == PlatformKind::cuda ? static_cast<void*>(state_->handle()) : nullptr;
}

}  // namespace cupola
