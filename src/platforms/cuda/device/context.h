#pragma once
// Primary contexts, each made when its device is first used for work.

#include <cuda.h>

#include "driver/health.h"
#include "platforms/cuda/device/device_table.h"

namespace cupola::cuda {

struct DeviceContext {
  int index;  // ours
  CUdevice device;
  CUcontext context;
  DeviceHealth* health;
  CUmemoryPool pool;       // scratch memory, kept until the process ends
  int architecture;        // 90 for compute capability 9.0
  CUfunction copy_kernel;  // see host_copies.h; null: there is none
  // Pageable host memory may be read by the device itself, after a copy call has returned.
  bool reads_pageable_memory;
};

// The one place that retains primary contexts. Throws DeviceError for a device that does not exist
// and ForkedProcessError where CUDA is inherited. Made once, then a load of an atomic.
const DeviceContext& device_context(int device);

// Whether anybody in this process made the device's primary context; makes none.
bool context_exists(int device);

// 90 for compute capability 9.0. Initialises nothing.
int device_architecture(int device);

// Makes a context current for the calling thread, for as long as it lives.
class ContextGuard {
 public:
  explicit ContextGuard(const DeviceContext& context);
  ~ContextGuard();
  ContextGuard(const ContextGuard&) = delete;
  ContextGuard& operator=(const ContextGuard&) = delete;

 private:
  bool pushed_ = false;
};

}  // namespace cupola::cuda
