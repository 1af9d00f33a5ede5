#include "driver/set/past_work.h"

#include <algorithm>
#include <utility>

namespace cupola {

namespace {

constexpr std::size_t kMostWorks = 6;
constexpr std::size_t kMostRanges = 64;  // of several works that are told of as one

bool meets(const TouchedMemory& a, const TouchedMemory& b) {
  return (a.writes || b.writes) && a.first < b.end && b.first < a.end;
}

void add_range(std::vector<TouchedMemory>& memory, const TouchedMemory& range) {
  const auto adjoins = std::ranges::find_if(memory, [&](const TouchedMemory& other) {
    return other.writes == range.writes && other.first <= range.end && range.first <= other.end;
  });
  if (adjoins == memory.end()) return memory.push_back(range);
  adjoins->first = std::min(adjoins->first, range.first);
  adjoins->end = std::max(adjoins->end, range.end);
}

}  // namespace

void PastWork::begin(Point point) {
  for (const Work& work : works_) keep_spare(work.end.event);
  works_.clear();
  works_.push_back({point, true, {}});
}

void PastWork::add(std::vector<TouchedMemory> memory, Point point) {
  works_.push_back({point, false, std::move(memory)});
  if (works_.size() > kMostWorks) join_oldest();
}

// The first one touches everything; who meets the two behind it need not wait for them.
void PastWork::join_oldest() {
  const auto oldest = works_.begin() + 1;
  Work& joined = *(oldest + 1);
  for (const TouchedMemory& range : oldest->memory) add_range(joined.memory, range);
  keep_spare(oldest->end.event);
  if (joined.memory.size() <= kMostRanges) {
    works_.erase(oldest);
    return;
  }
  joined.touches_all = true;
  joined.memory.clear();
  keep_spare(works_.front().end.event);
  works_.erase(works_.begin(), oldest + 1);
}

PastWork::Point PastWork::met_by(std::span<const TouchedMemory> memory) const {
  const auto is_met = [&](const Work& work) {
    return work.touches_all || std::ranges::any_of(memory, [&](const TouchedMemory& range) {
             return std::ranges::any_of(
                 work.memory, [&](const TouchedMemory& other) { return meets(range, other); });
           });
  };
  const auto met = std::find_if(works_.rbegin(), works_.rend(), is_met);
  return met == works_.rend() ? Point{} : met->end;
}

EventHandle PastWork::take_spare() {
  if (spare_.empty()) return nullptr;
  const EventHandle event = spare_.back();
  spare_.pop_back();
  return event;
}

std::vector<EventHandle> PastWork::take_all() {
  for (const Work& work : works_) keep_spare(work.end.event);
  works_.clear();
  return std::exchange(spare_, {});
}

}  // namespace cupola
