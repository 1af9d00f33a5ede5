// Memory of the CPU platform: blocks within each device's budget, host memory of others, pointers.
#include <fmt/format.h>

#include <algorithm>

#include "cupola/error.h"
#include "platforms/cpu/device/cpu_driver.h"
#include "platforms/cpu/device/host_memory.h"
#include "platforms/cpu/streams/handles.h"

namespace cupola::cpu {
namespace {

PointerKind pointer_kind(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::device:
      return PointerKind::device;
    case MemoryKind::pinned:
      return PointerKind::pinned;
    case MemoryKind::managed:
      return PointerKind::managed;
  }
  __builtin_unreachable();
}

}  // namespace

void CpuDriver::charge(int device, std::size_t bytes, std::size_t asked, std::size_t whole) {
  auto& in_use = in_use_[static_cast<std::size_t>(device)];
  const std::size_t budget = settings_.device_memory.of(device);
  std::size_t used = in_use.load();
  do {
    const std::size_t free = budget - std::min(used, budget);
    if (bytes > free) {
      throw OutOfMemoryError(fmt::format(
          "cpu:{} cannot allocate {} bytes{}: {} of its {} bytes are in use, {} are free "
          "(CUPOLA_CPU_DEVICE_MEMORY sets the budget)",
          device, asked, whole == 0 ? "" : fmt::format(", its share of {}", whole), used, budget,
          free));
    }
  } while (!in_use.compare_exchange_weak(used, used + bytes));
}

void CpuDriver::discharge(int device, std::size_t bytes) noexcept {
  in_use_[static_cast<std::size_t>(device)] -= bytes;
}

void* CpuDriver::take_memory(std::size_t bytes) noexcept { return allocate_host(bytes); }

void CpuDriver::give_memory(void* pointer) noexcept { free_host(pointer); }

void CpuDriver::hide_memory(void* pointer, std::size_t bytes) noexcept {
  hide_host(pointer, bytes);
}

void CpuDriver::show_memory(void* pointer, std::size_t bytes) noexcept {
  show_host(pointer, bytes);
}

void* CpuDriver::allocate(int device, std::size_t bytes, MemoryKind kind) {
  check_device(device);
  const std::size_t counted = kind == MemoryKind::pinned ? 0 : bytes;
  charge(device, counted, bytes);
  void* pointer = take_memory(bytes);
  if (pointer == nullptr) {
    discharge(device, counted);
    throw OutOfMemoryError(
        fmt::format("the system refuses {} bytes for cpu:{}, whose budget is {} bytes", bytes,
                    device, settings_.device_memory.of(device)));
  }
  allocations_.add(pointer, {bytes, pointer_kind(kind), device});
  return pointer;
}

void CpuDriver::deallocate(int device, void* pointer, std::size_t bytes, MemoryKind kind) noexcept {
  if (pointer == nullptr) return;
  allocations_.remove(pointer);
  give_memory(pointer);
  if (kind != MemoryKind::pinned) discharge(device, bytes);
}

void* CpuDriver::allocate_async(std::size_t bytes, StreamHandle stream) {
  return allocate(stream->queue->device(), bytes, MemoryKind::device);
}

void CpuDriver::deallocate_async(void* pointer, std::size_t bytes, StreamHandle stream) noexcept {
  stream->queue->enqueue_release([this, pointer, bytes, device = stream->queue->device()] {
    deallocate(device, pointer, bytes, MemoryKind::device);
  });
}

void CpuDriver::trim_async(int device) { check_device(device); }

void CpuDriver::pin_host(int device, void* pointer, std::size_t bytes) {
  check_device(device);
  if (!allocations_.add_if_apart(pointer, {bytes, PointerKind::pinned, -1, true})) {
    throw ValueError(fmt::format("a part of the {} bytes at {} is pinned already", bytes, pointer));
  }
}

void CpuDriver::unpin_host(void* pointer) noexcept { allocations_.remove(pointer); }

PointerInfo CpuDriver::describe(const void* pointer) {
  const auto range = allocations_.find(pointer);
  if (!range) return {};
  return {range->kind, range->kind == PointerKind::pinned ? -1 : range->device};
}

void CpuDriver::check_managed(const void* pointer, int device) const {
  if (device != kHostLocation) check_device(device);
  const auto range = allocations_.find(pointer);
  if (!range || range->kind != PointerKind::managed) {
    throw ValueError(fmt::format("{} is not managed memory", pointer));
  }
}

void CpuDriver::advise(void* pointer, std::size_t, MemoryAdvice, int device) {
  check_managed(pointer, device);
}

void CpuDriver::prefetch(void* pointer, std::size_t, int device, StreamHandle) {
  check_managed(pointer, device);
}

}  // namespace cupola::cpu
