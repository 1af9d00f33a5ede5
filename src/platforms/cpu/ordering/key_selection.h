#pragma once
// Which keys have given ranks. Some keys say between which bounds each rank's key lies, very
// probably; one pass over all counts what is around the bounds and collects what is between, of
// which the same is asked again (Floyd and Rivest, "Expected Time Bounds for Selection", 1975).
// Where keys that are so chosen mislead, a second pass has other bounds: results never depend on
// the choice.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "platforms/cpu/kernels/move_tables.h"
#include "platforms/cpu/kernels/select_tables.h"
#include "platforms/cpu/kernels/sort_tables.h"

namespace cupola::cpu {

inline constexpr std::int64_t kKeysAtOnce = 2048;

template <typename Word>
inline constexpr int kWordNumber = std::countr_zero(sizeof(Word));

template <typename Word>
struct FoundKey {
  Word key;
  std::int64_t among;  // how many of the same key come before it
};

template <typename Word>
struct KeyBounds {
  Word low, high;
  BoundCounts counts{};
};

// Counts keys around the bounds, which are in order and do not overlap, and appends to `collected`,
// which has room for kMoreCollected more, those that are between; returns where it ends.
template <typename Word>
Word* collect_keys(const Word* keys, std::int64_t count, std::span<KeyBounds<Word>> bounds,
                   Word* collected) {
  const auto collect = select_functions().collect[kWordNumber<Word>];
  if (collect != nullptr && bounds.size() == 1) {
    const Word both[] = {bounds[0].low, bounds[0].high};
    return collected + collect(keys, count, both, collected, bounds[0].counts);
  }
  bool is_between[kKeysAtOnce];
  std::int64_t wanted = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const std::int64_t before = bounds[i].counts.between;
    const Word both[] = {bounds[i].low, bounds[i].high};
    select_functions().tally[kWordNumber<Word>](keys, count, both, i > 0, is_between,
                                                bounds[i].counts);
    wanted += bounds[i].counts.between - before;
  }
  if (wanted == 0) return collected;
  move_functions().pick[kWordNumber<Word>](collected, keys, is_between, count, wanted);
  return collected + wanted;
}

// Adds the keys below the bound and at it.
template <typename Word>
void count_around(const Word* keys, std::int64_t count, Word bound, BoundCounts& counts) {
  constexpr int kNumber = kWordNumber<Word>;
  const SelectFunctions& functions = select_functions();
  const Word both[] = {bound, bound};
  bool is_between[kKeysAtOnce];
  for (std::int64_t i = 0; i < count; i += kKeysAtOnce) {
    const std::int64_t some = std::min(kKeysAtOnce, count - i);
    if (functions.collect[kNumber] != nullptr) {
      functions.collect[kNumber](keys + i, some, both, nullptr, counts);
    } else {
      functions.tally[kNumber](keys + i, some, both, false, is_between, counts);
    }
  }
}

// Keys that lie one behind the other.
template <typename Word>
class KeySpan {
 public:
  KeySpan(Word* keys, std::int64_t count) : keys_(keys), count_(count) {}
  std::int64_t size() const { return count_; }
  Word at(std::int64_t i) const { return keys_[i]; }
  void copy(Word* keys) const { std::copy(keys_, keys_ + count_, keys); }
  std::int64_t collect(std::span<KeyBounds<Word>> bounds, Word* collected) const {
    Word* end = collected;
    for (std::int64_t i = 0; i < count_; i += kKeysAtOnce) {
      end = collect_keys(keys_ + i, std::min(kKeysAtOnce, count_ - i), bounds, end);
    }
    return end - collected;
  }

 private:
  Word* keys_;
  std::int64_t count_;
};

template <typename Word>
std::unique_ptr<Word[]> make_words(std::int64_t count) {
  return std::make_unique_for_overwrite<Word[]>(static_cast<std::size_t>(count));
}

template <typename Word>
void sort_keys(Word* keys, std::int64_t count) {
  if constexpr (sizeof(Word) >= 4) {
    const SortFunctions& functions =
        sort_functions(sizeof(Word) == 4 ? DType::uint32 : DType::uint64);
    if (functions.sort != nullptr) return functions.sort(keys, count);
  }
  std::sort(keys, keys + count);
}

// Of sorted keys.
template <typename Word>
void find_sorted(const Word* keys, std::int64_t count, std::span<const std::int64_t> ranks,
                 FoundKey<Word>* found) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const Word key = keys[ranks[i]];
    found[i] = {key, ranks[i] - (std::lower_bound(keys, keys + count, key) - keys)};
  }
}

template <typename Word, typename Keys>
class KeySelection {
 public:
  KeySelection(const Keys& keys, std::span<const std::int64_t> ranks, FoundKey<Word>* found)
      : keys_(keys), ranks_(ranks), found_(found) {}

  void run() {
    constexpr std::int64_t kFew = 128;
    constexpr int kMaxPasses = 3;
    const std::int64_t count = keys_.size();
    if (count <= kFew || std::ssize(ranks_) > count / kFew) return sort_all();
    choose_bounds();
    collected_ = make_words<Word>(count + kMoreCollected);
    for (int pass = 0; pass < kMaxPasses; ++pass) {
      const std::int64_t between = keys_.collect(bounds_, collected_.get());
      if (!settle()) continue;
      return find_between(between);
    }
    sort_all();
  }

 private:
  static constexpr Word kLast = std::numeric_limits<Word>::max();

  void sort_all() {
    const std::int64_t count = keys_.size();
    if (!collected_) collected_ = make_words<Word>(count);
    keys_.copy(collected_.get());
    sort_keys(collected_.get(), count);
    find_sorted(collected_.get(), count, ranks_, found_);
  }

  // One key of each stretch, at a place that follows from its number alone and yet has no period.
  std::vector<Word> choose_keys() const {
    const std::int64_t count = keys_.size();
    const auto most = static_cast<std::int64_t>(std::pow(static_cast<double>(count), 2.0 / 3));
    const std::int64_t chosen = std::clamp<std::int64_t>(most, 64, 16384);
    const std::int64_t stretch = count / chosen;
    std::vector<Word> keys(static_cast<std::size_t>(chosen));
    for (std::int64_t i = 0; i < chosen; ++i) {
      const auto hash = static_cast<std::uint32_t>(i * 0x9E3779B1);
      const std::uint64_t within = hash * static_cast<std::uint64_t>(stretch) >> 32;
      keys[static_cast<std::size_t>(i)] = keys_.at(i * stretch + static_cast<std::int64_t>(within));
    }
    return keys;
  }

  // Puts the keys of these ranks, which ascend, to their places.
  static void bring_to(std::span<const std::int64_t> ranks, std::vector<Word>& keys) {
    constexpr std::int64_t kFew = 512;
    if (std::ssize(keys) <= kFew) return sort_keys(keys.data(), std::ssize(keys));
    std::vector<FoundKey<Word>> found(ranks.size());
    const KeySpan<Word> span(keys.data(), std::ssize(keys));
    KeySelection<Word, KeySpan<Word>>(span, ranks, found.data()).run();
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      keys[static_cast<std::size_t>(ranks[i])] = found[i].key;
    }
  }

  void choose_bounds() {
    std::vector<Word> chosen = choose_keys();
    const auto size = static_cast<double>(chosen.size());
    constexpr double kDeviations = 3.5;
    // Places among the chosen keys; beyond their ends there is no bound.
    std::vector<double> lows, highs;
    for (const std::int64_t rank : ranks_) {
      const double share = (static_cast<double>(rank) + 0.5) / static_cast<double>(keys_.size());
      const double far = kDeviations * std::sqrt(size * share * (1 - share)) + 1;
      lows.push_back(std::floor(share * size - far));
      highs.push_back(std::ceil(share * size + far));
    }
    for (std::size_t i = ranks_.size() - 1; i > 0; --i)
      lows[i - 1] = std::min(lows[i - 1], lows[i]);
    for (std::size_t i = 1; i < ranks_.size(); ++i) highs[i] = std::max(highs[i], highs[i - 1]);

    std::vector<std::int64_t> places;
    for (const std::vector<double>* all : {&lows, &highs}) {
      for (const double place : *all) {
        if (place >= 0 && place < size) places.push_back(static_cast<std::int64_t>(place));
      }
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    bring_to(places, chosen);
    const auto key_at = [&](double place) {
      if (place < 0) return Word(0);
      return place >= size ? kLast : chosen[static_cast<std::size_t>(place)];
    };
    for (std::size_t i = 0; i < ranks_.size(); ++i) add(key_at(lows[i]), key_at(highs[i]));
  }

  void add(Word low, Word high) {
    if (!bounds_.empty() && low < bounds_.back().high) {
      bounds_.back().high = std::max(bounds_.back().high, high);
    } else {
      bounds_.push_back({low, high});
    }
  }

  // Which keys the bounds' counts tell, and which ranks lie between. False: some lie elsewhere, and
  // the bounds are others.
  bool settle() {
    inner_.clear();
    numbers_.clear();
    std::vector<KeyBounds<Word>> others;
    std::size_t i = 0;
    std::int64_t before = 0;  // collected ones between lower bounds
    bool is_settled = true;
    for (std::size_t k = 0; k < ranks_.size(); ++k) {
      const auto end = [&] {
        const BoundCounts& counts = bounds_[i].counts;
        return counts.below + counts.at_low + counts.between + counts.at_high;
      };
      while (i + 1 < bounds_.size() && ranks_[k] >= end()) before += bounds_[i++].counts.between;
      const KeyBounds<Word>& bounds = bounds_[i];
      std::int64_t rank = ranks_[k] - bounds.counts.below;
      if (rank < 0) {
        is_settled = false;
        others.push_back({0, bounds.low});
      } else if (rank < bounds.counts.at_low) {
        found_[k] = {bounds.low, rank};
        others.push_back({bounds.low, bounds.low});
      } else if ((rank -= bounds.counts.at_low) < bounds.counts.between) {
        inner_.push_back(before + rank);
        numbers_.push_back(k);
        others.push_back({bounds.low, bounds.high});
      } else if ((rank -= bounds.counts.between) < bounds.counts.at_high) {
        found_[k] = {bounds.high, rank};
        others.push_back({bounds.high, bounds.high});
      } else {
        is_settled = false;
        others.push_back({bounds.high, kLast});
      }
    }
    if (is_settled) return true;
    bounds_.clear();
    std::sort(others.begin(), others.end(), [](const auto& a, const auto& b) {
      return a.low < b.low || (a.low == b.low && a.high < b.high);
    });
    for (const KeyBounds<Word>& other : others) add(other.low, other.high);
    return false;
  }

  void find_between(std::int64_t count) {
    if (inner_.empty()) return;
    std::vector<FoundKey<Word>> found(inner_.size());
    if (count > keys_.size() / 8 * 7) {  // chosen keys that tell nothing
      sort_keys(collected_.get(), count);
      find_sorted(collected_.get(), count, inner_, found.data());
    } else {
      const KeySpan<Word> span(collected_.get(), count);
      KeySelection<Word, KeySpan<Word>>(span, inner_, found.data()).run();
    }
    for (std::size_t i = 0; i < numbers_.size(); ++i) found_[numbers_[i]] = found[i];
  }

  const Keys& keys_;
  const std::span<const std::int64_t> ranks_;  // ascending
  FoundKey<Word>* const found_;
  std::vector<KeyBounds<Word>> bounds_;
  std::unique_ptr<Word[]> collected_;
  std::vector<std::int64_t> inner_;   // ranks among what is collected
  std::vector<std::size_t> numbers_;  // of these ranks
};

// `ranks` ascend and are places of keys.
template <typename Word, typename Keys>
void find_keys(const Keys& keys, std::span<const std::int64_t> ranks, FoundKey<Word>* found) {
  KeySelection<Word, Keys>(keys, ranks, found).run();
}

}  // namespace cupola::cpu
