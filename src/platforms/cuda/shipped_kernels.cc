#include "platforms/cuda/shipped_kernels.h"

#include <cstdlib>
#include <mutex>

#include "base/archive.h"
#include "base/counters.h"
#include "base/mutex.h"
#include "platforms/cuda/shared_library.h"

namespace cupola::cuda {
namespace {

// Opened once; empty where there is nothing to open.
const std::optional<Archive>& archive() {
  static constinit Mutex mutex;
  static constinit std::atomic<const std::optional<Archive>*> opened{nullptr};
  if (const auto* known = opened.load(std::memory_order_acquire)) return *known;
  const std::scoped_lock lock(mutex);
  if (const auto* known = opened.load(std::memory_order_acquire)) return *known;
  const char* wanted = std::getenv("CUPOLA_SHIPPED_KERNELS");
  const bool unwanted = wanted != nullptr && std::string_view(wanted) == "0";
  const auto* made = new std::optional<Archive>(
      unwanted ? std::nullopt : Archive::open(own_folder() + "/cupola_kernels.bin"));
  opened.store(made, std::memory_order_release);
  return *made;
}

}  // namespace

std::optional<std::string> find_shipped(const Hash128& task) {
  auto found = archive() ? archive()->find(task) : std::nullopt;
  if (found) count(Counter::compiled_found);
  return found;
}

}  // namespace cupola::cuda
