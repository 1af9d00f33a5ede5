#pragma once
// Checks that every access to memory is ordered after those that it depends on, by vector clocks
// that follow streams, events and what the host has observed. It looks at the calls alone: a
// missing wait is found in every schedule, also where the work happened to run in order.
//
// The host is one clock for all threads: what one of them has observed counts for all. Threads
// order themselves by means that are not seen here, so anything finer would report races that are
// none. Any thread may call anything.

#include <mutex>
#include <span>
#include <string>
#include <unordered_map>

#include "driver/driver.h"
#include "platforms/cpu/adversary/arena.h"
#include "platforms/cpu/adversary/clock.h"
#include "platforms/cpu/adversary/report.h"
#include "platforms/cpu/adversary/shadow.h"

namespace cupola::cpu::adversary {

struct MemoryAccess {
  Range range;
  bool writes = false;
};

// The part of a launch that a piece of work is. Parts of one launch are free of each other,
// whatever their ranges say.
struct LaunchPart {
  std::size_t launch = 0;  // a hash of the stage and what it works on; 0: the work is no such part
  WorkPart part{};
};

// Whether the caller waits for the work in the call: then a forked child leaves it out.
enum class Caller : std::uint8_t { goes_on, waits };

class Checker {
 public:
  // `arena` must outlive the checker.
  Checker(const Arena& arena, Reporter reporter) : arena_(arena), report_(std::move(reporter)) {}

  void add_stream(StreamHandle stream);
  void remove_stream(StreamHandle stream);
  void add_event(EventHandle event);
  void remove_event(EventHandle event);

  // Work is about to be handed to `stream`. Returns what is over once the work is.
  Clock submit(StreamHandle stream, const std::string& name, std::span<const MemoryAccess> accesses,
               Caller caller = Caller::goes_on, const LaunchPart& part = {});
  void record(EventHandle event, StreamHandle stream);
  void wait(StreamHandle stream, EventHandle event);

  // What is over once the stream's work so far, or the event's last record, is.
  Clock clock_of(StreamHandle stream);
  Clock clock_of(EventHandle event);
  // The host knows that it is over.
  void observe(const Clock& clock);

  // Before the arena takes the block back: work that may still use it is a mistake.
  void free(const void* pointer, const char* name);

  std::mutex& mutex() { return mutex_; }  // held during a fork
  // For the only thread of a forked child, with mutex() held.
  void forget_lost_callers() { shadow_.forget_borrowed(); }

 private:
  struct StreamInfo {
    StreamNumber number;
    std::uint64_t submitted = 0;
    Clock clock;  // what the next work comes after, less what the host knows
  };

  // The parts of a launch that came so far.
  struct Parts {
    std::uint64_t number = 0;
    std::vector<WorkPart> parts;
  };

  // The same for parts that do not overlap: one that does begins the launch anew.
  std::uint64_t number_of(const LaunchPart& part);
  StreamInfo* find(StreamHandle stream, const char* what);
  Clock* find(EventHandle event, const char* what);
  void check_live(const Range& range, const Operation& operation);
  void report_race(const Operation& later, bool later_writes, const Conflict& conflict);
  std::string describe(const Operation& operation) const;

  const Arena& arena_;
  const Reporter report_;
  std::mutex mutex_;
  std::unordered_map<StreamHandle, StreamInfo> streams_;
  std::unordered_map<EventHandle, Clock> events_;
  Clock host_;
  Shadow shadow_;
  std::unordered_map<std::size_t, Parts> launches_;  // in parts
  std::unordered_map<std::size_t, Parts> earlier_launches_;
  std::uint64_t next_launch_ = 1;
  StreamNumber next_number_ = 1;
  std::size_t forget_at_ = 4096;  // segments of the shadow
};

}  // namespace cupola::cpu::adversary
