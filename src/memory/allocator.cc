#include "memory/allocator.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <mutex>
#include <string_view>

#include "base/process/environment.h"
#include "base/process/fork.h"
#include "base/text/number_text.h"
#include "base/threads/lazy.h"
#include "base/threads/mutex.h"
#include "base/threads/thread_owned.h"
#include "cupola/error.h"
#include "driver/registry.h"
#include "memory/pressure/reclaim.h"
#include "memory/resources/debug.h"
#include "memory/resources/leaves.h"

namespace cupola {

namespace {

// Whether there is a global allocator.
constinit std::atomic<bool> is_set{false};
struct GlobalAllocator {
  GlobalAllocator() { lock_at_fork(ForkLayer::memory, mutex); }
  std::mutex mutex;
  AllocatorPointer allocator;
};
GlobalAllocator& global() {
  static constinit Lazy<GlobalAllocator> instance;
  return *instance;
}

// The choices of the thread; the flag spares others a look.
constinit thread_local bool has_chosen = false;
struct Choices {
  ~Choices() { has_chosen = false; }
  std::vector<AllocatorPointer> stack;
};
std::vector<AllocatorPointer>& choices() { return ThreadOwned<Choices>::get().stack; }

// The pools of one device, and what arrays get by default: the pool, or what a debug mode puts in
// its place.
struct OwnMemory {
  explicit OwnMemory(const Device& device) {
    const auto leaf = std::make_shared<DeviceResource>(driver(device), device);
    pool = std::make_shared<Pool>(leaf);
    if (const char* limit = environment_value("CUPOLA_GPU_MEMORY_LIMIT")) {
      const std::size_t total = driver(device).memory_info(device.index()).total;
      pool->set_limit(parse_memory_limit(limit, total));
    }
    pinned = std::make_shared<Pool>(std::make_shared<PinnedResource>(driver(device), device));
    front = pool;
    switch (memory_debug()) {
      case MemoryDebug::off:
        break;
      case MemoryDebug::poison:
        front = std::make_shared<Poison>(pool);
        break;
      case MemoryDebug::guard:
        front = std::make_shared<Guard>(pool);
        break;
      case MemoryDebug::pass_through:
        front = driver(device).traits().reads_whole_words
                    ? std::make_shared<Reclaiming>(std::make_shared<FilledEnd>(leaf))
                    : std::make_shared<Reclaiming>(leaf);
        break;
    }
    // Shares nothing that threads would have to count together.
    uncounted = ResourcePointer(std::shared_ptr<void>(), front.get());
  }
  std::shared_ptr<Pool> pool;
  std::shared_ptr<Pool> pinned;
  ResourcePointer front;
  ResourcePointer uncounted;
};

constexpr std::size_t kMaxDevices = Device::kEndOfIndices;  // sets are devices, too
using Table = std::array<std::atomic<OwnMemory*>, kMaxDevices>;
std::array<Table, 2> tables{};  // by platform

OwnMemory& make_device_memory(const Device& device) {
  check_device(device);
  static constinit Mutex mutex;
  auto& slot =
      tables[static_cast<std::size_t>(device.platform())][static_cast<std::size_t>(device.index())];
  const std::lock_guard lock(mutex);
  if (OwnMemory* memory = slot.load(std::memory_order_acquire)) return *memory;
  auto* memory = new OwnMemory(device);
  slot.store(memory, std::memory_order_release);
  return *memory;
}

OwnMemory& device_memory(const Device& device) {
  const auto index = static_cast<std::size_t>(device.index());
  if (index < kMaxDevices) {
    auto& slot = tables[static_cast<std::size_t>(device.platform())][index];
    if (OwnMemory* memory = slot.load(std::memory_order_acquire)) return *memory;
  }
  return make_device_memory(device);
}

}  // namespace

void set_allocator(AllocatorPointer allocator) {
  const std::lock_guard lock(global().mutex);
  is_set.store(allocator != nullptr);
  global().allocator.swap(allocator);
}

AllocatorPointer get_allocator() {
  if (has_chosen) return choices().back();
  const std::lock_guard lock(global().mutex);
  return global().allocator;
}

void push_allocator(AllocatorPointer allocator) {
  choices().push_back(std::move(allocator));
  has_chosen = true;
}

void pop_allocator() {
  if (choices().empty()) return;
  choices().pop_back();
  has_chosen = !choices().empty();
}

ResourcePointer current_resource(const Device& device) {
  if (has_chosen || is_set.load(std::memory_order_acquire)) {
    if (const AllocatorPointer allocator = get_allocator()) return allocator->resource(device);
  }
  return device_memory(device).uncounted;
}

ResourcePointer default_resource(const Device& device) { return device_memory(device).uncounted; }

Pool* serving_pool(const Device& device) {
  if (has_chosen || is_set.load(std::memory_order_acquire)) return nullptr;
  const auto index = static_cast<std::size_t>(device.index());
  if (index >= kMaxDevices) return nullptr;
  const OwnMemory* memory =
      tables[static_cast<std::size_t>(device.platform())][index].load(std::memory_order_acquire);
  return memory && memory->front == memory->pool ? memory->pool.get() : nullptr;
}

Pool& device_pool(const Device& device) { return *device_memory(device).pool; }

Pool& pinned_pool(const Device& device) { return *device_memory(device).pinned; }

std::size_t parse_memory_limit(const std::string& text, std::size_t total) {
  if (text.ends_with('%')) {
    const auto percent = parse_number<double>(std::string_view(text).substr(0, text.size() - 1));
    if (percent && *percent >= 0 && *percent <= 100) {
      return static_cast<std::size_t>(static_cast<double>(total) * (*percent / 100));
    }
  } else if (const auto bytes = parse_number<std::size_t>(text)) {
    return *bytes;
  }
  throw ValueError(fmt::format(
      "CUPOLA_GPU_MEMORY_LIMIT={} is neither a number of bytes nor a percentage such as 50%",
      text));
}

}  // namespace cupola
