#pragma once
// What is known of keys: lists of words, which are compared as a whole.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/containers/hash.h"

namespace cupola {

inline std::uint64_t hash_of(std::span<const std::uint64_t> words) {
  return hash64(words.data(), words.size() * sizeof(std::uint64_t), 0);
}

// Forgets everything once it knows `kMost` keys. Of keys with equal hashes it knows the last.
template <typename Value, std::size_t kMost>
class KnownKeys {
 public:
  // Null: nothing is known.
  Value* find(std::span<const std::uint64_t> words) {
    const auto found = entries_.find(hash_of(words));
    if (found == entries_.end() || !std::ranges::equal(found->second.words, words)) return nullptr;
    return &found->second.value;
  }
  void learn(std::span<const std::uint64_t> words, Value value) {
    if (entries_.size() >= kMost) entries_.clear();
    entries_.insert_or_assign(hash_of(words),
                              Entry{{words.begin(), words.end()}, std::move(value)});
  }

 private:
  struct Entry {
    std::vector<std::uint64_t> words;
    Value value;
  };
  std::unordered_map<std::uint64_t, Entry> entries_;
};

}  // namespace cupola
