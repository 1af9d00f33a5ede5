#pragma once
// The streams of a device set: one of the first member, the lead, and one of each member, made when
// it is first needed.
//
// The lead is behind everything that was put on the set's stream when a call returns, so that
// events of it, waits for it and functions of the host on it stand for the whole.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/threads/mutex.h"
#include "driver/driver.h"
#include "driver/set/set_memory.h"

namespace cupola {

class SetStream {
 public:
  // `lead` is a stream of the first member, which becomes this object's.
  SetStream(Driver& platform, const Device& set, const StreamOptions& options, StreamHandle lead);
  // After its work is done.
  ~SetStream();
  SetStream(const SetStream&) = delete;
  SetStream& operator=(const SetStream&) = delete;

  static SetStream& of(StreamHandle handle) { return *reinterpret_cast<SetStream*>(handle); }
  StreamHandle handle() { return reinterpret_cast<StreamHandle>(this); }
  const Device& set() const { return set_; }
  std::span<const int> members() const { return members_; }
  // Place of a device among the members; it is one.
  std::size_t position_of(int device) const { return place_among(members_, device); }

  // To put work on.
  StreamHandle lead() {
    transfers_.store(0, std::memory_order_relaxed);
    return lead_;
  }
  // To ask and to wait for.
  StreamHandle lead_to_look_at() const { return lead_; }
  // Waits for all work, and throws what it failed with on any member.
  void synchronize();

  // Memory that all members reach, of at least `bytes`, until the next call; each has about an
  // equal part of it, as of arrays, in their order. In the order of the stream. Only while a Fork
  // lives. Throws OutOfMemoryError.
  void* scratch(std::size_t bytes);

 private:
  friend class Fork;
  struct Member {
    StreamHandle stream = nullptr;
    EventHandle done = nullptr;
    std::uint64_t begun = 0;  // the number of the beginning that it has waited for
  };
  // Copies between the host and this memory that were begun together, as they do not meet.
  struct Transfers {
    bool writes_set = false;
    std::vector<std::pair<const char*, const char*>> ranges;
    bool add(const void* data, std::size_t bytes);
  };

  void open(std::size_t position);
  void wait_for_scratch() noexcept;

  Driver& platform_;
  const Device set_;
  const std::span<const int> members_;
  const StreamOptions options_;
  const StreamHandle lead_;
  std::atomic<std::uint64_t> transfers_{0};  // the beginning that they share; 0: none do
  Mutex mutex_;                              // of forks, one at a time; guards what follows
  EventHandle begin_ = nullptr;
  std::uint64_t beginnings_ = 0;
  std::vector<Member> states_;
  Transfers open_transfers_;
  struct Scratch {
    void* data;
    std::size_t bytes;
    std::vector<StripedPart> parts;
  };
  std::size_t scratch_unit() const;
  std::vector<StripedPart> parts_of_scratch(std::size_t bytes) const;
  std::vector<Scratch> scratch_;
};

// Work of several members at the same time, after all work so far. It ends with the lead behind
// all of it, also where something was thrown on the way.
class Fork {
 public:
  explicit Fork(SetStream& stream);
  // For a copy between the host and `data`, memory of one side or the other that is written:
  // copies in a row that do not meet need not wait for each other.
  Fork(SetStream& stream, bool writes_set, const void* data, std::size_t bytes);
  ~Fork();
  Fork(const Fork&) = delete;
  Fork& operator=(const Fork&) = delete;

  // The stream of a member, which has waited.
  StreamHandle on(std::size_t position);
  // What is put on these streams now may wait for its turn: others go on using the set's stream.
  void let_others_go_on() { lock_.unlock(); }
  // Returns when the members' work so far is done, or has failed.
  void wait_here() noexcept;
  // The lead waits; what comes then, on any member, comes after all before.
  void next();

 private:
  void begin();
  void join() noexcept;
  void wait_here(StreamHandle stream) noexcept;

  SetStream& stream_;
  std::unique_lock<Mutex> lock_;
  std::vector<std::size_t> used_;  // members with work that the lead does not wait for yet
  bool is_transfer_ = false;       // the lead has a stream beside its own, too
};

}  // namespace cupola
