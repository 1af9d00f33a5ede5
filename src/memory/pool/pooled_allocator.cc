#include "memory/pool/pooled_allocator.h"

#include "cupola/error.h"
#include "cupola/runtime.h"
#include "driver/registry.h"
#include "driver/set/set_driver.h"
#include "memory/pressure/reclaim.h"
#include "memory/resources/leaves.h"

namespace cupola {

namespace {

template <typename T>
ResourcePointer make_leaf(const Device& device) {
  check_device(device);
  return std::make_shared<T>(driver(device), device);
}

// For a device that is no set, memory of all devices of its platform, itself first. Null: there is
// only one.
ResourcePointer make_on_several(const Device& device) {
  check_device(device);
  std::vector<Device> members;
  for (const int index : device.members()) members.emplace_back(device.platform(), index);
  for (int i = 0; i < device_count(device.platform()) && !device.is_set(); ++i) {
    if (i != device.index()) members.emplace_back(device.platform(), i);
  }
  const Device set = Device::of_members(members);
  if (!set.is_set()) return nullptr;
  PlacementRule rule;
  rule.threshold = set_driver(set.platform()).threshold(set.index());
  return std::make_shared<StripedResource>(set, rule);
}

ResourcePointer make_striped(const Device& device) {
  ResourcePointer resource = make_on_several(device);
  return resource ? resource : make_leaf<DeviceResource>(device);
}

ResourcePointer make_ranges(const Device& device) {
  ResourcePointer resource = make_on_several(device);
  return resource ? resource : make_leaf<DeviceRange>(device);
}

ResourcePointer make_own_range(const Device& device) {
  return device.is_set() ? make_ranges(device) : make_leaf<DeviceRange>(device);
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
  if (!pool) pool = std::make_shared<Pool>(make_(device), options_);
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

MakeResource maker_of_ranges() { return make_ranges; }

MakeResource maker_of_own_ranges() { return make_own_range; }

MakeResource maker_of(const std::string& kind) {
  if (kind == "device") return make_leaf<DeviceResource>;
  if (kind == "managed") return make_leaf<ManagedResource>;
  if (kind == "async") return make_leaf<AsyncResource>;
  if (kind == "striped") return make_striped;
  throw ValueError("memory is 'device', 'managed', 'async' or 'striped', not '" + kind + "'");
}

}  // namespace cupola
