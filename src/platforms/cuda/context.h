#pragma once
// Primary contexts, each made when its device is first used for work.

#include <cuda.h>

#include <cstddef>

namespace cupola::cuda {

inline constexpr int kMaxDevices = 64;

struct DeviceContext {
  int index;  // ours
  CUdevice device;
  CUcontext context;
  CUmemoryPool pool;  // scratch memory, kept until the process ends
  int architecture;   // 90 for compute capability 9.0
  // Pageable host memory may be read by the device itself, after a copy call has returned.
  bool reads_pageable_memory;
};

// Throws DeviceError for a device that does not exist. Made once, then a load of an atomic.
const DeviceContext& device_context(int device);

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
