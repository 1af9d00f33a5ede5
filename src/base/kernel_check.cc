#include "base/kernel_check.h"

#include "base/environment.h"

namespace cupola {

bool checks_kernels() noexcept {
  static const bool on = is_switched_on("CUPOLA_KERNEL_CHECK");
  return on;
}

}  // namespace cupola
