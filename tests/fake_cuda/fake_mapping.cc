// Virtual memory management: physical memory, reserved addresses and mappings. The bytes lie at the
// addresses, those of memory that processes share in a file; a mapping of others begins with zeros.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <mutex>
#include <set>

#include "fake_cuda.h"

using namespace fake_cuda;

namespace {

constexpr std::size_t kUnit = std::size_t{2} << 20;

struct Memory {
  int device;
  std::size_t bytes;
  int references;
  int file = -1;  // of shared memory
};

struct Mapping {
  std::size_t bytes;
  CUmemGenericAllocationHandle memory;
  std::set<int> accessible;
};

struct Mappings {
  std::mutex mutex;
  std::map<CUmemGenericAllocationHandle, Memory> memory;
  std::map<CUdeviceptr, std::size_t> reserved;  // bytes
  std::map<CUdeviceptr, Mapping> mapped;
  CUmemGenericAllocationHandle next = 1;
  std::size_t handles = 0;  // not released
};
Mappings& all() {
  static Mappings& instance = *new Mappings;
  return instance;
}

// What begins at or before the address and reaches beyond it.
template <typename Ranges, typename Bytes>
auto around(Ranges& ranges, CUdeviceptr address, const Bytes& bytes_of) {
  auto found = ranges.upper_bound(address);
  if (found == ranges.begin()) return ranges.end();
  --found;
  return address - found->first < bytes_of(found->second) ? found : ranges.end();
}
std::size_t bytes_of_mapping(const Mapping& mapping) { return mapping.bytes; }

void drop(CUmemGenericAllocationHandle handle) {
  const auto found = all().memory.find(handle);
  if (--found->second.references > 0) return;
  const Memory& memory = found->second;
  // Each name of shared memory is counted by itself: nothing else is known of other processes.
  gpu(memory.device).used -= memory.bytes;
  if (memory.file >= 0) close(memory.file);
  all().memory.erase(found);
}

constexpr const char* kFileName = "fake_cuda_%d";  // the number of the GPU

// The GPU whose memory a file is, or -1.
int gpu_of_file(int file) {
  char link[64], target[64] = {};
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  int device = -1;
  if (readlink(link, target, sizeof target - 1) < 0) return -1;
  return std::sscanf(target, "/memfd:fake_cuda_%d", &device) == 1 ? device : -1;
}

CUresult add_memory(CUmemGenericAllocationHandle* handle, const Memory& memory) {
  if (memory.bytes > kTotalBytes - gpu(memory.device).used) return CUDA_ERROR_OUT_OF_MEMORY;
  gpu(memory.device).used += memory.bytes;
  *handle = all().next++;
  all().memory[*handle] = memory;
  ++all().handles;
  return CUDA_SUCCESS;
}

bool is_whole(std::size_t bytes) { return bytes > 0 && bytes % kUnit == 0; }

}  // namespace

std::optional<Mapped> fake_cuda::mapped_at(CUdeviceptr address, int device) {
  const std::lock_guard lock(all().mutex);
  const auto found = around(all().mapped, address, bytes_of_mapping);
  if (found == all().mapped.end()) {
    const auto reserved = around(all().reserved, address, [](std::size_t bytes) { return bytes; });
    if (reserved == all().reserved.end()) return std::nullopt;
    return Mapped{device, false};
  }
  const Mapping& mapping = found->second;
  return Mapped{all().memory.at(mapping.memory).device, mapping.accessible.contains(device)};
}

std::size_t fake_cuda_mappings() {
  const std::lock_guard lock(all().mutex);
  return all().handles + all().reserved.size() + all().mapped.size();
}

#define ENTER(NAME)                                          \
  if (const CUresult refused = enter(#NAME)) return refused; \
  const std::lock_guard lock(all().mutex)

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp*,
                                       CUmemAllocationGranularity_flags) {
  ENTER(cuMemGetAllocationGranularity);
  *bytes = kUnit;
  return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     const CUmemAllocationProp* properties, unsigned long long) {
  ENTER(cuMemCreate);
  const int device = properties->location.id;
  if (!is_whole(bytes) || device < 0 || device >= gpu_count()) return CUDA_ERROR_INVALID_VALUE;
  Memory memory{device, bytes, 1};
  if (properties->requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
    char name[32];
    std::snprintf(name, sizeof name, kFileName, device);
    memory.file = memfd_create(name, MFD_CLOEXEC);
    if (memory.file < 0 || ftruncate(memory.file, static_cast<off_t>(bytes)) != 0) {
      if (memory.file >= 0) close(memory.file);
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
  }
  const CUresult result = add_memory(handle, memory);
  if (result != CUDA_SUCCESS && memory.file >= 0) close(memory.file);
  return result;
}

CUresult cuMemExportToShareableHandle(void* descriptor, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long) {
  ENTER(cuMemExportToShareableHandle);
  const auto memory = all().memory.find(handle);
  if (memory == all().memory.end() || memory->second.file < 0 ||
      type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const int file = dup(memory->second.file);
  *static_cast<int*>(descriptor) = file;
  return file < 0 ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* descriptor,
                                        CUmemAllocationHandleType type) {
  ENTER(cuMemImportFromShareableHandle);
  const int file = static_cast<int>(reinterpret_cast<std::intptr_t>(descriptor));
  const int device = gpu_of_file(file);
  struct stat status {};
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || device < 0 || device >= gpu_count() ||
      fstat(file, &status) != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const int own = fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return CUDA_ERROR_OPERATING_SYSTEM;
  const CUresult result =
      add_memory(handle, {device, static_cast<std::size_t>(status.st_size), 1, own});
  if (result != CUDA_SUCCESS) close(own);
  return result;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  ENTER(cuMemRelease);
  if (!all().memory.contains(handle)) return CUDA_ERROR_INVALID_VALUE;
  drop(handle);
  --all().handles;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t alignment,
                             CUdeviceptr, unsigned long long) {
  ENTER(cuMemAddressReserve);
  if (!is_whole(bytes) || alignment > kUnit) return CUDA_ERROR_INVALID_VALUE;
  void* memory = mmap(nullptr, bytes + kUnit, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  const auto first = reinterpret_cast<CUdeviceptr>(memory);
  *address = (first + kUnit - 1) / kUnit * kUnit;
  if (*address > first) munmap(memory, *address - first);
  if (const std::size_t rest = first + kUnit - *address) {
    munmap(reinterpret_cast<void*>(*address + bytes), rest);
  }
  all().reserved[*address] = bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
  ENTER(cuMemAddressFree);
  const auto found = all().reserved.find(address);
  if (found == all().reserved.end() || found->second != bytes) return CUDA_ERROR_INVALID_VALUE;
  const auto mapped = all().mapped.lower_bound(address);
  if (mapped != all().mapped.end() && mapped->first < address + bytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  munmap(reinterpret_cast<void*>(address), bytes);
  all().reserved.erase(found);
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long) {
  ENTER(cuMemMap);
  const auto reserved = around(all().reserved, address, [](std::size_t size) { return size; });
  const auto memory = all().memory.find(handle);
  if (reserved == all().reserved.end() || memory == all().memory.end() || offset != 0 ||
      bytes != memory->second.bytes || address % kUnit != 0 ||
      address + bytes > reserved->first + reserved->second) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto after = all().mapped.lower_bound(address);
  if (after != all().mapped.end() && after->first < address + bytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (around(all().mapped, address, bytes_of_mapping) != all().mapped.end()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (memory->second.file >= 0 &&
      mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
           memory->second.file, 0) == MAP_FAILED) {
    return CUDA_ERROR_MAP_FAILED;
  }
  ++memory->second.references;
  all().mapped[address] = {bytes, handle, {}};
  return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
  ENTER(cuMemUnmap);
  const auto found = all().mapped.find(address);
  if (found == all().mapped.end() || found->second.bytes != bytes) return CUDA_ERROR_INVALID_VALUE;
  if (all().memory.at(found->second.memory).file >= 0) {
    mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  } else {
    madvise(reinterpret_cast<void*>(address), bytes, MADV_DONTNEED);
  }
  drop(found->second.memory);
  all().mapped.erase(found);
  return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc* accesses,
                        std::size_t count) {
  ENTER(cuMemSetAccess);
  const CUdeviceptr end = address + bytes;
  for (CUdeviceptr at = address; at < end;) {
    const auto found = all().mapped.find(at);
    if (found == all().mapped.end()) return CUDA_ERROR_INVALID_VALUE;
    Mapping& mapping = found->second;
    for (std::size_t i = 0; i < count; ++i) {
      const int device = accesses[i].location.id;
      if (peers(device, all().memory.at(mapping.memory).device) == Peers::none) {
        return CUDA_ERROR_INVALID_DEVICE;
      }
      mapping.accessible.insert(device);
    }
    at += mapping.bytes;
  }
  return CUDA_SUCCESS;
}
