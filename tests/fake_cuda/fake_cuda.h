#pragma once
// A CUDA driver and an NVML without GPUs, for tests of what surrounds the work: discovery,
// contexts, forks, faults, the end of the process. Memory is the host's, streams do everything at
// once, kernels do nothing.
//
// FAKE_CUDA_DEVICES   number of GPUs (2)
// FAKE_CUDA_NO_NVML   if set, NVML refuses
//
// What a program must not do is reported on standard error, in lines that begin with "fake_cuda:":
// calls in a child that was forked after cuInit, and calls after fake_cuda_mark_exit().

#include <cuda.h>

#include <cstddef>

namespace fake_cuda {

struct Gpu {
  bool visible = true;
  bool active = false;  // it has its primary context
  int retained = 0;
  CUresult fault = CUDA_SUCCESS;
  std::size_t used = 0;  // bytes
};

inline constexpr std::size_t kTotalBytes = std::size_t{16} << 30;
// What a GPU loses to cuInit and to a context.
inline constexpr std::size_t kInitBytes = std::size_t{3} << 20;
inline constexpr std::size_t kContextBytes = std::size_t{526} << 20;

int gpu_count();
Gpu& gpu(int number);
CUuuid uuid_of(int number);

// Why the call `name` cannot be; CUDA_SUCCESS where it can.
CUresult enter(const char* name);
// As enter, for calls that need a current context: its fault, too. `device` is its GPU.
CUresult enter_context(const char* name, int* device = nullptr);

}  // namespace fake_cuda

// For the tests, by ctypes.
extern "C" void fake_cuda_fail(int device, int code);  // all work on the device has failed
extern "C" std::size_t fake_cuda_used(int device);     // bytes
extern "C" void fake_cuda_mark_exit();
