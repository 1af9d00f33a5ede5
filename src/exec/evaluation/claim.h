#pragma once
// What a kernel is to store: pending arrays that belong to one thread until it has, and memory for
// them.

#include <mutex>
#include <vector>

#include "base/threads/mutex.h"
#include "codegen/planner.h"
#include "cupola/array.h"

namespace cupola {

// The arrays that one kernel computes, each claimed for this thread as long as it lives. Whoever
// holds some of them waits for nothing but others, in one order.
class Claim {
 public:
  explicit Claim(const std::vector<Array>& arrays);
  // Those that no other thread has computed meanwhile.
  const std::vector<Array>& pending() const { return pending_; }

 private:
  std::vector<Array> arrays_;
  std::vector<std::unique_lock<Mutex>> locks_;
  std::vector<Array> pending_;
};

// Where a pending array is to be stored; nobody else sees it before publish().
Array allocate_for(const Array& pending);
// Each array into such memory.
std::vector<Write> writes_for(const std::vector<Array>& pending);

}  // namespace cupola
