#include "memory/pressure/holders.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/text/byte_units.h"
#include "core/device_sets.h"
#include "memory/history.h"

namespace cupola {

namespace {

constexpr std::size_t kNamed = 3;

struct Holder {
  std::string place;  // empty: not known
  std::size_t bytes = 0;
  std::size_t arrays = 0;
};

std::string place_of(const Site& site) {
  if (!site || site->empty()) return {};
  const Frame& frame = site->front();
  return fmt::format("{}:{} ({})", frame.file, frame.line, frame.function);
}

// By place, and by size where that is not known; the largest first.
std::vector<Holder> find_holders(const Device& device) {
  std::map<std::pair<std::string, std::size_t>, Holder> found;
  for (const SegmentSnapshot& segment : snapshot_segments()) {
    if (!overlap(segment.device, device)) continue;
    for (const BlockSnapshot& block : segment.blocks) {
      if (!block.is_live) continue;
      std::string place = place_of(block.site);
      Holder& holder = found[{place, place.empty() ? block.bytes : 0}];
      holder.place = std::move(place);
      holder.bytes += block.bytes;
      ++holder.arrays;
    }
  }
  std::vector<Holder> result;
  for (auto& [key, holder] : found) result.push_back(std::move(holder));
  std::ranges::stable_sort(result, std::greater<>{}, &Holder::bytes);
  return result;
}

std::string describe(const Holder& holder) {
  return fmt::format("{} in {} {}{}", in_byte_units(holder.bytes), holder.arrays,
                     holder.arrays == 1 ? "array" : "arrays",
                     holder.place.empty() ? "" : " made at " + holder.place);
}

}  // namespace

std::string largest_holders(const Device& device) {
  std::vector<Holder> holders = find_holders(device);
  if (holders.empty()) return {};
  const bool is_known =
      std::ranges::any_of(holders, [](const Holder& each) { return !each.place.empty(); });
  if (holders.size() > kNamed) holders.resize(kNamed);
  std::string text;
  for (const Holder& holder : holders) text += (text.empty() ? "" : ", ") + describe(holder);
  return "; most is held by " + text +
         (is_known ? "" : " (cupola.record_memory_history() beforehand tells the lines)");
}

}  // namespace cupola
