#pragma once
// Every stream of the emulated devices, and the locks of their completions. A fork finds all of
// them whole, and their locks open (task_gate.h).

#include <unordered_set>

#include "platforms/cpu/streams/stream.h"

namespace cupola::cpu {

// Shared by the completions whose address falls on it.
GatedMutex& completion_lock(const Completion* completion);

class LiveStreams {
 public:
  LiveStreams();
  static LiveStreams& instance();
  void add(Stream& stream);
  void remove(Stream& stream);
  // Gives a turn to every stream that has work and may go on.
  void schedule_all();

 private:
  void in_child();

  GatedMutex mutex_;
  std::unordered_set<Stream*> streams_;
};

}  // namespace cupola::cpu
