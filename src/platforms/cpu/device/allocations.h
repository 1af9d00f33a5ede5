#pragma once
// What an address of the CPU platform's memory is: every block that it handed out, and host memory
// of others that was pinned. Any thread.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "base/threads/mutex.h"
#include "driver/driver.h"

namespace cupola::cpu {

class Allocations {
 public:
  struct Range {
    std::size_t bytes = 0;
    PointerKind kind = PointerKind::unknown;
    int device = -1;
    bool foreign = false;  // pinned memory of others
  };

  void add(const void* pointer, const Range& range);
  // False, and nothing added, when it overlaps with another range.
  bool add_if_apart(const void* pointer, const Range& range);
  // What began at `pointer`; nothing if nothing did.
  std::optional<Range> remove(const void* pointer);
  // The range that holds the address.
  std::optional<Range> find(const void* pointer) const;

 private:
  using Address = std::uintptr_t;
  static Address address(const void* pointer) { return reinterpret_cast<Address>(pointer); }

  mutable Mutex mutex_;
  std::map<Address, Range> ranges_;
};

}  // namespace cupola::cpu
