#pragma once
// Calls of the platform that fail although nothing is wrong.

#include <cstdint>
#include <mutex>
#include <string>

#include "platforms/cpu/adversary/random.h"

namespace cupola::cpu::adversary {

// Any thread.
class Faults {
 public:
  // `which`: "k" fails the k-th call, once; "1/n" about one in n, chosen by the seed; empty none.
  // Throws ValueError for anything else.
  Faults(const std::string& which, std::uint64_t seed);

  // Before a call has any effect. Throws OutOfMemoryError for allocations, else DeviceError; the
  // message has the number of the call.
  void call(const char* name);
  void allocation(const char* name);

  void reset(const std::string& which, std::uint64_t seed);
  std::uint64_t calls() const;
  std::uint64_t failed() const;

  std::mutex& mutex() { return mutex_; }  // held during a fork

 private:
  bool fails(std::uint64_t& number);

  mutable std::mutex mutex_;
  Random random_;
  std::uint64_t calls_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t number_ = 0;  // the call that fails; 0: none
  std::uint64_t rate_ = 0;    // one in so many; 0: none
};

}  // namespace cupola::cpu::adversary
