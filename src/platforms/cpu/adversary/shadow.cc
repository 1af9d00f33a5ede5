#include "platforms/cpu/adversary/shadow.h"

#include <algorithm>
#include <iterator>

namespace cupola::cpu::adversary {

std::optional<Conflict> Shadow::conflict_of(const Segments::value_type& segment,
                                            const Clock& before, bool with_reads) {
  const auto& [first, state] = segment;
  const Range range{first, state.last};
  if (state.write && !before.includes(state.write->moment)) return {{state.write, true, range}};
  if (!with_reads) return std::nullopt;
  for (const OperationPointer& read : state.reads) {
    if (!before.includes(read->moment)) return {{read, false, range}};
  }
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

std::optional<Conflict> Shadow::read(const Range& range, const OperationPointer& operation,
                                     const Clock& before) {
  if (range.is_empty()) return std::nullopt;
  split(range.first);
  split(range.last);
  std::optional<Conflict> found;
  Address covered = range.first;
  for (auto at = segments_.lower_bound(range.first);
       at != segments_.end() && at->first < range.last; ++at) {
    if (at->first > covered)
      segments_.emplace_hint(at, covered, Segment{at->first, {}, {operation}});
    if (!found) found = conflict_of(*at, before, false);
    auto& reads = at->second.reads;
    std::erase_if(reads, [&](const auto& read) { return before.includes(read->moment); });
    reads.push_back(operation);
    covered = at->second.last;
  }
  if (covered < range.last) segments_.emplace(covered, Segment{range.last, {}, {operation}});
  return found;
}

std::optional<Conflict> Shadow::write(const Range& range, const OperationPointer& operation,
                                      const Clock& before) {
  if (range.is_empty()) return std::nullopt;
  const std::optional<Conflict> found = unfinished(range, before);
  forget(range);
  segments_.emplace(range.first, Segment{range.last, operation, {}});
  return found;
}

std::optional<Conflict> Shadow::unfinished(const Range& range, const Clock& known) const {
  for (auto at = first_overlapping(range.first); at != segments_.end() && at->first < range.last;
       ++at) {
    if (auto conflict = conflict_of(*at, known, true)) {
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
    if (segment.write && segment.write->is_borrowed) segment.write = nullptr;
    std::erase_if(segment.reads, [](const auto& read) { return read->is_borrowed; });
  }
}

void Shadow::forget(const Clock& known) {
  std::erase_if(segments_, [&](const auto& segment) { return !conflict_of(segment, known, true); });
}

}  // namespace cupola::cpu::adversary
