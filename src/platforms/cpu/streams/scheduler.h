#pragma once
// Who decides when the work of streams runs. Without a scheduler the thread pool runs it as soon
// as it can; the hostile platform has one that does not (adversary/schedule.h).

#include <functional>
#include <memory>

namespace cupola::cpu {

class Stream;

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // The stream has work that may run.
  virtual void ready(std::shared_ptr<Stream> stream) = 0;
  // Whether small work of an idle stream may run within the call that brings it.
  virtual bool runs_at_once() = 0;
  // Work was brought, or a wait. Called without locks of the stream; may run work of any.
  virtual void called() = 0;
  // Somebody asked whether something is done, and may do so again until it is.
  virtual void polled() = 0;
  // Runs work of any streams, `wanted` (if given) or those that it waits for among them, until
  // done(), which is called without locks.
  virtual void run_until(const Stream* wanted, const std::function<bool()>& done) = 0;
  // Runs a function that may block on a thread of its own, and waits a little for its end.
  virtual void run_apart(std::function<void()> function) = 0;
};

}  // namespace cupola::cpu
