#pragma once
// A CUDA driver and an NVML without GPUs, for tests of what surrounds the work: discovery,
// contexts, forks, faults, the end of the process. Memory is the host's, streams do everything at
// once, kernels do nothing.
//
// FAKE_CUDA_DEVICES   number of GPUs (2)
// FAKE_CUDA_NO_NVML   if set, NVML refuses
// FAKE_CUDA_PEERS     "0-1:none,0-2:lies": pairs of GPUs without access to each other's memory, or
//                     whose data do not arrive (lies), or that never finish (stuck)
// FAKE_CUDA_VERSION   of the installed driver (1.2.3)
// FAKE_CUDA_CAPABILITY  of every GPU (9.0)
// FAKE_CUDA_PARTS     number of parts (MIG devices) of every GPU (0)
//
// What a program must not do is reported on standard error, in lines that begin with "fake_cuda:":
// calls in a child that was forked after cuInit, and calls after fake_cuda_mark_exit().

#include <cuda.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platforms/cuda/fake_tests/recorded_launch.h"

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

// Remembers the call, where calls are watched. The status that it is to fail with, or 0.
int note_call(const char* name);
// What the last call was given, as with printf.
__attribute__((format(printf, 1, 2))) void note_arguments(const char* format, ...);
// What the test has set instead of `usual`.
int device_attribute(int attribute, int usual);
int function_attribute(int attribute, int usual);
// Compute capability: major and minor number.
std::pair<int, int> capability();
// MIG devices of each GPU.
int part_count();
std::string uuid_of_part(int gpu, int part);

// Why the call `name` cannot be; CUDA_SUCCESS where it can.
CUresult enter(const char* name);
// As enter, for calls that need a current context: its fault, too. `device` is its GPU.
CUresult enter_context(const char* name, int* device = nullptr);

// Work on a stream: the fault of its device.
CUresult on_stream(const char* name, CUstream stream, int* device = nullptr);

// Whether the stream is being captured, and the work is the capture's now: a launch of the graph
// calls it with its own stream.
bool captured(CUstream stream, std::function<void(CUstream)> work);
bool captured_record(CUevent event, CUstream stream);
bool captured_wait(CUstream stream, CUevent event);
// Whether the event was last recorded in a capture that has ended.
bool is_spent(CUevent event);
void forget(CUevent event);
bool is_captured(CUstream stream);
const std::vector<std::function<void(CUstream)>>& work_of(CUgraph graph);
CUgraph make_graph(std::vector<std::function<void(CUstream)>> work);

// The fault of the device of the stream.
CUresult fault_on(CUstream stream);

// Nothing on the stream is done from now on.
void make_stuck(CUstream stream);
// Before something is done on the stream: it comes after the values that the stream waits for, so
// that this waits for them, too.
void wait_for_values(CUstream stream);

enum class Peers { good, none, lies, stuck };
Peers peers(int device, int other);

// What lies behind an address of mapped memory.
struct Mapped {
  int device;
  bool accessible;  // for the GPU that was asked for
};
// Nothing for other memory; at addresses that are only reserved nothing is accessible.
std::optional<Mapped> mapped_at(CUdeviceptr address, int device);

}  // namespace fake_cuda

// For the tests, by ctypes.
extern "C" void fake_cuda_fail(int device, int code);  // all work on the device has failed
extern "C" std::size_t fake_cuda_used(int device);     // bytes
// Handles of memory, reserved ranges and mappings that there are.
extern "C" std::size_t fake_cuda_mappings();
// From now on calls are remembered; what there is of them since the last time, one a line. Returns
// the bytes of all.
extern "C" void fake_cuda_watch_calls();
extern "C" std::size_t fake_cuda_take_calls(char* text, std::size_t bytes);
// What a device or a function says of itself from now on.
extern "C" void fake_cuda_set_device_attribute(int attribute, int value);
extern "C" void fake_cuda_set_function_attribute(int attribute, int value);
// The call after the next `skipped` ones of that name fails, once. Null: none does any more.
extern "C" void fake_cuda_fail_call(const char* name, int skipped, int code);
// From now on launches are remembered, with so many bytes of each first parameter.
extern "C" void fake_cuda_watch_launches(std::size_t argument_bytes);
// The launches since then, or since the last call; `most` of them at most.
extern "C" std::size_t fake_cuda_take_launches(fake_cuda::Launch* launches, std::size_t most);
extern "C" int fake_cufft_plans();  // that there are
// The work on the stream so far is done, or will not be before it is released: streams that wait
// for it, and events that are recorded there, are not done either.
extern "C" void fake_cuda_hold(CUstream stream);
extern "C" void fake_cuda_release(CUstream stream);
extern "C" void fake_cuda_mark_exit();
