#pragma once
// The streams of a device set: one of the first member, the lead, and one of each member, made when
// it is first needed.
//
// The lead is behind everything that was put on the set's stream when a call returns, so that
// events of it, waits for it and functions of the host on it stand for the whole. Members go on
// with what touches other memory than the work before it.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "base/threads/mutex.h"
#include "driver/driver.h"
#include "driver/set/past_work.h"
#include "driver/set/set_memory.h"

namespace cupola {

// The lead for as long as something is put on it.
class LeadUse {
 public:
  LeadUse(StreamHandle lead, std::atomic<std::uint64_t>& uses) : lead_(lead), uses_(uses) {}
  // Only now: work that others begin while it is put there need not come after it.
  ~LeadUse() { uses_.fetch_add(1, std::memory_order_release); }
  LeadUse(const LeadUse&) = delete;
  LeadUse& operator=(const LeadUse&) = delete;

  operator StreamHandle() const { return lead_; }  // NOLINT(google-explicit-constructor)

 private:
  const StreamHandle lead_;
  std::atomic<std::uint64_t>& uses_;
};

class SetStream {
 public:
  // `lead` is a stream of the first member, which becomes this object's; `is_shared`: others may
  // put work on it as well.
  SetStream(Driver& platform, const Device& set, const StreamOptions& options, StreamHandle lead,
            bool is_shared);
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
  LeadUse lead() { return {lead_, lead_uses_}; }
  // To ask and to wait for.
  StreamHandle lead_to_look_at() const { return lead_; }
  // For those who may put work on it at any time.
  StreamHandle share_lead() {
    is_shared_.store(true, std::memory_order_release);
    return lead_;
  }
  // Waits for all work, and throws what it failed with on any member.
  void synchronize();

  // Memory that all members reach, of at least `bytes`, until the next call; each has about an
  // equal part of it, as of arrays, in their order. Two calls in a row give different memory, so
  // that work with the one need not wait for work with the other. Throws OutOfMemoryError.
  void* scratch(std::size_t bytes);

 private:
  friend class Fork;
  struct Member {
    StreamHandle stream = nullptr;
    EventHandle done = nullptr;
    std::uint64_t begun = 0;  // the number of the last place that it has waited for
  };

  void open(std::size_t position);
  // Behind all that is on the lead.
  PastWork::Point mark();
  // The place that everything now comes after.
  PastWork::Point begin();
  PastWork::Point begin(std::span<const TouchedMemory> memory);
  void wait_for_scratch() noexcept;

  Driver& platform_;
  const Device set_;
  const std::span<const int> members_;
  const StreamOptions options_;
  const StreamHandle lead_;
  std::atomic<std::uint64_t> lead_uses_{0};  // that are over
  std::atomic<bool> is_shared_;
  Mutex mutex_;  // of forks, one at a time; guards what follows
  std::vector<Member> states_;
  std::uint64_t marks_ = 0;
  PastWork past_;
  bool knows_past_ = false;      // all that was put on any member since past_ began
  std::uint64_t past_uses_ = 0;  // lead_uses_ when it began
  struct Scratch {
    void* data;
    std::size_t bytes;
    std::vector<StripedPart> parts;
    std::uint64_t turn;
  };
  std::size_t scratch_unit() const;
  std::vector<StripedPart> parts_of_scratch(std::size_t bytes) const;
  std::vector<Scratch> scratch_;
  std::uint64_t turns_ = 0;
};

// Work of several members at the same time, after all work so far. It ends with the lead behind
// all of it, also where something was thrown on the way.
class Fork {
 public:
  explicit Fork(SetStream& stream);
  // For work that touches only this memory (all of it is_whole), the last `by_lead` ranges
  // behind_all() only: it comes after what touched the same.
  Fork(SetStream& stream, std::vector<TouchedMemory> memory, std::size_t by_lead = 0);
  ~Fork();
  Fork(const Fork&) = delete;
  Fork& operator=(const Fork&) = delete;

  // The stream of a member, which has waited.
  StreamHandle on(std::size_t position);
  // The lead, which has waited for what the members have to do so far.
  StreamHandle behind_all();
  // What is put on these streams now may wait for its turn: others go on using the set's stream.
  void let_others_go_on() { lock_.unlock(); }
  // Returns when the members' work so far is done, or has failed.
  void wait_here() noexcept;
  // What comes then, on any member, comes after all before.
  void next();

 private:
  void join() noexcept;
  void wait_here(StreamHandle stream) noexcept;

  SetStream& stream_;
  std::unique_lock<Mutex> lock_;
  const bool is_told_;  // which memory it touches
  std::vector<TouchedMemory> memory_;
  PastWork::Point begin_;
  std::vector<std::size_t> used_;  // members with work that the lead does not wait for yet
};

}  // namespace cupola
