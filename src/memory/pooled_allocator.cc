#include "memory/pooled_allocator.h"

#include "cupola/error.h"
#include "driver/registry.h"
#include "memory/leaves.h"
#include "memory/reclaim.h"

namespace cupola {

namespace {

template <typename T>
ResourcePointer make_leaf(const Device& device) {
  check_device(device);
  return std::make_shared<T>(driver(device.platform()), device);
}

}  // namespace

ResourcePointer LeafAllocator::resource(const Device& device) {
  const std::lock_guard lock(mutex_);
  ResourcePointer& resource = resources_[{device.platform(), device.index()}];
  if (!resource) resource = std::make_shared<Reclaiming>(make_(device));
  return resource;
}

std::size_t PoolsAllocator::trim(const Device& device, const StreamPointer& only) {
  return only ? pool(device).trim(only) : pool(device).trim();
}

std::shared_ptr<Pool> PooledAllocator::find(const Device& device) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Pool>& pool = pools_[{device.platform(), device.index()}];
  if (!pool) pool = std::make_shared<Pool>(make_(device));
  return pool;
}

AsyncAllocator::OfDevice& AsyncAllocator::find(const Device& device) {
  const std::lock_guard lock(mutex_);
  OfDevice& found = devices_[{device.platform(), device.index()}];
  if (!found.limit) {
    found.limit = std::make_shared<Limit>(make_leaf<AsyncResource>(device), SIZE_MAX);
    found.front = std::make_shared<Reclaiming>(found.limit);
  }
  return found;
}

std::size_t AsyncAllocator::trim(const Device& device, const StreamPointer& only) {
  if (only) only->synchronize();
  return find(device).front->trim();
}

PoolStatistics AsyncAllocator::statistics(const Device& device) {
  PoolStatistics result;
  result.used = find(device).limit->used();
  return result;
}

void AsyncAllocator::set_limit(const Device& device, std::size_t bytes) {
  OfDevice& found = find(device);
  found.bytes = bytes;
  found.limit->set_limit(bytes ? bytes : SIZE_MAX);
}

MakeResource maker_of(const std::string& kind) {
  if (kind == "device") return make_leaf<DeviceResource>;
  if (kind == "managed") return make_leaf<ManagedResource>;
  if (kind == "async") return make_leaf<AsyncResource>;
  throw ValueError("memory is 'device', 'managed' or 'async', not '" + kind + "'");
}

}  // namespace cupola
