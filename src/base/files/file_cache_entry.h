#pragma once
// The file of one entry: a header that says what it is, and the bytes.

#include <optional>
#include <string>
#include <string_view>

#include "base/containers/hash.h"

namespace cupola {

inline constexpr std::size_t kEntryHeaderBytes = 56;

std::string entry_header(const Hash128& key, std::string_view bytes);
// The bytes of a whole file; nothing for a file that is not the entry of this key, or was changed.
std::optional<std::string> entry_bytes(const Hash128& key, std::string file);

}  // namespace cupola
