#include "memory/buffer.h"

#include <fmt/format.h>

#include "cupola/error.h"
#include "driver/registry.h"

namespace cupola {

namespace {

// Makes `stream` wait for every use that another stream made.
void gather_uses(StreamState& stream, const UseRecord& uses) {
  const auto wait_for = [&](const StorageUse& use) {
    if (use.stream && use.stream->id() != stream.id()) stream.wait_for(*use.stream);
  };
  wait_for(uses.write);
  for (const StorageUse& read : uses.reads) wait_for(read);
}

class Buffer final : public Storage {
 public:
  Buffer(const Device& device, void* data, std::size_t bytes, Pool& pool, StreamPointer home)
      : Storage(device, data, bytes), pool_(pool), home_(std::move(home)) {}
  ~Buffer() override {
    try {
      gather_uses(*home_, uses);
    } catch (...) {
      return;  // The platform has failed: leaking is safe, reuse before completion is not.
    }
    pool_.deallocate(data(), bytes(), home_);
  }

 private:
  Pool& pool_;
  StreamPointer home_;
};

class ForeignMemory final : public Storage {
 public:
  ForeignMemory(const Device& device, void* data, std::size_t bytes, std::shared_ptr<void> owner,
                bool writable)
      : Storage(device, data, bytes), owner_(std::move(owner)), writable_(writable) {}
  ~ForeignMemory() override {
    try {
      if (uses.write.stream) synchronize(*uses.write.stream);
      for (const StorageUse& read : uses.reads) synchronize(*read.stream);
    } catch (...) {
      // Reported to whoever uses the stream next.
    }
  }
  bool writable() const override { return writable_; }

 private:
  static void synchronize(StreamState& stream) { stream.driver().synchronize(stream.handle()); }
  std::shared_ptr<void> owner_;
  bool writable_;
};

[[noreturn]] void throw_out_of_memory(const Device& device, std::size_t bytes, const Pool& pool,
                                      const OutOfMemoryError& cause) {
  const MemoryInfo memory = driver(device.platform()).memory_info(device.index());
  const PoolStatistics statistics = pool.statistics();
  const std::size_t ours = statistics.used + statistics.cached;
  const std::size_t taken = memory.total - memory.free;
  throw OutOfMemoryError(fmt::format(
      "out of memory on {}: {} bytes asked for; {} free of {}, {} held by live arrays, {} cached, "
      "{} used by others ({})",
      device.to_string(), bytes, memory.free, memory.total, statistics.used, statistics.cached,
      taken > ours ? taken - ours : 0, cause.what()));
}

struct DeviceMemory {
  explicit DeviceMemory(const Device& device)
      : resource(driver(device.platform()), device), pool(resource) {}
  DeviceResource resource;
  Pool pool;
};

}  // namespace

Pool& device_pool(const Device& device) {
  static std::mutex mutex;
  static auto* pools = new std::unordered_map<Device, std::unique_ptr<DeviceMemory>>;
  const std::lock_guard lock(mutex);
  auto& entry = (*pools)[device];
  if (!entry) entry = std::make_unique<DeviceMemory>(device);
  return entry->pool;
}

std::shared_ptr<Storage> allocate_storage(const Device& device, std::size_t bytes,
                                          const StreamPointer& stream) {
  if (bytes == 0) return borrow_storage(device, nullptr, 0, nullptr, true);
  Pool& pool = device_pool(device);
  void* data = nullptr;
  try {
    data = pool.allocate(bytes, stream);
  } catch (const OutOfMemoryError& error) {
    throw_out_of_memory(device, bytes, pool, error);
  }
  return std::make_shared<Buffer>(device, data, bytes, pool, stream);
}

std::shared_ptr<Storage> borrow_storage(const Device& device, void* data, std::size_t bytes,
                                        std::shared_ptr<void> owner, bool writable) {
  return std::make_shared<ForeignMemory>(device, data, bytes, std::move(owner), writable);
}

}  // namespace cupola
