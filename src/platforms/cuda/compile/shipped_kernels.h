#pragma once
// Kernels that were compiled when the package was built: the file cupola_kernels.bin beside this
// library (made by tools/ship_kernels.cc), which may be missing.

#include <optional>
#include <string>

#include "base/containers/hash.h"

namespace cupola::cuda {

// The machine code of a task (see compiled_code.h). Nothing where it did not ship, or where
// CUPOLA_SHIPPED_KERNELS=0 says that it is not wanted.
std::optional<std::string> find_shipped(const Hash128& task);

}  // namespace cupola::cuda
