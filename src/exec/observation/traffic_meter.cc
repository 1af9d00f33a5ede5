#include "exec/observation/traffic_meter.h"

#include <array>
#include <atomic>
#include <mutex>

#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "runtime/observer.h"

namespace cupola {

namespace {

class TrafficMeter final : public Observer {
 public:
  static TrafficMeter& instance() {
    static constinit Lazy<TrafficMeter> meter;
    return *meter;
  }
  TrafficMeter() { lock_at_fork(ForkLayer::exec, mutex_); }

  void start() {
    const std::lock_guard lock(mutex_);
    if (starts_++ == 0) add_observer(*this);
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    if (starts_ > 0 && --starts_ == 0) remove_observer(*this);
  }
  MeteredTraffic sums() const {
    return {.kernels = kernels_.load(),
            .kernel_bytes = bytes_of(WorkKind::kernel),
            .to_device = bytes_of(WorkKind::to_device),
            .to_host = bytes_of(WorkKind::to_host),
            .between_devices = bytes_of(WorkKind::between_devices)};
  }

  void* work_begins(const Work& work) noexcept override {
    const bool is_kernel = work.kind == WorkKind::kernel;
    if (is_kernel) kernels_.fetch_add(1, std::memory_order_relaxed);
    // What is copied between devices is read there and written here.
    const bool is_once = work.kind == WorkKind::between_devices;
    const std::int64_t bytes = is_once ? work.bytes_read : work.bytes_read + work.bytes_written;
    bytes_[static_cast<std::size_t>(work.kind)].fetch_add(bytes, std::memory_order_relaxed);
    return nullptr;
  }

 private:
  std::int64_t bytes_of(WorkKind kind) const {
    return bytes_[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed);
  }

  std::mutex mutex_;
  int starts_ = 0;
  std::atomic<std::int64_t> kernels_{0};
  std::array<std::atomic<std::int64_t>, 4> bytes_{};  // by kinds
};

}  // namespace

void start_traffic_meter() { TrafficMeter::instance().start(); }
void stop_traffic_meter() { TrafficMeter::instance().stop(); }
MeteredTraffic metered_traffic() { return TrafficMeter::instance().sums(); }

}  // namespace cupola
