#pragma once
// Files that are there whole or not at all.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cupola {

// What begins so in a folder is being written by some process, or was when that process ended.
inline constexpr std::string_view kUnfinishedPrefix = ".unfinished-";

// Makes or replaces a file, mode 0600, in the open folder: readers in all processes see what was
// there before or all of `parts`, one after the other. False, and nothing left behind, where that
// cannot be done (no room, not allowed, ...).
bool write_whole_file(int folder, const std::string& name,
                      std::span<const std::string_view> parts) noexcept;

// Nothing where there is no such file of the caller's own that only the caller may write to, or it
// is larger than `most` bytes.
std::optional<std::string> read_own_file(int folder, const std::string& name, std::size_t most);

}  // namespace cupola
