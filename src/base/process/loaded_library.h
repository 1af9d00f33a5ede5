#pragma once

#include <string_view>

namespace cupola {

// Whether the process has a shared library of that file name, in whatever folder.
bool is_library_loaded(std::string_view file_name);

}  // namespace cupola
