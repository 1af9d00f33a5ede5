#pragma once
// The functions of libcuda.so.1 that this platform uses, and the one way to call them.

#include <cuda.h>

#include <cstddef>
#include <string>

namespace cupola::cuda {

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
  X(cuMemcpyPeerAsync)                   \
  X(cuMemsetD8Async)                     \
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
  // CUDA 12.4 and later; null before.
  CUresult (*function_parameter)(CUfunction, std::size_t index, std::size_t* offset,
                                 std::size_t* bytes);
};

// Complete before anybody sees it. Does not call cuInit. Throws LibraryError without a driver.
const CudaApi& cuda_api();
// cuInit, once; throws DeviceError (each time, if it failed).
void initialize_cuda();
bool cuda_is_initialized();

// "cuMemAlloc_v2 on cuda:1: CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
std::string cuda_message(CUresult result, const char* call, int device);
// Throws DeviceError with cuda_message.
[[noreturn]] void throw_cuda_error(CUresult result, const char* call, int device);
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
