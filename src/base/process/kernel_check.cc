#include "base/process/kernel_check.h"

#include <atomic>

#include "base/process/environment.h"

namespace cupola {
namespace {

enum Setting : int { kNotSet, kOff, kOn };
std::atomic<int> setting{kNotSet};

}  // namespace

bool checks_kernels() noexcept {
  const int set = setting.load(std::memory_order_relaxed);
  return set == kNotSet ? is_switched_on("CUPOLA_KERNEL_CHECK") : set == kOn;
}

void set_checks_kernels(bool on) noexcept {
  setting.store(on ? kOn : kOff, std::memory_order_relaxed);
}

}  // namespace cupola
