// Memory, streams, events, modules and launches.
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

#include "fake_cuda.h"

using namespace fake_cuda;

namespace {

struct Block {
  std::size_t bytes;
  int device;
  CUmemorytype type;
  bool managed;
};

struct Stream {
  int device;
};

struct Blocks {
  std::mutex mutex;
  std::map<CUdeviceptr, Block> blocks;
};
Blocks& all() {
  static Blocks& instance = *new Blocks;
  return instance;
}

CUresult allocate(const char* name, CUdeviceptr* pointer, std::size_t bytes, CUmemorytype type,
                  bool managed = false) {
  int device = 0;
  if (const CUresult refused = enter_context(name, &device)) return refused;
  const std::lock_guard lock(all().mutex);
  if (type == CU_MEMORYTYPE_DEVICE && bytes > kTotalBytes - gpu(device).used) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  void* memory = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  if (!memory) return CUDA_ERROR_OUT_OF_MEMORY;
  *pointer = reinterpret_cast<CUdeviceptr>(memory);
  all().blocks[*pointer] = {bytes, device, type, managed};
  if (type == CU_MEMORYTYPE_DEVICE) gpu(device).used += bytes;
  return CUDA_SUCCESS;
}

CUresult release(const char* name, CUdeviceptr pointer) {
  if (const CUresult refused = enter(name)) return refused;
  const std::lock_guard lock(all().mutex);
  const auto found = all().blocks.find(pointer);
  if (found == all().blocks.end()) return CUDA_ERROR_INVALID_VALUE;
  const Block& block = found->second;
  if (block.type == CU_MEMORYTYPE_DEVICE) gpu(block.device).used -= block.bytes;
  std::free(reinterpret_cast<void*>(pointer));
  all().blocks.erase(found);
  return CUDA_SUCCESS;
}

void* host(CUdeviceptr pointer) { return reinterpret_cast<void*>(pointer); }

// Work on a stream: the fault of its device.
CUresult on_stream(const char* name, CUstream stream) {
  if (const CUresult refused = enter(name)) return refused;
  if (reinterpret_cast<std::size_t>(stream) <= 2) return enter_context(name);
  return gpu(reinterpret_cast<Stream*>(stream)->device).fault;
}

CUresult make_stream(const char* name, CUstream* stream) {
  auto* made = new Stream{};
  const CUresult result = enter_context(name, &made->device);
  *stream = reinterpret_cast<CUstream>(made);
  return result;
}

}  // namespace

CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  int device = 0;
  const CUresult result = enter_context("cuMemGetInfo", &device);
  *total = kTotalBytes;
  *free = kTotalBytes - gpu(device).used;
  return result;
}

CUresult cuMemAlloc(CUdeviceptr* pointer, std::size_t bytes) {
  return allocate("cuMemAlloc", pointer, bytes, CU_MEMORYTYPE_DEVICE);
}
CUresult cuMemAllocManaged(CUdeviceptr* pointer, std::size_t bytes, unsigned int) {
  return allocate("cuMemAllocManaged", pointer, bytes, CU_MEMORYTYPE_DEVICE, true);
}
CUresult cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned int) {
  CUdeviceptr address = 0;
  const CUresult result = allocate("cuMemHostAlloc", &address, bytes, CU_MEMORYTYPE_HOST);
  *pointer = host(address);
  return result;
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* pointer, unsigned int) {
  *address = reinterpret_cast<CUdeviceptr>(pointer);
  return enter_context("cuMemHostGetDevicePointer");
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* pointer, std::size_t bytes, CUmemoryPool, CUstream) {
  return allocate("cuMemAllocFromPoolAsync", pointer, bytes, CU_MEMORYTYPE_DEVICE);
}
CUresult cuMemFree(CUdeviceptr pointer) { return release("cuMemFree", pointer); }
CUresult cuMemFreeHost(void* pointer) {
  return release("cuMemFreeHost", reinterpret_cast<CUdeviceptr>(pointer));
}
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream) {
  return release("cuMemFreeAsync", pointer);
}
CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps*) {
  *pool = reinterpret_cast<CUmemoryPool>(new char);
  return enter_context("cuMemPoolCreate");
}
CUresult cuMemPoolSetAttribute(CUmemoryPool, CUmemPool_attribute, void*) {
  return enter_context("cuMemPoolSetAttribute");
}
CUresult cuMemPoolTrimTo(CUmemoryPool, std::size_t) { return enter_context("cuMemPoolTrimTo"); }
CUresult cuMemHostRegister(void*, std::size_t, unsigned int) {
  return enter_context("cuMemHostRegister");
}
CUresult cuMemHostUnregister(void*) { return enter_context("cuMemHostUnregister"); }

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr pointer) {
  if (const CUresult refused = enter("cuPointerGetAttributes")) return refused;
  const std::lock_guard lock(all().mutex);
  const auto after = all().blocks.upper_bound(pointer);
  if (after == all().blocks.begin()) return CUDA_SUCCESS;
  const auto& [first, block] = *std::prev(after);
  if (pointer >= first + block.bytes) return CUDA_SUCCESS;
  for (unsigned int i = 0; i < count; ++i) {
    if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE) {
      *static_cast<unsigned int*>(values[i]) = block.type;
    } else if (attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED) {
      *static_cast<unsigned int*>(values[i]) = block.managed;
    } else if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
      *static_cast<int*>(values[i]) = block.device;
    }
  }
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  std::memcpy(host(to), from, bytes);
  return on_stream("cuMemcpyHtoDAsync", stream);
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  std::memcpy(to, host(from), bytes);
  return on_stream("cuMemcpyDtoHAsync", stream);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  std::memmove(host(to), host(from), bytes);
  return on_stream("cuMemcpyDtoDAsync", stream);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext,
                           std::size_t bytes, CUstream stream) {
  return cuMemcpyDtoDAsync(to, from, bytes, stream);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream) {
  std::memset(host(to), value, bytes);
  return on_stream("cuMemsetD8Async", stream);
}

CUresult cuStreamCreate(CUstream* stream, unsigned int) {
  return make_stream("cuStreamCreate", stream);
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned int, int) {
  return make_stream("cuStreamCreateWithPriority", stream);
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  *context = reinterpret_cast<CUcontext>(&gpu(reinterpret_cast<Stream*>(stream)->device));
  return enter("cuStreamGetCtx");
}
CUresult cuStreamDestroy(CUstream stream) {
  if (const CUresult refused = enter("cuStreamDestroy")) return refused;
  delete reinterpret_cast<Stream*>(stream);
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream stream) { return on_stream("cuStreamSynchronize", stream); }
CUresult cuStreamQuery(CUstream stream) { return on_stream("cuStreamQuery", stream); }
CUresult cuStreamWaitEvent(CUstream stream, CUevent, unsigned int) {
  return on_stream("cuStreamWaitEvent", stream);
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  const CUresult result = on_stream("cuLaunchHostFunc", stream);
  if (result == CUDA_SUCCESS) function(data);
  return result;
}

CUresult cuEventCreate(CUevent* event, unsigned int) {
  auto* made = new Stream{};
  const CUresult result = enter_context("cuEventCreate", &made->device);
  *event = reinterpret_cast<CUevent>(made);
  return result;
}
CUresult cuEventDestroy(CUevent event) {
  if (const CUresult refused = enter("cuEventDestroy")) return refused;
  delete reinterpret_cast<Stream*>(event);
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent, CUstream stream) { return on_stream("cuEventRecord", stream); }
CUresult cuEventQuery(CUevent event) {
  return on_stream("cuEventQuery", reinterpret_cast<CUstream>(event));
}
CUresult cuEventSynchronize(CUevent event) {
  return on_stream("cuEventSynchronize", reinterpret_cast<CUstream>(event));
}

CUresult cuModuleLoadData(CUmodule* module, const void*) {
  *module = reinterpret_cast<CUmodule>(new char);
  return enter_context("cuModuleLoadData");
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int, CUjit_option*,
                            void**) {
  return cuModuleLoadData(module, image);
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char*) {
  *function = reinterpret_cast<CUfunction>(new char);
  return enter_context("cuModuleGetFunction");
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction) {
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024
           : attribute == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 32
                                                                : 0;
  return enter_context("cuFuncGetAttribute");
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int, std::size_t) {
  *blocks = 2;
  return enter_context("cuOccupancyMaxActiveBlocksPerMultiprocessor");
}
CUresult cuLaunchKernel(CUfunction, unsigned int, unsigned int, unsigned int, unsigned int,
                        unsigned int, unsigned int, unsigned int, CUstream stream, void**, void**) {
  return on_stream("cuLaunchKernel", stream);
}
