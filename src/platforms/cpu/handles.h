#pragma once
// What stands behind the handles of streams and events.

#include <memory>
#include <mutex>

#include "base/mutex.h"
#include "driver/driver.h"
#include "platforms/cpu/stream.h"

namespace cupola {

struct DriverStream {
  std::shared_ptr<cpu::Stream> queue;
};

struct DriverEvent {
  explicit DriverEvent(const EventOptions& options_) : options(options_) {}
  const EventOptions options;
  Mutex mutex;
  std::shared_ptr<cpu::Completion> last;  // null: complete
  bool recorded = false;

  std::shared_ptr<cpu::Completion> current() {
    const std::lock_guard lock(mutex);
    return last;
  }
};

}  // namespace cupola
