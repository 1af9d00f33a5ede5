#include "platforms/cpu/interpreter/stages.h"

#include <algorithm>

namespace cupola::cpu {

std::unique_ptr<Stages::Line[]> Stages::make_lines(std::size_t bytes) {
  return std::make_unique_for_overwrite<Line[]>((bytes + sizeof(Line) - 1) / sizeof(Line));
}

char* Stages::take(std::size_t bytes) {
  const std::size_t lines = (bytes + sizeof(Line) - 1) / sizeof(Line);
  if (what_ == What::all && !scratch_) {
    taken_.push_back(make_lines(bytes));
    return taken_.back()[0].bytes;
  }
  const std::size_t offset = counted_.scratch_bytes;
  counted_.scratch_bytes += lines * sizeof(Line);
  return what_ == What::count ? nullptr : scratch_ + offset;
}

bool Stages::begin(bool divides) {
  const int stage = next_++;
  if (what_ != What::count) return what_ == What::all || stage == wanted_;
  bool& known = counted_.divides[static_cast<std::size_t>(stage)];
  known = divides && (known || stage >= counted_.count);
  counted_.count = std::max(counted_.count, next_);
  return false;
}

void Stages::loop(std::int64_t items, std::int64_t grain, RangeFunction function) {
  if (!begin(items > 1)) return;
  if (stays_) grain = items;
  if (what_ == What::all) return parallel_for(items, grain, function);
  const BlockRange range = cut(part_, items, elements_);
  parallel_for(range.end - range.first, grain, [&](std::int64_t first, std::int64_t last) {
    function(range.first + first, range.first + last);
  });
}

void Stages::in_order(std::int64_t items, RangeFunction function) {
  if (begin(false)) function(0, items);
}

}  // namespace cupola::cpu
