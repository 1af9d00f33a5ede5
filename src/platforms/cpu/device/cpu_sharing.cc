// Memory of the CPU platform that processes share: anonymous files that only descriptors name.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/mutant.h"
#include "cupola/error.h"
#include "platforms/cpu/device/cpu_driver.h"

namespace cupola::cpu {
namespace {

std::size_t round_to_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes > SIZE_MAX - page ? SIZE_MAX / page * page : (bytes + page - 1) / page * page;
}

[[noreturn]] void throw_refused(int device, std::size_t bytes, int error) {
  const std::string message =
      fmt::format("the system refuses {} bytes of shared memory for cpu:{}: {}{}", bytes, device,
                  std::strerror(error),
                  error == EMFILE ? " (each block that processes share takes one descriptor of the "
                                    "process; ulimit -n sets how many there are)"
                                  : "");
  throw OutOfMemoryError(message);
}

// Of a fixed size, so that no process can take pages away from another. Throws OutOfMemoryError.
int make_file(int device, std::size_t bytes) {
  const unsigned int inherited = CUPOLA_MUTANT(inherit_descriptors) ? 0 : MFD_CLOEXEC;
  const int descriptor = memfd_create("cupola", inherited | MFD_ALLOW_SEALING);
  if (descriptor < 0) throw_refused(device, bytes, errno);
  if (ftruncate(descriptor, static_cast<off_t>(bytes)) != 0 ||
      fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    const int error = errno;
    close(descriptor);
    throw_refused(device, bytes, error);
  }
  return descriptor;
}

}  // namespace

SharedMemory CpuDriver::map_descriptor(int device, int descriptor, std::size_t bytes) {
  charge(device, bytes, bytes);
  void* pointer = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (pointer == MAP_FAILED) {
    const int error = errno;
    discharge(device, bytes);
    throw_refused(device, bytes, error);
  }
  allocations_.add(pointer, {bytes, PointerKind::device, device});
  return {pointer, bytes, descriptor};
}

SharedMemory CpuDriver::create_shared(int device, std::size_t bytes) {
  check_device(device);
  const std::size_t size = round_to_pages(bytes);
  const int descriptor = make_file(device, size);
  try {
    return map_descriptor(device, descriptor, size);
  } catch (...) {
    close(descriptor);
    throw;
  }
}

SharedMemory CpuDriver::map_shared(int device, int descriptor, std::size_t bytes) {
  check_device(device);
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || fcntl(descriptor, F_GET_SEALS) < 0 ||
      static_cast<std::size_t>(status.st_size) != bytes || bytes == 0) {
    throw ValueError(fmt::format("descriptor {} is not shared memory of {} bytes of a CPU device",
                                 descriptor, bytes));
  }
  return map_descriptor(device, descriptor, bytes);
}

void CpuDriver::unmap_shared(int device, const SharedMemory& memory) noexcept {
  allocations_.remove(memory.pointer);
  munmap(memory.pointer, memory.bytes);
  close(memory.descriptor);
  discharge(device, memory.bytes);
}

}  // namespace cupola::cpu
