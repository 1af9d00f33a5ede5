#include "platforms/skeleton/skeleton_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>
#include <new>
#include <utility>

#include "cupola/error.h"

// What the handles point to.
namespace cupola {
struct DriverStream {};
struct DriverEvent {
  EventOptions options;
  std::chrono::steady_clock::time_point recorded{};
};
}  // namespace cupola

namespace cupola::skeleton {
namespace {

constexpr std::align_val_t kAlignment{256};

struct PlanKernel : Kernel {
  explicit PlanKernel(const KernelPlan& plan) : its(plan) {}
  const KernelPlan& plan() const override { return its; }
  const KernelPlan its;
};

}  // namespace

void SkeletonDriver::check_device(int device) const {
  if (device != 0) throw DeviceError(fmt::format("there is no device {}", device));
}

DeviceProperties SkeletonDriver::properties(int device) {
  check_device(device);
  DeviceProperties properties;
  properties.name = "skeleton";
  properties.total_memory = total_;
  properties.multiprocessors = 1;
  return properties;
}

MemoryInfo SkeletonDriver::memory_info(int device) {
  check_device(device);
  const std::lock_guard lock(mutex_);
  return {total_ - used_, total_};
}

void* SkeletonDriver::allocate(int device, std::size_t bytes, MemoryKind kind) {
  check_device(device);
  const std::lock_guard lock(mutex_);
  void* const memory =
      bytes > total_ - used_ ? nullptr : ::operator new(bytes, kAlignment, std::nothrow);
  if (memory == nullptr) {
    throw OutOfMemoryError(
        fmt::format("{} bytes were asked for, {} are free", bytes, total_ - used_));
  }
  used_ += bytes;
  blocks_.emplace(static_cast<const std::byte*>(memory), std::pair{bytes, kind});
  return memory;
}

void SkeletonDriver::deallocate(int, void* pointer, std::size_t bytes, MemoryKind) noexcept {
  const std::lock_guard lock(mutex_);
  if (blocks_.erase(static_cast<const std::byte*>(pointer)) == 0) return;
  used_ -= bytes;
  ::operator delete(pointer, kAlignment);
}

PointerInfo SkeletonDriver::describe(const void* pointer) {
  const std::lock_guard lock(mutex_);
  const auto* const address = static_cast<const std::byte*>(pointer);
  auto found = blocks_.upper_bound(address);
  if (found == blocks_.begin()) return {};
  --found;
  const auto [bytes, kind] = found->second;
  if (address >= found->first + bytes) return {};
  switch (kind) {
    case MemoryKind::device:
      return {PointerKind::device, 0};
    case MemoryKind::pinned:
      return {PointerKind::pinned, 0};
    case MemoryKind::managed:
      return {PointerKind::managed, 0};
  }
  return {};
}

StreamHandle SkeletonDriver::create_stream(int device, const StreamOptions&) {
  check_device(device);
  return new DriverStream;
}

void SkeletonDriver::destroy_stream(StreamHandle stream) noexcept { delete stream; }

EventHandle SkeletonDriver::create_event(int device, const EventOptions& options) {
  check_device(device);
  return new DriverEvent{options};
}

void SkeletonDriver::destroy_event(EventHandle event) noexcept { delete event; }

void SkeletonDriver::record(EventHandle event, StreamHandle) {
  event->recorded = std::chrono::steady_clock::now();
}

double SkeletonDriver::elapsed_milliseconds(EventHandle first, EventHandle last) {
  for (const EventHandle event : {first, last}) {
    if (!event->options.timing) throw ValueError("the event was made without timing");
    if (event->recorded == std::chrono::steady_clock::time_point{}) {
      throw ValueError("the event was not recorded");
    }
  }
  return std::chrono::duration<double, std::milli>(last->recorded - first->recorded).count();
}

void SkeletonDriver::run_on_host(std::function<void()> function, StreamHandle) { function(); }

void SkeletonDriver::run_beside(std::function<void(Done)> begin, StreamHandle) {
  auto is_done = std::make_shared<std::promise<void>>();
  std::future<void> done = is_done->get_future();
  begin([is_done] { is_done->set_value(); });
  done.wait();
}

void SkeletonDriver::copy_from_host(void* target, const void* source, std::size_t bytes,
                                    StreamHandle) {
  std::memcpy(target, source, bytes);
}

void SkeletonDriver::copy_to_host(void* target, const void* source, std::size_t bytes,
                                  StreamHandle) {
  std::memcpy(target, source, bytes);
}

void SkeletonDriver::copy_from_host_async(void* target, const void* source, std::size_t bytes,
                                          StreamHandle) {
  std::memcpy(target, source, bytes);
}

void SkeletonDriver::copy_to_host_async(void* target, const void* source, std::size_t bytes,
                                        StreamHandle) {
  std::memcpy(target, source, bytes);
}

void SkeletonDriver::copy(void* target, int, const void* source, int, std::size_t bytes,
                          StreamHandle) {
  std::memmove(target, source, bytes);
}

void SkeletonDriver::fill_bytes(void* target, std::uint8_t value, std::size_t bytes, StreamHandle) {
  std::memset(target, value, bytes);
}

std::shared_ptr<Kernel> SkeletonDriver::build(const KernelPlan& plan, int device) {
  check_device(device);
  return std::make_shared<PlanKernel>(plan);
}

void SkeletonDriver::launch(const std::shared_ptr<Kernel>&, const LaunchArguments& arguments,
                            StreamHandle) {
  if (std::find(arguments.extents.begin(), arguments.extents.end(), 0) != arguments.extents.end()) {
    return;
  }
  throw LaunchError("the skeleton has no compiler: kernels are not launched");
}

}  // namespace cupola::skeleton
