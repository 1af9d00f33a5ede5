#pragma once
// What stands behind the handles of streams and events.

#include <memory>
#include <mutex>

#include "base/threads/mutex.h"
#include "driver/driver.h"
#include "platforms/cpu/streams/recording.h"
#include "platforms/cpu/streams/stream.h"

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
  cpu::Mark mark;  // of a capture that it was last recorded in, if it was

  bool is_marked() {
    const std::lock_guard lock(mutex);
    return mark.recording != nullptr;
  }
  std::shared_ptr<cpu::Completion> current() {
    const std::lock_guard lock(mutex);
    return last;
  }
};

}  // namespace cupola
