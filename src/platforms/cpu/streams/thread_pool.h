#pragma once
// The threads that all emulated devices share. No thread starts before work needs it; a forked
// child starts its own.

#include <cstdint>
#include <functional>
#include <type_traits>

namespace cupola::cpu {

// Threads that work at the same time.
int pool_size();

// Runs `function` on a pool thread, soon. It must not throw.
void enqueue(std::function<void()> function);

// Lent for the duration of a call.
class RangeFunction {
 public:
  template <typename Function>
  RangeFunction(const Function& function)  // NOLINT: converts on purpose
      : object_(&function), call_([](const void* object, std::int64_t first, std::int64_t last) {
          (*static_cast<const Function*>(object))(first, last);
        }) {}
  void operator()(std::int64_t first, std::int64_t last) const { call_(object_, first, last); }

 private:
  const void* object_;
  void (*call_)(const void*, std::int64_t, std::int64_t);
};

// Calls function(first, last) for ranges that cover [0, count), each of at least `grain` (but the
// rest), on this thread and the pool; returns when all are done. What one of them throws is thrown.
void parallel_for(std::int64_t count, std::int64_t grain, RangeFunction function);

// For a thread that would wait: runs a range of a loop that another thread is at. False: there is
// none that it may help.
bool help_once();

// While one lives, a thread's loops have ranges that may take long: no thread that waits runs any,
// since it could not be interrupted meanwhile.
class LongLoops {
 public:
  explicit LongLoops(bool are_long);
  ~LongLoops();
  LongLoops(const LongLoops&) = delete;
  LongLoops& operator=(const LongLoops&) = delete;

 private:
  const bool before_;
};

// Nanoseconds of one thread that others are called for: to wake one takes tens of microseconds, and
// the fewer there are the less they save.
std::int64_t least_shared_cost();
// The grain of items that take one thread so many nanoseconds each.
std::int64_t grain_for(double cost_per_item);
// Nanoseconds to read as many bytes, in order.
constexpr double cost_to_read(std::int64_t bytes) { return 0.025 * static_cast<double>(bytes); }

// While one lives, loops run on the threads that called parallel_for(), and pool threads join none:
// for a library that computes on threads of its own, as many as there are cores. Its threads wait
// for one another by spinning, so that ours beside them cost both many times their share.
// The constructor waits for another one to end, and until pool threads have finished the ranges
// that they are at. Not for use within a parallel_for().
class PoolPause {
 public:
  PoolPause();
  ~PoolPause();
  PoolPause(const PoolPause&) = delete;
  PoolPause& operator=(const PoolPause&) = delete;
};

}  // namespace cupola::cpu
