#include "platforms/cuda/context.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>

#include "cupola/error.h"
#include "platforms/cuda/cuda_api.h"
#include "platforms/cuda/discovery.h"

namespace cupola::cuda {
namespace {

struct ContextTable {
  std::mutex mutex;
  std::atomic<const DeviceContext*> contexts[kMaxDevices] = {};
};

ContextTable& table() {
  static ContextTable& instance = *new ContextTable;
  return instance;
}

// CUDA's number of a device is not ours: the two may list devices in different orders.
CUdevice device_with_uuid(const std::string& uuid, int index) {
  int count = 0;
  CUPOLA_CUDA(-1, cuDeviceGetCount, &count);
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    CUPOLA_CUDA(index, cuDeviceGet, &device, i);
    CUuuid bytes{};
    CUPOLA_CUDA(index, cuDeviceGetUuid, &bytes, device);
    if (uuid_text(bytes) == uuid) return device;
  }
  if (index < count) {  // a part of a GPU has a UUID of another kind
    CUdevice device = 0;
    CUPOLA_CUDA(index, cuDeviceGet, &device, index);
    return device;
  }
  throw DeviceError(fmt::format(
      "cuda:{} ({}) is not among the {} devices that CUDA shows: CUDA_VISIBLE_DEVICES was changed "
      "after CUDA had been initialised",
      index, uuid, count));
}

CUmemoryPool make_pool(int index, CUdevice device) {
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  CUmemoryPool pool = nullptr;
  CUPOLA_CUDA(index, cuMemPoolCreate, &pool, &properties);
  cuuint64_t kept = std::size_t{64} << 20;
  CUPOLA_CUDA(index, cuMemPoolSetAttribute, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept);
  return pool;
}

const DeviceContext* make_context(int index) {
  const FoundDevice found = found_device(index);
  initialize_cuda();
  auto* result = new DeviceContext{};
  result->index = index;
  result->device = device_with_uuid(found.properties.uuid, index);
  result->architecture = found.properties.compute_major * 10 + found.properties.compute_minor;
  CUPOLA_CUDA(index, cuDevicePrimaryCtxRetain, &result->context, result->device);
  int reads = 0;
  CUPOLA_CUDA(index, cuDeviceGetAttribute, &reads,
              CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, result->device);
  result->reads_pageable_memory = reads != 0;
  const ContextGuard guard(*result);
  result->pool = make_pool(index, result->device);
  return result;
}

}  // namespace

const DeviceContext& device_context(int device) {
  if (device < 0 || device >= kMaxDevices) found_device(device);  // throws
  auto& slot = table().contexts[device];
  const DeviceContext* context = slot.load(std::memory_order_acquire);
  if (context) return *context;
  const std::scoped_lock lock(table().mutex);
  context = slot.load(std::memory_order_acquire);
  if (!context) {
    context = make_context(device);
    slot.store(context, std::memory_order_release);
  }
  return *context;
}

int device_architecture(int device) {
  const DeviceProperties properties = found_device(device).properties;
  return properties.compute_major * 10 + properties.compute_minor;
}

ContextGuard::ContextGuard(const DeviceContext& context) {
  CUcontext current = nullptr;
  CUPOLA_CUDA(context.index, cuCtxGetCurrent, &current);
  if (current == context.context) return;
  CUPOLA_CUDA(context.index, cuCtxPushCurrent, context.context);
  pushed_ = true;
}

ContextGuard::~ContextGuard() {
  CUcontext popped = nullptr;
  if (pushed_) cuda_api().cuCtxPopCurrent(&popped);
}

}  // namespace cupola::cuda
