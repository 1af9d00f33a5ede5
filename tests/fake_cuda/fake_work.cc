// Memory, streams, events, modules and launches.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <map>
#include <mutex>
#include <set>

#include "fake_cuda.h"

using namespace fake_cuda;

namespace {

struct Block {
  std::size_t bytes;
  int device;
  CUmemorytype type;
  bool managed;
};

// Smaller ones are of the default streams.
constexpr unsigned long long kFirstStreamId = 4096;

struct Stream {
  int device;
  bool stuck = false;  // never done
  unsigned long long id = 0;
  std::set<const Stream*> held_by;  // streams that the test holds: it comes after them
};

std::mutex& holding() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}
// Null: a default stream, which is never held.
Stream* find_stream(const void* handle) {
  return reinterpret_cast<std::size_t>(handle) > 2 ? static_cast<Stream*>(const_cast<void*>(handle))
                                                   : nullptr;
}
std::set<Stream*>& streams_and_events() {
  static std::set<Stream*>& known = *new std::set<Stream*>;
  return known;
}
void add_known(Stream* stream) {
  const std::lock_guard lock(holding());
  streams_and_events().insert(stream);
}
void remove_known(Stream* stream) {
  const std::lock_guard lock(holding());
  streams_and_events().erase(stream);
}
bool is_held(const void* handle) {
  const std::lock_guard lock(holding());
  const Stream* const stream = find_stream(handle);
  return stream && !stream->held_by.empty();
}

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

// Copies and fills, on memory that may be mapped: `move` does it, where the stream's device reaches
// all addresses and its writes to `target` arrive.
template <typename Move>
CUresult move_on_stream(const char* name, CUstream stream, CUdeviceptr target,
                        std::initializer_list<CUdeviceptr> addresses, const Move& move) {
  int device = 0;
  if (reinterpret_cast<std::size_t>(stream) <= 2) {
    if (const CUresult refused = enter_context(name, &device)) return refused;
  } else {
    device = reinterpret_cast<Stream*>(stream)->device;
  }
  if (const CUresult failed = on_stream(name, stream)) return failed;
  for (const CUdeviceptr address : addresses) {
    const auto mapped = mapped_at(address, device);
    if (!mapped) continue;
    if (!mapped->accessible) return gpu(device).fault = CUDA_ERROR_ILLEGAL_ADDRESS;
    if (peers(device, mapped->device) == Peers::stuck) {
      reinterpret_cast<Stream*>(stream)->stuck = true;
      return CUDA_SUCCESS;
    }
    if (peers(device, mapped->device) == Peers::lies && address == target) return CUDA_SUCCESS;
  }
  move();
  return CUDA_SUCCESS;
}

bool is_stuck(CUstream stream) {
  return reinterpret_cast<std::size_t>(stream) > 2 && reinterpret_cast<Stream*>(stream)->stuck;
}

CUresult make_stream(const char* name, CUstream* stream) {
  static std::atomic<unsigned long long> last_id{kFirstStreamId};
  auto* made = new Stream{};
  made->id = ++last_id;
  add_known(made);
  const CUresult result = enter_context(name, &made->device);
  *stream = reinterpret_cast<CUstream>(made);
  return result;
}

// Until the test has released what holds it.
void wait_while_held(const void* handle) {
  for (int i = 0; i < 20000 && is_held(handle); ++i) usleep(1000);
  if (!is_held(handle)) return;
  std::fprintf(stderr, "fake_cuda: a wait for work that is held\n");
  std::abort();
}

}  // namespace

void fake_cuda_hold(CUstream handle) {
  const std::lock_guard lock(holding());
  Stream* const stream = find_stream(handle);
  stream->held_by.insert(stream);
}
void fake_cuda_release(CUstream handle) {
  const std::lock_guard lock(holding());
  for (Stream* const each : streams_and_events()) each->held_by.erase(find_stream(handle));
}

CUresult fake_cuda::on_stream(const char* name, CUstream stream, int* device) {
  if (const CUresult refused = enter(name)) return refused;
  if (reinterpret_cast<std::size_t>(stream) <= 2) return enter_context(name, device);
  const int own = reinterpret_cast<Stream*>(stream)->device;
  if (device) *device = own;
  return gpu(own).fault;
}

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
                        [&] { std::memcpy(host(to), from, bytes); });
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return move_on_stream("cuMemcpyDtoHAsync", stream, 0, {from},
                        [&] { std::memcpy(to, host(from), bytes); });
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return move_on_stream("cuMemcpyDtoDAsync", stream, to, {from, to},
                        [&] { std::memmove(host(to), host(from), bytes); });
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext,
                           std::size_t bytes, CUstream stream) {
  return cuMemcpyDtoDAsync(to, from, bytes, stream);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream) {
  return move_on_stream("cuMemsetD8Async", stream, to, {to},
                        [&] { std::memset(host(to), value, bytes); });
}

CUresult cuMemsetD2D32Async(CUdeviceptr to, std::size_t pitch, unsigned int value,
                            std::size_t width, std::size_t height, CUstream stream) {
  return move_on_stream("cuMemsetD2D32Async", stream, to, {to}, [&] {
    for (std::size_t row = 0; row < height; ++row) {
      auto* const words = static_cast<unsigned int*>(host(to + row * pitch));
      for (std::size_t i = 0; i < width; ++i) words[i] = value;
    }
  });
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
CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  int device = 0;
  if (const CUresult refused = on_stream("cuStreamGetId", stream, &device)) return refused;
  const auto handle = reinterpret_cast<std::size_t>(stream);
  *id = handle <= 2 ? 3 * static_cast<unsigned long long>(device) + handle
                    : reinterpret_cast<Stream*>(stream)->id;
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream stream) {
  if (const CUresult refused = enter("cuStreamDestroy")) return refused;
  remove_known(reinterpret_cast<Stream*>(stream));
  delete reinterpret_cast<Stream*>(stream);
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream stream) {
  if (is_stuck(stream)) {
    std::fprintf(stderr, "fake_cuda: a wait for work that never ends\n");
    std::abort();
  }
  wait_while_held(stream);
  return on_stream("cuStreamSynchronize", stream);
}
CUresult cuStreamQuery(CUstream stream) {
  const CUresult result = on_stream("cuStreamQuery", stream);
  const bool is_busy = is_stuck(stream) || is_held(stream);
  return result == CUDA_SUCCESS && is_busy ? CUDA_ERROR_NOT_READY : result;
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int) {
  if (Stream* const later = find_stream(stream)) {
    const std::lock_guard lock(holding());
    later->held_by.merge(std::set(find_stream(event)->held_by));
  }
  return on_stream("cuStreamWaitEvent", stream);
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  const CUresult result = on_stream("cuLaunchHostFunc", stream);
  if (result == CUDA_SUCCESS) function(data);
  return result;
}

CUresult cuEventCreate(CUevent* event, unsigned int) {
  static std::atomic<unsigned long long> last_id{kFirstStreamId};
  auto* made = new Stream{};
  made->id = ++last_id;
  add_known(made);
  const CUresult result = enter_context("cuEventCreate", &made->device);
  *event = reinterpret_cast<CUevent>(made);
  return result;
}
CUresult cuEventDestroy(CUevent event) {
  if (const CUresult refused = enter("cuEventDestroy")) return refused;
  remove_known(reinterpret_cast<Stream*>(event));
  delete reinterpret_cast<Stream*>(event);
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  {
    const std::lock_guard lock(holding());
    const Stream* const recorded = find_stream(stream);
    find_stream(event)->held_by = recorded ? recorded->held_by : std::set<const Stream*>{};
  }
  return on_stream("cuEventRecord", stream);
}
CUresult cuEventQuery(CUevent event) {
  const CUresult result = on_stream("cuEventQuery", reinterpret_cast<CUstream>(event));
  return result == CUDA_SUCCESS && is_held(event) ? CUDA_ERROR_NOT_READY : result;
}
CUresult cuEventSynchronize(CUevent event) {
  wait_while_held(event);
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
