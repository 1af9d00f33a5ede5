#include "base/process/loaded_library.h"

#include <link.h>

namespace cupola {

bool is_library_loaded(std::string_view file_name) {
  const auto is_it = [](dl_phdr_info* info, std::size_t, void* wanted) {
    const std::string_view path = info->dlpi_name;
    return static_cast<int>(path.substr(path.rfind('/') + 1) ==
                            *static_cast<const std::string_view*>(wanted));
  };
  return dl_iterate_phdr(is_it, &file_name) != 0;
}

}  // namespace cupola
