#include "base/containers/hash.h"

#include <fmt/format.h>

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cupola {

Hash128 hash128(std::string_view bytes) noexcept {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

std::uint64_t hash64(const void* bytes, std::size_t count, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(bytes, count, seed);
}

std::string to_string(const Hash128& hash) {
  return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

bool is_hash_text(std::string_view text) noexcept {
  return text.size() == 32 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace cupola
