#pragma once
// Who touched which bytes last: for every address the last write and the reads since. One thread
// at a time.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platforms/cpu/adversary/clock.h"

namespace cupola::cpu::adversary {

using Address = std::uintptr_t;

struct Range {
  Address first = 0;
  Address last = 0;  // one past the end
  bool is_empty() const { return first >= last; }
};

// One piece of work, shared by all that remember it.
struct Operation {
  std::string name;
  Moment moment;
  bool is_borrowed = false;  // by a caller that waits for it: a forked child leaves it out
  // Parts of one launch, which are free of each other, have the same number here; 0: no such part.
  std::uint64_t launch = 0;
  bool goes_beside(const Operation& other) const { return launch != 0 && launch == other.launch; }
};
using OperationPointer = std::shared_ptr<const Operation>;

struct Conflict {
  OperationPointer earlier;
  bool earlier_writes = false;
  Range range;
};

class Shadow {
 public:
  // Each remembers the access, and returns one that it races with: not included in `before`, at
  // least one of the two writes, and they are not parts of one launch.
  std::optional<Conflict> read(const Range& range, const OperationPointer& operation,
                               const Clock& before);
  std::optional<Conflict> write(const Range& range, const OperationPointer& operation,
                                const Clock& before);
  // An access that `known` does not include.
  std::optional<Conflict> unfinished(const Range& range, const Clock& known) const;
  void forget(const Range& range);
  // Forgets what borrowed operations did.
  void forget_borrowed();
  // Forgets everything that `known` includes.
  void forget(const Clock& known);
  std::size_t size() const { return segments_.size(); }

 private:
  struct Segment {
    Address last = 0;
    std::vector<OperationPointer> writes;  // the last one, or parts of one launch
    std::vector<OperationPointer> reads;   // since then, or by such parts
  };
  using Segments = std::map<Address, Segment>;

  // `later`: what it is looked at for; null: nothing that could be a part of the same launch.
  static std::optional<Conflict> conflict_of(const Segments::value_type& segment,
                                             const Clock& before, bool with_reads,
                                             const Operation* later);
  std::optional<Conflict> unfinished(const Range& range, const Clock& known,
                                     const Operation* later) const;
  // Calls it for all segments of the range, where there was none made for it.
  template <typename Function>
  void for_segments(const Range& range, const Function& function);
  // Makes `address` a border between segments, if it lies inside one.
  void split(Address address);
  Segments::const_iterator first_overlapping(Address address) const;

  Segments segments_;  // by first address
};

}  // namespace cupola::cpu::adversary
