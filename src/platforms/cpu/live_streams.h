#pragma once
// Every stream of the emulated devices, and the locks of their completions: what a fork must find
// whole and leave open in the child.

#include <condition_variable>
#include <mutex>
#include <unordered_set>

#include "platforms/cpu/stream.h"

namespace cupola::cpu {

// Shared by the completions whose address falls on it.
struct CompletionLock {
  std::mutex mutex;
  std::condition_variable changed;
};
CompletionLock& completion_lock(const Completion* completion);

class LiveStreams {
 public:
  static LiveStreams& instance();
  void add(Stream& stream);
  void remove(Stream& stream);
  // Gives a turn to every stream that has work and may go on.
  void schedule_all();

 private:
  LiveStreams();
  void before_fork();
  void in_parent();
  void in_child();
  void unlock_all();

  std::mutex mutex_;
  std::unordered_set<Stream*> streams_;
};

}  // namespace cupola::cpu
