#include "driver/lacking.h"

#include <fmt/format.h>

#include "cupola/error.h"

namespace cupola {

void throw_lacking(std::string_view what) {
  throw LibraryError(fmt::format("this platform has no {}", what));
}

}  // namespace cupola
