#pragma once
// Allocators as programs choose them: a leaf or a pool for each device, made when first asked for.

#include <functional>
#include <map>
#include <mutex>

#include "base/threads/mutex.h"
#include "memory/allocator.h"
#include "memory/resources/adaptors.h"

namespace cupola {

// A resource for a device.
using MakeResource = std::function<ResourcePointer(const Device&)>;

// One resource for each device, as `make` makes it.
class LeafAllocator final : public Allocator {
 public:
  explicit LeafAllocator(MakeResource make) : make_(std::move(make)) {}
  ResourcePointer resource(const Device& device) override;

 private:
  MakeResource make_;
  Mutex mutex_;
  std::map<std::pair<PlatformKind, int>, ResourcePointer> resources_;
};

// Allocators that keep memory for reuse, and count. A null stream stands for all streams.
class KeepingAllocator : public Allocator {
 public:
  virtual std::size_t trim(const Device& device, const StreamPointer& only) = 0;
  virtual PoolStatistics statistics(const Device& device) = 0;
  virtual void set_limit(const Device& device, std::size_t bytes) = 0;  // 0: none
  virtual std::size_t limit(const Device& device) = 0;
};

// With a pool for each device.
class PoolsAllocator : public KeepingAllocator {
 public:
  virtual Pool& pool(const Device& device) = 0;
  std::size_t trim(const Device& device, const StreamPointer& only) override;
  PoolStatistics statistics(const Device& device) override { return pool(device).statistics(); }
  void set_limit(const Device& device, std::size_t bytes) override {
    pool(device).set_limit(bytes);
  }
  std::size_t limit(const Device& device) override { return pool(device).limit(); }
};

// Pools over the resources that `make` makes.
class PooledAllocator final : public PoolsAllocator {
 public:
  explicit PooledAllocator(MakeResource make, PoolOptions options = {})
      : make_(std::move(make)), options_(options) {}
  ResourcePointer resource(const Device& device) override { return find(device); }
  Pool& pool(const Device& device) override { return *find(device); }

 private:
  std::shared_ptr<Pool> find(const Device& device);

  MakeResource make_;
  PoolOptions options_;
  Mutex mutex_;
  std::map<std::pair<PlatformKind, int>, std::shared_ptr<Pool>> pools_;
};

// The devices' own pools, which serve where nobody has chosen.
class DefaultAllocator final : public PoolsAllocator {
 public:
  ResourcePointer resource(const Device& device) override { return default_resource(device); }
  Pool& pool(const Device& device) override { return device_pool(device); }
};

// The platform's own allocator, which keeps an unknown amount. The limit is on what is handed out.
class AsyncAllocator final : public KeepingAllocator {
 public:
  ResourcePointer resource(const Device& device) override { return find(device).front; }
  std::size_t trim(const Device& device, const StreamPointer& only) override;
  PoolStatistics statistics(const Device& device) override;
  void set_limit(const Device& device, std::size_t bytes) override;
  std::size_t limit(const Device& device) override { return find(device).bytes; }

 private:
  struct OfDevice {
    std::shared_ptr<Limit> limit;
    ResourcePointer front;
    std::size_t bytes = 0;
  };
  OfDevice& find(const Device& device);

  Mutex mutex_;
  std::map<std::pair<PlatformKind, int>, OfDevice> devices_;
};

// Makers for the kinds of memory: "device", "managed", "async", "striped".
MakeResource maker_of(const std::string& kind);
// Striped memory that a pool can move, also where there is only one device.
MakeResource maker_of_ranges();
// Memory of the device itself that a pool can move; of a set: striped.
MakeResource maker_of_own_ranges();

}  // namespace cupola
