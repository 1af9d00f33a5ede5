#pragma once
// Fingerprints of bytes by XXH3: the same in every process and on every machine. They tell apart
// what differs by chance, not what somebody made to look alike.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cupola {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
};

Hash128 hash128(std::string_view bytes) noexcept;
// For tables in memory. `seed` may be the hash of what came before.
std::uint64_t hash64(const void* bytes, std::size_t count, std::uint64_t seed) noexcept;

// 32 hexadecimal digits.
std::string to_string(const Hash128& hash);
// False where the text is not what to_string() makes.
bool is_hash_text(std::string_view text) noexcept;

}  // namespace cupola
