#pragma once
// Debugging of sources that are lent to copies (keepalive, borrow): one that changes before its
// copy is done is reported, as far as the change is seen.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "runtime/stream.h"

namespace cupola {

// CUPOLA_DEBUG_LENT=1 turns it on at the start. Checking costs reading every source twice.
void set_lent_checks(bool on);
bool lent_checks();

// Where reports go; on any thread, the platforms' own among them, which must not call a driver.
// Default: the standard error output.
void set_lent_report(std::function<void(const std::string&)> report);

// The source as it is now; does nothing while checks are off.
class LentCheck {
 public:
  LentCheck(const void* source, std::size_t bytes);
  // Compares when the work so far on the stream is done. The source must live until then.
  void queue(StreamState& stream) const;

 private:
  const void* source_;
  std::size_t bytes_;
  bool on_;
  std::uint64_t sum_ = 0;
};

}  // namespace cupola
