#include "platforms/cuda/compile/shipped_kernels.h"

#include <cuda.h>

#include "base/counters.h"
#include "base/files/archive.h"
#include "base/process/environment.h"
#include "base/threads/lazy.h"
#include "platforms/cuda/device/shared_library.h"

namespace cupola::cuda {
namespace {

// Opened once; empty where there is nothing to open.
const std::optional<Archive>& archive() {
  static constinit Lazy<const std::optional<Archive>> opened;
  return opened.get([]() -> std::optional<Archive> {
    const char* wanted = environment_value("CUPOLA_SHIPPED_KERNELS");
    if (wanted != nullptr && std::string_view(wanted) == "0") return std::nullopt;
    return Archive::open(own_folder() + "/cupola_kernels.bin");
  });
}

}  // namespace

std::optional<std::string> find_shipped(const Hash128& task) {
  // Drivers do not load code that compilers of a later major version made.
  if (const int major = driver_major(); major != 0 && major < CUDA_VERSION / 1000) return {};
  auto found = archive() ? archive()->find(task) : std::nullopt;
  if (found) count(Counter::compiled_found);
  return found;
}

}  // namespace cupola::cuda
