#include "platforms/cpu/adversary/shadow.h"

#include <algorithm>
#include <iterator>

#include "base/mutant.h"

namespace cupola::cpu::adversary {

std::optional<Conflict> Shadow::conflict_of(const Segments::value_type& segment,
                                            const Clock& before, bool with_reads,
                                            const Operation* later) {
  const auto& [first, state] = segment;
  const auto in = [&](const std::vector<OperationPointer>& earlier) {
    const auto found =
        std::find_if(earlier.begin(), earlier.end(), [&](const OperationPointer& operation) {
          return !before.includes(operation->moment) && !(later && later->goes_beside(*operation));
        });
    return found == earlier.end() ? nullptr : *found;
  };
  const Range range{first, state.last};
  if (const OperationPointer write = in(state.writes)) return {{write, true, range}};
  if (!with_reads || CUPOLA_MUTANT(shadow_without_reads)) return std::nullopt;
  if (const OperationPointer read = in(state.reads)) return {{read, false, range}};
  return std::nullopt;
}

void Shadow::split(Address address) {
  auto after = segments_.upper_bound(address);
  if (after == segments_.begin()) return;
  auto& [first, state] = *std::prev(after);
  if (first == address || state.last <= address) return;
  Segment rest = state;
  state.last = address;
  segments_.emplace_hint(after, address, std::move(rest));
}

Shadow::Segments::const_iterator Shadow::first_overlapping(Address address) const {
  auto found = segments_.upper_bound(address);
  if (found == segments_.begin()) return found;
  const auto before = std::prev(found);
  return before->second.last > address ? before : found;
}

template <typename Function>
void Shadow::for_segments(const Range& range, const Function& function) {
  split(range.first);
  split(range.last);
  Address covered = range.first;
  for (auto at = segments_.lower_bound(range.first);
       at != segments_.end() && at->first < range.last; ++at) {
    if (at->first > covered) {
      function(*segments_.emplace_hint(at, covered, Segment{at->first, {}, {}}));
    }
    function(*at);
    covered = at->second.last;
  }
  if (covered < range.last) {
    function(*segments_.emplace(covered, Segment{range.last, {}, {}}).first);
  }
}

std::optional<Conflict> Shadow::read(const Range& range, const OperationPointer& operation,
                                     const Clock& before) {
  if (range.is_empty()) return std::nullopt;
  std::optional<Conflict> found;
  for_segments(range, [&](Segments::value_type& segment) {
    if (!found) found = conflict_of(segment, before, false, operation.get());
    auto& reads = segment.second.reads;
    std::erase_if(reads, [&](const auto& read) { return before.includes(read->moment); });
    reads.push_back(operation);
  });
  return found;
}

std::optional<Conflict> Shadow::write(const Range& range, const OperationPointer& operation,
                                      const Clock& before) {
  if (range.is_empty()) return std::nullopt;
  const std::optional<Conflict> found = unfinished(range, before, operation.get());
  if (operation->launch == 0) {
    forget(range);
    segments_.emplace(range.first, Segment{range.last, {operation}, {}});
    return found;
  }
  const auto is_of_others = [&](const auto& earlier) { return !operation->goes_beside(*earlier); };
  for_segments(range, [&](Segments::value_type& segment) {
    std::erase_if(segment.second.writes, is_of_others);
    std::erase_if(segment.second.reads, is_of_others);
    segment.second.writes.push_back(operation);
  });
  return found;
}

std::optional<Conflict> Shadow::unfinished(const Range& range, const Clock& known) const {
  return unfinished(range, known, nullptr);
}

std::optional<Conflict> Shadow::unfinished(const Range& range, const Clock& known,
                                           const Operation* later) const {
  for (auto at = first_overlapping(range.first); at != segments_.end() && at->first < range.last;
       ++at) {
    if (auto conflict = conflict_of(*at, known, true, later)) {
      conflict->range.first = std::max(conflict->range.first, range.first);
      conflict->range.last = std::min(conflict->range.last, range.last);
      return conflict;
    }
  }
  return std::nullopt;
}

void Shadow::forget(const Range& range) {
  split(range.first);
  split(range.last);
  segments_.erase(segments_.lower_bound(range.first), segments_.lower_bound(range.last));
}

void Shadow::forget_borrowed() {
  for (auto& [first, segment] : segments_) {
    for (auto* operations : {&segment.writes, &segment.reads}) {
      std::erase_if(*operations, [](const auto& operation) { return operation->is_borrowed; });
    }
  }
}

void Shadow::forget(const Clock& known) {
  std::erase_if(segments_,
                [&](const auto& segment) { return !conflict_of(segment, known, true, nullptr); });
}

}  // namespace cupola::cpu::adversary
