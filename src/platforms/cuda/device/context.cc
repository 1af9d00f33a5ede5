#include "platforms/cuda/device/context.h"

#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "base/mutant.h"
#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "cupola/error.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/device/device_health.h"
#include "platforms/cuda/device/discovery.h"
#include "platforms/cuda/memory/host_copies.h"

namespace cupola::cuda {
namespace {

struct ContextTable {
  ContextTable() { lock_at_fork(ForkLayer::platform, mutex); }
  std::mutex mutex;
  DeviceTable<std::atomic<const DeviceContext*>> contexts;
};

// With the library, so that no thread is making it during a fork.
ContextTable& table = *new ContextTable;

CUmemoryPool make_pool(int index, CUdevice device) {
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  CUmemoryPool pool = nullptr;
  CUPOLA_CUDA(index, cuMemPoolCreate, &pool, &properties);
  // Enough for a matrix that a product brings near; what runs short of memory takes it back.
  cuuint64_t kept = std::size_t{2} << 30;
  CUPOLA_CUDA(index, cuMemPoolSetAttribute, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept);
  return pool;
}

const DeviceContext* make_context(int index) {
  const FoundDevice found = found_device(index);
  auto result = std::make_unique<DeviceContext>();
  result->index = index;
  result->health = &device_health(index);
  result->device = native_device(index);
  result->architecture = found.properties.compute_major * 10 + found.properties.compute_minor;
  CUPOLA_CUDA(index, cuDevicePrimaryCtxRetain, &result->context, result->device);
  int reads = 0;
  CUPOLA_CUDA(index, cuDeviceGetAttribute, &reads,
              CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, result->device);
  result->reads_pageable_memory = reads != 0;
  const ContextGuard guard(*result);
  result->pool = make_pool(index, result->device);
  result->copy_kernel = load_copy_kernel(*result);
  return result.release();
}

}  // namespace

const DeviceContext& device_context(int device) {
  if (cuda_is_out_of_reach()) throw_out_of_reach();
  if (device < 0 || device >= kMaxDevices) found_device(device);  // throws
  auto& slot = table.contexts[device];
  const DeviceContext* context = slot.load(std::memory_order_acquire);
  if (context) return *context;
  // Not under the lock: these may show a warning, or ask for the call site.
  initialize_cuda();
  found_device(device);
  if (CUPOLA_MUTANT(context_on_device_0) && device != 0) device_context(0);
  const std::scoped_lock lock(table.mutex);
  context = slot.load(std::memory_order_acquire);
  if (!context) {
    context = make_context(device);
    slot.store(context, std::memory_order_release);
  }
  return *context;
}

bool context_exists(int device) {
  found_device(device);  // throws
  if (cuda_is_out_of_reach() || !cuda_is_initialized_by_anybody()) return false;
  unsigned int flags = 0;
  int active = 0;
  CUPOLA_CUDA(device, cuDevicePrimaryCtxGetState, native_device(device), &flags, &active);
  return active != 0;
}

int device_architecture(int device) {
  static constinit Lazy<DeviceTable<std::atomic<int>>> known;     // 0: nobody has asked
  if (device < 0 || device >= kMaxDevices) found_device(device);  // throws
  std::atomic<int>& architecture = (*known)[device];
  if (const int found = architecture.load(std::memory_order_relaxed); found != 0) return found;
  const DeviceProperties properties = found_device(device).properties;
  const int found = properties.compute_major * 10 + properties.compute_minor;
  architecture.store(found, std::memory_order_relaxed);
  return found;
}

ContextGuard::ContextGuard(const DeviceContext& context) {
  CUcontext current = nullptr;
  CUPOLA_CUDA(context.index, cuCtxGetCurrent, &current);
  if (current == context.context) return;
  CUPOLA_CUDA(context.index, cuCtxPushCurrent, context.context);
  pushed_ = true;
}

ContextGuard::~ContextGuard() {
  if (!pushed_) return;
  CUcontext popped = nullptr;
  if (const CudaApi* api = cuda_api_in_reach()) api->cuCtxPopCurrent(&popped);
}

}  // namespace cupola::cuda
