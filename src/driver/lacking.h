#pragma once
// Parts of the interface that a platform may leave out.

#include <string_view>

namespace cupola {

// Throws LibraryError.
[[noreturn]] void throw_lacking(std::string_view what);

}  // namespace cupola
