// Memory, copies and fills.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <map>
#include <mutex>

#include <vector>

#include "fake_cuda.h"

using namespace fake_cuda;

namespace {

struct Block {
  std::size_t bytes;
  int device;
  CUmemorytype type;
  bool managed;
  bool registered = false;  // memory of others
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
  if (found == all().blocks.end() || found->second.registered) return CUDA_ERROR_INVALID_VALUE;
  const Block& block = found->second;
  if (block.type == CU_MEMORYTYPE_DEVICE) gpu(block.device).used -= block.bytes;
  std::free(reinterpret_cast<void*>(pointer));
  all().blocks.erase(found);
  return CUDA_SUCCESS;
}

void* host(CUdeviceptr pointer) { return reinterpret_cast<void*>(pointer); }

// Copies and fills, on memory that may be mapped: `move` does it, where the stream's device reaches
// all addresses and its writes to `target` arrive.
template <typename Move>
CUresult move_on_stream(const char* name, CUstream stream, CUdeviceptr target,
                        std::vector<CUdeviceptr> addresses, const Move& move) {
  int device = 0;
  if (const CUresult failed = on_stream(name, stream, &device)) return failed;
  const auto again = [name, target, addresses, move](CUstream on) {
    move_on_stream(name, on, target, addresses, move);
  };
  if (captured(stream, again)) return CUDA_SUCCESS;
  wait_for_values(stream);
  for (const CUdeviceptr address : addresses) {
    const auto mapped = mapped_at(address, device);
    if (!mapped) continue;
    if (!mapped->accessible) return gpu(device).fault = CUDA_ERROR_ILLEGAL_ADDRESS;
    if (peers(device, mapped->device) == Peers::stuck) {
      make_stuck(stream);
      return CUDA_SUCCESS;
    }
    if (peers(device, mapped->device) == Peers::lies && address == target) return CUDA_SUCCESS;
  }
  move();
  return CUDA_SUCCESS;
}

bool is_inside(CUdeviceptr pointer, std::size_t bytes, CUdeviceptr first, const Block& block) {
  return pointer >= first && pointer + bytes <= first + block.bytes;
}

// Whether all of it is of one block of managed memory.
bool is_managed(CUdeviceptr pointer, std::size_t bytes) {
  const std::lock_guard lock(all().mutex);
  return std::any_of(all().blocks.begin(), all().blocks.end(), [&](const auto& each) {
    return each.second.managed && is_inside(pointer, bytes, each.first, each.second);
  });
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
CUresult cuMemHostRegister(void* pointer, std::size_t bytes, unsigned int) {
  int device = 0;
  if (const CUresult refused = enter_context("cuMemHostRegister", &device)) return refused;
  const std::lock_guard lock(all().mutex);
  const auto first = reinterpret_cast<CUdeviceptr>(pointer);
  for (const auto& [begin, block] : all().blocks) {
    if (first < begin + block.bytes && begin < first + bytes) {
      return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    }
  }
  all().blocks[first] = {bytes, device, CU_MEMORYTYPE_HOST, false, true};
  return CUDA_SUCCESS;
}
CUresult cuMemHostUnregister(void* pointer) {
  if (const CUresult refused = enter_context("cuMemHostUnregister")) return refused;
  const std::lock_guard lock(all().mutex);
  const auto found = all().blocks.find(reinterpret_cast<CUdeviceptr>(pointer));
  if (found == all().blocks.end() || !found->second.registered) return CUDA_ERROR_INVALID_VALUE;
  all().blocks.erase(found);
  return CUDA_SUCCESS;
}

CUresult cuMemAdvise(CUdeviceptr pointer, std::size_t bytes, CUmem_advise advice,
                     CUmemLocation location) {
  if (const CUresult refused = enter_context("cuMemAdvise")) return refused;
  note_arguments("%llu %zu %d %d %d", pointer, bytes, advice, location.type, location.id);
  return is_managed(pointer, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemPrefetchAsync(CUdeviceptr pointer, std::size_t bytes, CUmemLocation location,
                            unsigned int, CUstream stream) {
  if (const CUresult refused = on_stream("cuMemPrefetchAsync", stream)) return refused;
  note_arguments("%llu %zu %d %d", pointer, bytes, location.type, location.id);
  return is_managed(pointer, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr pointer) {
  if (const CUresult refused = enter("cuPointerGetAttributes")) return refused;
  if (const auto mapped = mapped_at(pointer, 0)) {
    for (unsigned int i = 0; i < count; ++i) {
      if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE) {
        *static_cast<unsigned int*>(values[i]) = CU_MEMORYTYPE_DEVICE;
      } else if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
        *static_cast<int*>(values[i]) = mapped->device;
      }
    }
    return CUDA_SUCCESS;
  }
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
  return move_on_stream("cuMemcpyHtoDAsync", stream, to, {to},
                        [=] { std::memcpy(host(to), from, bytes); });
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return move_on_stream("cuMemcpyDtoHAsync", stream, 0, {from},
                        [=] { std::memcpy(to, host(from), bytes); });
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return move_on_stream("cuMemcpyDtoDAsync", stream, to, {from, to},
                        [=] { std::memmove(host(to), host(from), bytes); });
}
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* copy, CUstream stream) {
  const CUDA_MEMCPY2D c = *copy;
  if (c.WidthInBytes > c.srcPitch || c.WidthInBytes > c.dstPitch) return CUDA_ERROR_INVALID_VALUE;
  return move_on_stream("cuMemcpy2DAsync", stream, c.dstDevice, {c.srcDevice, c.dstDevice}, [=] {
    for (std::size_t row = 0; row < c.Height; ++row) {
      std::memcpy(host(c.dstDevice + row * c.dstPitch), host(c.srcDevice + row * c.srcPitch),
                  c.WidthInBytes);
    }
  });
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext,
                           std::size_t bytes, CUstream stream) {
  return cuMemcpyDtoDAsync(to, from, bytes, stream);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream) {
  return move_on_stream("cuMemsetD8Async", stream, to, {to},
                        [=] { std::memset(host(to), value, bytes); });
}

CUresult cuMemsetD2D32Async(CUdeviceptr to, std::size_t pitch, unsigned int value,
                            std::size_t width, std::size_t height, CUstream stream) {
  return move_on_stream("cuMemsetD2D32Async", stream, to, {to}, [=] {
    for (std::size_t row = 0; row < height; ++row) {
      auto* const words = static_cast<unsigned int*>(host(to + row * pitch));
      for (std::size_t i = 0; i < width; ++i) words[i] = value;
    }
  });
}
