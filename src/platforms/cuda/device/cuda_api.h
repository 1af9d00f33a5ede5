#pragma once
// The functions of libcuda.so.1 that this platform uses, and the one way to call them.

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/process/fork.h"

namespace cupola::cuda {

inline CUdeviceptr device_address(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

#define CUPOLA_FOR_EACH_CUDA_FUNCTION(X) \
  X(cuInit)                              \
  X(cuDriverGetVersion)                  \
  X(cuGetErrorName)                      \
  X(cuGetErrorString)                    \
  X(cuDeviceGetCount)                    \
  X(cuDeviceGet)                         \
  X(cuDeviceGetName)                     \
  X(cuDeviceGetUuid)                     \
  X(cuDeviceGetPCIBusId)                 \
  X(cuDeviceGetAttribute)                \
  X(cuDeviceTotalMem)                    \
  X(cuDevicePrimaryCtxRetain)            \
  X(cuDevicePrimaryCtxGetState)          \
  X(cuDeviceCanAccessPeer)               \
  X(cuCtxPushCurrent)                    \
  X(cuCtxPopCurrent)                     \
  X(cuCtxGetCurrent)                     \
  X(cuCtxGetDevice)                      \
  X(cuCtxGetStreamPriorityRange)         \
  X(cuCtxEnablePeerAccess)               \
  X(cuMemGetInfo)                        \
  X(cuMemAlloc)                          \
  X(cuMemFree)                           \
  X(cuMemHostAlloc)                      \
  X(cuMemFreeHost)                       \
  X(cuMemAllocManaged)                   \
  X(cuMemAllocFromPoolAsync)             \
  X(cuMemFreeAsync)                      \
  X(cuMemPoolCreate)                     \
  X(cuMemPoolSetAttribute)               \
  X(cuMemPoolTrimTo)                     \
  X(cuMemHostRegister)                   \
  X(cuMemHostUnregister)                 \
  X(cuMemAdvise)                         \
  X(cuMemPrefetchAsync)                  \
  X(cuMemCreate)                         \
  X(cuMemRelease)                        \
  X(cuMemAddressReserve)                 \
  X(cuMemAddressFree)                    \
  X(cuMemMap)                            \
  X(cuMemUnmap)                          \
  X(cuMemSetAccess)                      \
  X(cuMemGetAllocationGranularity)       \
  X(cuMemExportToShareableHandle)        \
  X(cuMemImportFromShareableHandle)      \
  X(cuPointerGetAttributes)              \
  X(cuMemcpyHtoDAsync)                   \
  X(cuMemcpyDtoHAsync)                   \
  X(cuMemcpyDtoDAsync)                   \
  X(cuMemcpy2DAsync)                     \
  X(cuMemcpyPeerAsync)                   \
  X(cuMemsetD8Async)                     \
  X(cuMemsetD2D32Async)                  \
  X(cuStreamCreateWithPriority)          \
  X(cuStreamDestroy)                     \
  X(cuStreamSynchronize)                 \
  X(cuStreamQuery)                       \
  X(cuStreamGetCtx)                      \
  X(cuStreamGetId)                       \
  X(cuStreamWaitValue32)                 \
  X(cuStreamWaitEvent)                   \
  X(cuEventCreate)                       \
  X(cuEventDestroy)                      \
  X(cuEventRecord)                       \
  X(cuEventQuery)                        \
  X(cuEventSynchronize)                  \
  X(cuLaunchHostFunc)                    \
  X(cuLaunchKernel)                      \
  X(cuGraphCreate)                       \
  X(cuGraphAddKernelNode)                \
  X(cuGraphAddChildGraphNode)            \
  X(cuGraphInstantiate)                  \
  X(cuGraphExecKernelNodeSetParams)      \
  X(cuGraphLaunch)                       \
  X(cuGraphUpload)                       \
  X(cuGraphDebugDotPrint)                \
  X(cuStreamBeginCapture)                \
  X(cuStreamEndCapture)                  \
  X(cuGraphExecDestroy)                  \
  X(cuGraphDestroy)                      \
  X(cuLaunchCooperativeKernel)           \
  X(cuModuleLoadData)                    \
  X(cuModuleLoadDataEx)                  \
  X(cuModuleGetFunction)                 \
  X(cuModuleGetGlobal)                   \
  X(cuFuncGetAttribute)                  \
  X(cuFuncSetAttribute)                  \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor)

// Macros of cuda.h rename some functions (cuMemAlloc to cuMemAlloc_v2); the members follow.
struct CudaApi {
#define CUPOLA_CUDA_MEMBER(NAME) decltype(&::NAME) NAME;
  CUPOLA_FOR_EACH_CUDA_FUNCTION(CUPOLA_CUDA_MEMBER)
#undef CUPOLA_CUDA_MEMBER
  // By one name with all drivers.
  CUresult (*event_elapsed_time)(float*, CUevent, CUevent);
  CUresult (*capture_info)(CUstream, CUstreamCaptureStatus*, cuuint64_t* id, CUgraph*,
                           const CUgraphNode** dependencies, std::size_t* count);
  CUresult (*update_capture_dependencies)(CUstream, CUgraphNode* dependencies, std::size_t count,
                                          unsigned int flags);
  // CUDA 12.4 and later; null before.
  CUresult (*function_parameter)(CUfunction, std::size_t index, std::size_t* offset,
                                 std::size_t* bytes);
};

namespace internal {
// The process whose CUDA this is: its fork generation plus 1; 0 while nobody initialised CUDA; a
// number that is nobody's once the process ends.
extern std::atomic<std::uint64_t> cuda_owner;
const CudaApi& loaded_api();
}  // namespace internal

// Whether this process was forked from one that had initialised CUDA, so that nothing of CUDA works
// here, or is ending, so that nothing may be called any more.
inline bool cuda_is_out_of_reach() noexcept {
  const std::uint64_t owner = internal::cuda_owner.load(std::memory_order_acquire);
  return owner != 0 && owner != fork_generation() + 1;
}

// Complete before anybody sees it. Does not call cuInit. Throws LibraryError without a driver and
// ForkedProcessError or DeviceError where CUDA is out of reach, so that no call gets to the driver
// there.
[[noreturn]] void throw_out_of_reach();
inline const CudaApi& cuda_api() {
  if (cuda_is_out_of_reach()) [[unlikely]]
    throw_out_of_reach();
  return internal::loaded_api();
}
// The same for destructors and what else may not throw: null where CUDA is out of reach, as the end
// of the process comes at any time to a thread that computes.
inline const CudaApi* cuda_api_in_reach() noexcept {
  return cuda_is_out_of_reach() ? nullptr : &internal::loaded_api();
}
// cuInit, once; throws DeviceError (each time, if it failed).
void initialize_cuda();
// Whether initialize_cuda() did so in this process.
bool cuda_is_initialized();
// Whether anybody did so in this process; asks the driver, if it is loaded.
bool cuda_is_initialized_by_anybody();

// "cuMemAlloc_v2 on cuda:1: CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
std::string cuda_message(CUresult result, const char* call, int device);
// Throws DeviceError with cuda_message and the code as its status. An error after which nothing
// works on the device any more is kept as its fault (driver/health.h).
[[noreturn]] void throw_cuda_error(CUresult result, const char* call, int device);
// Does so for such an error and returns for others, of which the caller has more to say.
void throw_if_fault(CUresult result, const char* call, int device);
inline void check_cuda(CUresult result, const char* call, int device) {
  if (result != CUDA_SUCCESS) [[unlikely]]
    throw_cuda_error(result, call, device);
}

// "GPU-12345678-...": as NVML and CUDA_VISIBLE_DEVICES write it.
std::string uuid_text(const CUuuid& uuid);

// CUPOLA_CUDA(device, cuMemFree, pointer): calls, and throws what went wrong.
#define CUPOLA_CUDA(DEVICE, CALL, ...) \
  ::cupola::cuda::check_cuda(::cupola::cuda::cuda_api().CALL(__VA_ARGS__), #CALL, DEVICE)

}  // namespace cupola::cuda
