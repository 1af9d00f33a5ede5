#include "platforms/cpu/simt/memory_checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace cupola::cpu {
namespace {

using cupola_simt::Access;
using cupola_simt::kStackBytes;
using cupola_simt::kWarp;

constexpr std::size_t kScalarBytes = 16;  // more are a structure's, which may have gaps

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

// Where it begins in the range; nothing (-1) unless all of it is inside.
std::ptrdiff_t place_in(const void* first, std::size_t size, const void* place, std::size_t bytes) {
  const std::uintptr_t offset = number(place) - number(first);
  return offset < size && bytes <= size - offset ? static_cast<std::ptrdiff_t>(offset) : -1;
}

bool is_in_one(std::span<const MemoryRange> ranges, const MemoryChecker::Use& use) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const MemoryRange& range) {
    return place_in(range.first, range.bytes, use.place, use.bytes) >= 0;
  });
}

// Addresses that the program keeps in arrays of its own lead to memory that is not known here.
bool leads_there(const MemoryRange& range, const void* place) {
  constexpr std::uintptr_t kReach = std::uintptr_t{1} << 26;
  if (!range.may_hold_addresses) return false;
  const auto* const words = static_cast<const std::uintptr_t*>(range.first);
  return std::any_of(words, words + range.bytes / sizeof(std::uintptr_t), [&](std::uintptr_t word) {
    return word > kReach && number(place) >= word && number(place) - word < kReach;
  });
}

const char* verb(Access access) {
  switch (access) {
    case Access::read:
      return "reads";
    case Access::write:
      return "writes";
    case Access::atomic:
      return "updates";
  }
  return "";
}

}  // namespace

bool MemoryChecker::Mark::races(const Use& use) const {
  if (caller == nullptr || thread == use.thread || epoch != use.epoch) return false;
  if (thread / kWarp == use.thread / kWarp && warp_epoch != use.warp_epoch) return false;
  return !(is_atomic && use.access == Access::atomic);
}

void MemoryChecker::begin(std::span<const std::byte> fixed, std::span<const std::byte> dynamic,
                          std::span<const MemoryRange> arrays, std::span<const MemoryRange> own) {
  fixed_ = fixed;
  dynamic_ = dynamic;
  arrays_ = arrays;
  own_ = own;
  fixed_bytes_.assign(fixed.size(), {});
  dynamic_bytes_.assign(dynamic.size(), {});
}

MemoryChecker::Finding MemoryChecker::check(const Use& use, const LineOf& line_of) {
  const std::ptrdiff_t fixed = place_in(fixed_.data(), fixed_.size(), use.place, use.bytes);
  if (fixed >= 0) return check_shared(use, fixed_bytes_, static_cast<std::size_t>(fixed), line_of);
  const std::ptrdiff_t dynamic = place_in(dynamic_.data(), dynamic_.size(), use.place, use.bytes);
  if (dynamic >= 0) {
    return check_shared(use, dynamic_bytes_, static_cast<std::size_t>(dynamic), line_of);
  }
  if (is_in_one(arrays_, use) || is_in_one(own_, use)) return {};
  for (const MemoryRange& range : arrays_) {
    if (leads_there(range, use.place)) return {};
  }
  return {outside(use, line_of)};
}

MemoryChecker::Finding MemoryChecker::check_shared(const Use& use, std::vector<Byte>& bytes,
                                                   std::size_t first, const LineOf& line_of) {
  const Mark own{use.caller, use.thread, use.epoch, use.warp_epoch, use.access == Access::atomic};
  std::size_t unwritten = 0;
  for (std::size_t i = first; i < first + use.bytes; ++i) {
    Byte& byte = bytes[i];
    const bool is_read = use.access == Access::read;
    for (const Mark* before : {&byte.writer, &byte.reader, &byte.other_reader}) {
      if ((is_read && before != &byte.writer) || !before->races(use)) continue;
      return {fmt::format(
          "a race on shared memory: {} its byte {}{}, which thread {} of the block {}{} with no "
          "barrier between them",
          verb(use.access), i, line_of(use.caller), before->thread,
          before == &byte.writer ? "writes" : "reads", line_of(before->caller))};
    }
    unwritten += byte.writer.caller == nullptr ? 1 : 0;
    if (use.access != Access::read) byte.writer = own;
    if (use.access != Access::write) {
      if (byte.reader.thread != use.thread) byte.other_reader = byte.reader;
      byte.reader = own;
    }
  }
  const bool is_uninitialised = use.bytes <= kScalarBytes ? unwritten > 0 : unwritten == use.bytes;
  if (use.access == Access::write || !is_uninitialised) return {};
  return {fmt::format("uninitialised shared memory: {} {} bytes from its byte {} on{}, which no "
                      "thread of the block has written",
                      verb(use.access), use.bytes, first, line_of(use.caller)),
          true};
}

std::string MemoryChecker::outside(const Use& use, const LineOf& line_of) const {
  constexpr std::uintptr_t kNear = std::uintptr_t{1} << 20;
  std::string nearest;
  std::uintptr_t least = kNear;
  const auto compare = [&](const void* memory, std::size_t bytes, const std::string& name) {
    const std::uintptr_t first = number(memory), last = first + bytes, place = number(use.place);
    const bool is_before = place < first;
    const std::uintptr_t distance = is_before ? first - place : place - std::min(last, place);
    if (bytes == 0 || distance >= least) return;
    least = distance;
    nearest = is_before ? fmt::format(", {} bytes in front of {}", distance, name)
                        : fmt::format(", {} bytes behind the end of {}", distance, name);
  };
  for (const MemoryRange& range : arrays_) compare(range.first, range.bytes, range.name);
  compare(fixed_.data(), fixed_.size(), "the shared variables");
  compare(dynamic_.data(), dynamic_.size(),
          fmt::format("the dynamic shared memory, {} bytes", dynamic_.size()));
  return fmt::format("an address out of range: {} {} bytes at {}{}{}, which no array has",
                     verb(use.access), use.bytes, use.place, line_of(use.caller), nearest);
}

}  // namespace cupola::cpu
