#pragma once
// Streams as the library sees them.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/threads/mutex.h"
#include "cupola/runtime.h"
#include "driver/driver.h"

namespace cupola {

class Capture;  // runtime/capture.h
class StreamState;

// What was asked for on a stream, and is computed when somebody could observe it.
class DeferredWork {
 public:
  virtual ~DeferredWork() = default;
  // All of it. Throws what the work fails with.
  virtual void compute() = 0;
};

// What turns out to be wrong with work of a stream after it was asked for.
class LateErrors {
 public:
  virtual ~LateErrors() = default;
  // The first that is known by now, once; the others of that moment go with it. Does not wait.
  virtual void throw_known() = 0;
  // Looks at what is known by now. True: there is nothing to throw, now or later.
  virtual bool settle() noexcept = 0;
  // The later stream uses what this one's computed: what is wrong here is wrong there.
  virtual void pass_on(StreamState& later) = 0;
};

// Owns one stream of a platform, or shares one of another library. Shared by everything that was
// used on it, so that its handle outlives its uses. The platform's stream is made when it is first
// needed: one that nothing used initialises nothing.
//
// A stream of others may be destroyed by them at any time after its last use here. Therefore an
// event is recorded after each use, and all that comes later looks at that event instead.
class StreamState : public std::enable_shared_from_this<StreamState> {
 public:
  enum class Role : std::uint8_t { of_user, of_thread };
  StreamState(Driver& driver, const Device& device, const StreamOptions& options = {},
              Role role = Role::of_user);
  // A stream of others. `owner`, which may be null, is kept as long as this is.
  struct Foreign {
    void* native;
    std::shared_ptr<void> owner;
  };
  StreamState(Driver& driver, const Device& device, Foreign foreign);
  ~StreamState();
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;

  Driver& driver() const { return driver_; }
  const Device& device() const { return device_; }
  std::uint64_t id() const { return id_; }
  const StreamOptions& options() const { return options_; }
  bool is_foreign() const { return is_foreign_; }
  std::uint64_t native_id() const { return native_id_; }
  bool is_of_thread() const { return role_ == Role::of_thread; }
  // Whether the null stream stands for it too: a thread's own, or one made with non_blocking =
  // false.
  bool joins_null_stream() const {
    return !is_foreign_ && (role_ == Role::of_thread || !options_.non_blocking);
  }
  // Throws what the platform throws when it is made; ForkedProcessError for a CUDA stream of the
  // parent process.
  StreamHandle handle() const {
    const StreamHandle known = handle_.load(std::memory_order_acquire);
    return known && is_inherited_safe() ? known : open();
  }
  // Whether the platform's stream has been made.
  bool is_open() const { return handle_.load(std::memory_order_acquire) != nullptr; }
  // False where the platform tells that the native stream of others was destroyed.
  bool is_native_alive() const;
  // Null before the first is made. The owner keeps the first that is set.
  DeferredWork* deferred() const { return deferred_.load(std::memory_order_acquire); }
  DeferredWork& set_deferred(std::unique_ptr<DeferredWork> work);
  // Before anything that shows, or orders, what was asked for on the stream so far.
  void compute_deferred() const {
    if (DeferredWork* work = deferred()) work->compute();
  }
  // The same for what was wrong; it is thrown where values that the stream computed are observed.
  LateErrors* late_errors() const { return late_errors_.load(std::memory_order_acquire); }
  LateErrors& set_late_errors(std::unique_ptr<LateErrors> errors);
  void throw_late_errors() const {
    if (LateErrors* errors = late_errors()) errors->throw_known();
  }
  // Work of this stream uses what that one computed: late errors there are late errors here.
  void take_over_errors(const StreamState& earlier) {
    LateErrors* const errors = earlier.late_errors();
    if (errors && &earlier != this) [[unlikely]]
      errors->pass_on(*this);
  }
  // What records the work of this stream; null: it runs.
  bool is_capturing() const { return is_capturing_.load(std::memory_order_acquire); }
  std::shared_ptr<Capture> capture() const { return is_capturing() ? locked_capture() : nullptr; }
  void set_capture(std::shared_ptr<Capture> capture);
  // Before it is captured: streams that are no part of the capture wait for the work up to here.
  void mark_uncaptured();
  // Keeps one more owner of a stream of others.
  void keep(std::shared_ptr<void> owner);

  // Later work on this stream starts after all work so far on `earlier`, of the same platform; of a
  // stream of others, after what this library put there.
  void wait_for(StreamState& earlier);
  // As far as it is not done, or waited for, up to that number already. Between streams of one
  // capture the wait is recorded; a capture comes after what other streams have done as a whole.
  void wait_for(StreamState& earlier, std::uint64_t sequence);
  // Whether later work here starts after that one, without anything to be done for it.
  bool is_ordered_after(const StreamState& earlier, std::uint64_t sequence);
  // After everything that its owner put there, too. It must still exist.
  void wait_for_owner_of(StreamState& foreign);
  // The event is complete when all work so far is: as wait_for() counts it.
  void record(EventHandle event);

  // Work is numbered after it was handed over: work whose number submitted() has reached was handed
  // over before. Streams of others count what this library hands over.
  std::uint64_t advance();
  std::uint64_t submitted() const { return submitted_.load(); }
  // False: nobody has found out yet. Asks no platform.
  bool is_known_complete(std::uint64_t sequence) const { return sequence <= completed_.load(); }
  // The caller has found out that all work up to that number is done.
  void set_complete(std::uint64_t sequence);
  // Waits for all work so far; throws what it failed with.
  void synchronize();
  // False while it is being captured.
  bool is_idle();
  // Whether fewer than `most` works wait on a stream of ours, as far as a question to the platform
  // now and then tells. Does not wait.
  bool has_room(std::uint64_t most);

 private:
  StreamHandle open() const;
  std::shared_ptr<Capture> locked_capture() const;
  // False: neither stream is being captured.
  bool wait_in_capture(StreamState& earlier, std::uint64_t sequence);
  bool is_inherited_safe() const;
  void record_last_use();
  bool waits_already(const StreamState& earlier, std::uint64_t sequence);
  void remember_wait(const StreamState& earlier, std::uint64_t sequence);

  Driver& driver_;
  const Device device_;
  const StreamOptions options_;
  const Role role_ = Role::of_user;
  const std::uint64_t id_;
  // Of the process that made the platform's stream.
  mutable std::atomic<std::uint64_t> generation_;
  const bool is_foreign_ = false;
  std::uint64_t native_id_ = 0;  // of a stream of others
  mutable Mutex open_mutex_;
  mutable std::atomic<StreamHandle> handle_{nullptr};
  std::atomic<DeferredWork*> deferred_{nullptr};
  std::atomic<LateErrors*> late_errors_{nullptr};
  std::atomic<bool> is_capturing_{false};
  mutable Mutex capture_mutex_;
  std::shared_ptr<Capture> capture_;
  std::vector<std::shared_ptr<void>> owners_;
  Mutex event_mutex_;  // one record-then-wait at a time
  EventHandle event_ = nullptr;
  StreamHandle deputy_ = nullptr;  // of a stream of others: records events in its place
  std::atomic<std::uint64_t> submitted_{0};
  std::atomic<std::uint64_t> completed_{0};
  Mutex milestone_mutex_;
  EventHandle milestone_ = nullptr;
  std::uint64_t milestone_sequence_ = 0;  // of the work before it; 0: it was not recorded, or found
  Mutex waits_mutex_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> waits_;  // other stream, up to which number
};

// The calling thread's current stream on `device`: by default the thread's own stream, which
// another thread takes over when the thread ends.
const std::shared_ptr<StreamState>& current_stream(const Device& device);
// Throws DeviceError that names both unless the stream belongs to the device.
void check_same_device(const StreamState& stream, const Device& device, const char* what);

}  // namespace cupola
