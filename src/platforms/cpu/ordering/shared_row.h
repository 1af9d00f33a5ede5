#pragma once
// The keys of a row's elements where these lie, and of a row that is so long that several threads
// look for elements of some rank, and part it.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "platforms/cpu/interpreter/strided.h"
#include "platforms/cpu/ordering/key_selection.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {

inline constexpr std::int64_t kSharedChunk = 64 * 1024;  // elements that are worth a thread

// The elements of a row, where they lie.
struct RowValues {
  const char* first;
  std::int64_t stride;  // elements
  std::int64_t count;
};

// How keys and values of one dtype become each other.
template <typename Word>
class Keys {
 public:
  explicit Keys(DType dtype) : dtype_(dtype) {}

  void read(const RowValues& row, std::int64_t begin, std::int64_t count, Word* keys) const {
    select_functions().keys[static_cast<std::size_t>(dtype_)](keys, at(row, begin), row.stride,
                                                              count);
  }
  const char* at(const RowValues& row, std::int64_t i) const {
    return row.first + i * row.stride * static_cast<std::int64_t>(sizeof(Word));
  }
  // Zeros of both signs, and NaNs, have one key each.
  bool has_one_value(Word key) const {
    return !is_inexact(dtype_) || (key != kTop && key != static_cast<Word>(~Word(0)));
  }
  Word value(Word key) const {
    if (is_inexact(dtype_)) return static_cast<Word>((key & kTop) != 0 ? key ^ kTop : ~key);
    return static_cast<Word>(is_signed_integer() ? key ^ kTop : key);
  }

 private:
  static constexpr Word kTop = static_cast<Word>(Word(1) << (8 * sizeof(Word) - 1));
  bool is_signed_integer() const {
    return dtype_ == DType::int8 || dtype_ == DType::int16 || dtype_ == DType::int32 ||
           dtype_ == DType::int64;
  }
  const DType dtype_;
};

// The keys of a row that all threads share.
template <typename Word>
class SharedRow {
 public:
  SharedRow(const Keys<Word>& keys, const RowValues& row)
      : keys_(keys), row_(row), chunks_((row.count + kSharedChunk - 1) / kSharedChunk) {}

  std::int64_t size() const { return row_.count; }
  Word at(std::int64_t i) const {
    Word key;
    keys_.read(row_, i, 1, &key);
    return key;
  }
  void copy(Word* keys) const { keys_.read(row_, 0, row_.count, keys); }

  std::int64_t collect(std::span<KeyBounds<Word>> bounds, Word* collected) const {
    const std::size_t count = bounds.size();
    std::vector<KeyBounds<Word>> of_chunks;
    of_chunks.reserve(static_cast<std::size_t>(chunks_) * count);
    for (std::int64_t chunk = 0; chunk < chunks_; ++chunk) {
      for (const KeyBounds<Word>& each : bounds) of_chunks.push_back({each.low, each.high});
    }
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(chunks_));
    each_chunk([&](std::int64_t chunk) {
      const auto number = static_cast<std::size_t>(chunk);
      Word* const begin = collected + chunk * kSharedChunk;
      Word* end = begin;
      const auto own = std::span(of_chunks).subspan(number * count, count);
      each_tile(chunk, [&](const Word* keys, std::int64_t keys_count) {
        Word between[kKeysAtOnce + kMoreCollected];
        end = std::copy(between, collect_keys(keys, keys_count, own, between), end);
        return true;
      });
      sizes[number] = end - begin;
    });
    std::int64_t total = 0;
    for (std::int64_t chunk = 0; chunk < chunks_; ++chunk) {
      const auto number = static_cast<std::size_t>(chunk);
      std::memmove(collected + total, collected + chunk * kSharedChunk,
                   static_cast<std::size_t>(sizes[number]) * sizeof(Word));
      total += sizes[number];
      for (std::size_t i = 0; i < count; ++i) {
        const BoundCounts& more = of_chunks[number * count + i].counts;
        BoundCounts& sum = bounds[i].counts;
        sum = {sum.below + more.below, sum.at_low + more.at_low, sum.between + more.between,
               sum.at_high + more.at_high};
      }
    }
    return total;
  }

  // The place of an element: so many of its key come before it.
  std::int64_t place_of(const FoundKey<Word>& found) {
    if (counts_.empty() || counted_ != found.key) count(found.key);
    std::int64_t left = found.among, chunk = 0;
    while (chunk + 1 < chunks_ && left >= counts_[static_cast<std::size_t>(chunk)]) {
      left -= counts_[static_cast<std::size_t>(chunk++)];
    }
    std::int64_t place = chunk * kSharedChunk;
    each_tile(chunk, [&](const Word* keys, std::int64_t keys_count) {
      for (std::int64_t i = 0; i < keys_count; ++i) {
        if (keys[i] == found.key && left-- == 0) return place += i, false;
      }
      return place += keys_count, true;
    });
    return std::min(place, row_.count - 1);  // where others write meanwhile
  }

  // Into `parted`, around the found key.
  void part(const FoundKey<Word>& found, Word* parted) const {
    std::vector<BoundCounts> before(static_cast<std::size_t>(chunks_));
    each_chunk([&](std::int64_t chunk) {
      before[static_cast<std::size_t>(chunk)] = counts_of(chunk, found.key);
    });
    BoundCounts sums;
    for (BoundCounts& each : before) {
      const BoundCounts own = std::exchange(each, sums);
      sums.below += own.below;
      sums.at_low += own.at_low;
    }
    each_chunk([&](std::int64_t chunk) {
      const std::int64_t begin = chunk * kSharedChunk;
      const BoundCounts& done = before[static_cast<std::size_t>(chunk)];
      Word* const at = parted + sums.below + done.at_low;
      Word* const above = parted + sums.below + sums.at_low + begin - done.below - done.at_low;
      PartTargets targets{parted + done.below, at, above};
      Word values[kKeysAtOnce];
      std::int64_t i = begin;
      each_tile(chunk, [&](const Word* keys, std::int64_t count) {
        keep_within(targets, keys, count, found.key, parted + row_.count);
        const auto* in_row = reinterpret_cast<const Word*>(keys_.at(row_, i));
        if (row_.stride != 1) {
          gather_row(values, keys_.at(row_, i), row_.stride, count, sizeof(Word));
          in_row = values;
        }
        select_functions().part[kWordNumber<Word>](targets, in_row, keys, count, &found.key);
        i += count;
        return true;
      });
    });
  }

 private:
  // Keys like this in each chunk.
  void count(Word key) {
    counted_ = key;
    counts_.assign(static_cast<std::size_t>(chunks_), 0);
    each_chunk([&](std::int64_t chunk) {
      counts_[static_cast<std::size_t>(chunk)] = counts_of(chunk, key).at_low;
    });
  }
  // What others write meanwhile never leads out of the row.
  static void keep_within(PartTargets& targets, const Word* keys, std::int64_t count, Word pivot,
                          Word* end) {
    const auto far = [&](void* target) { return end - static_cast<Word*>(target) < count; };
    if (!far(targets.below) && !far(targets.at) && !far(targets.above)) return;
    BoundCounts own_counts;
    count_around(keys, count, pivot, own_counts);
    const auto clamp = [&](void* target, std::int64_t own) -> void* {
      return std::min(static_cast<Word*>(target), end - own);
    };
    const std::int64_t below = own_counts.below, equal = own_counts.at_low;
    targets = {clamp(targets.below, below), clamp(targets.at, equal),
               clamp(targets.above, count - below - equal)};
  }
  BoundCounts counts_of(std::int64_t chunk, Word key) const {
    BoundCounts counts;
    each_tile(chunk, [&](const Word* keys, std::int64_t keys_count) {
      count_around(keys, keys_count, key, counts);
      return true;
    });
    return counts;
  }
  template <typename Function>
  void each_chunk(const Function& function) const {
    parallel_for(chunks_, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t chunk = first; chunk < last; ++chunk) function(chunk);
    });
  }
  // As long as the function returns true.
  template <typename Function>
  void each_tile(std::int64_t chunk, const Function& function) const {
    Word keys[kKeysAtOnce];
    const std::int64_t end = std::min((chunk + 1) * kSharedChunk, row_.count);
    for (std::int64_t i = chunk * kSharedChunk; i < end; i += kKeysAtOnce) {
      const std::int64_t count = std::min(kKeysAtOnce, end - i);
      keys_.read(row_, i, count, keys);
      if (!function(keys, count)) return;
    }
  }

  const Keys<Word>& keys_;
  const RowValues row_;
  const std::int64_t chunks_;
  std::vector<std::int64_t> counts_;  // of the key that was counted last
  Word counted_ = 0;
};

}  // namespace cupola::cpu
