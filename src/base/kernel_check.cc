#include "base/kernel_check.h"

#include <atomic>

#include "base/environment.h"

namespace cupola {
namespace {

std::atomic<bool>& setting() {
  static std::atomic<bool> on{is_switched_on("CUPOLA_KERNEL_CHECK")};
  return on;
}

}  // namespace

bool checks_kernels() noexcept { return setting().load(std::memory_order_relaxed); }
void check_kernels(bool on) noexcept { setting().store(on, std::memory_order_relaxed); }

}  // namespace cupola
