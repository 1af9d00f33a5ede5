#pragma once
// What a platform says of its devices.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "cupola/device.h"
#include "driver/lacking.h"

namespace cupola {

struct DeviceProperties {
  std::string name;
  std::size_t total_memory = 0;  // bytes
  int compute_major = 0;         // CUDA only
  int compute_minor = 0;
  int multiprocessors = 0;  // CPU: threads of the pool
  // Short operations on an element that take no longer than to store it and to read it again.
  int free_operations = 0;
  std::string uuid;
  std::string pci_bus_id;
};

struct MemoryInfo {
  std::size_t free = 0;  // bytes
  std::size_t total = 0;
};

// The same for all devices of a platform, for as long as the process runs.
struct PlatformTraits {
  // Asynchronous copies use pageable memory as they use pinned memory.
  bool pageable_is_direct = false;
  // The host may poll pinned memory for what a kernel writes there.
  bool host_may_poll = false;
  // Memory of devices is the host's own, which it may read and write where no work uses it, and
  // kernels run on threads of the host.
  bool host_shares_memory = false;
  // The host waits for what a kernel finds no longer than the kernel takes.
  bool answers_at_once = false;
  // Of memory, roughly: what decides whether waiting work is worth a launch.
  double bytes_per_second = 2e12;
  // Streams, events and memory are of use in a forked child.
  bool survives_fork = false;
  // Libraries that were not told a stream use the legacy default stream.
  bool has_legacy_stream = false;
  // Kernels read whole words, also behind the end of an allocation.
  bool reads_whole_words = false;
  // Counters that kernels with StoreKind::tally have several copies of, near what counts.
  std::int64_t most_tallied = 0;
  // Such kernels pass over what has no counter.
  bool tally_checks_places = false;
  // Sums of parts are added in the order of the elements.
  bool tally_keeps_order = false;
  // select() takes rows whose elements are no neighbours.
  bool selects_any_rows = false;
  // Several devices select together what one selects.
  bool sets_select = false;
  // Factorisations of infinities and NaN end, and fail where LAPACK's do.
  bool factors_non_finite = false;
  // Launches of users' kernels are checked against the memory that they may use.
  bool checks_memory_of_kernels = false;
};

// Of the devices, and of the platform as a whole.
class DeviceFacts {
 public:
  virtual ~DeviceFacts() = default;

  virtual PlatformKind platform() const = 0;
  virtual const PlatformTraits& traits() const = 0;
  // Discovery initialises nothing.
  virtual int device_count() = 0;
  virtual DeviceProperties properties(int device) = 0;
  virtual MemoryInfo memory_info(int device) = 0;

  // Of the device, by CUDA's names without "cudaDevAttr" ("WarpSize"). May initialise the platform,
  // makes no context.
  virtual std::vector<std::pair<std::string, int>> attributes(int /*device*/) { return {}; }
  // Whether kernels on `device` can reach the memory of `peer`.
  virtual bool can_access_peer(int /*device*/, int /*peer*/) { return false; }
  // 13000 for 13.0: what the installed driver supports, and what is in use. 0 on the CPU.
  virtual int driver_version() { return 0; }
  virtual int runtime_version() { return 0; }
  // By anybody in this process; asking does not initialise.
  virtual bool is_initialized() { return true; }
  // Whether anybody made the device's primary context; asking makes none.
  virtual bool has_context(int /*device*/) { return false; }

  // What the device's work failed with; null while it is healthy. See driver/health.h.
  virtual std::exception_ptr fault(int /*device*/) { return nullptr; }
  // Makes a failed device usable again, where that can be: DeviceError says why it cannot.
  virtual void clear_fault(int /*device*/) { throw_lacking("way to use a failed device again"); }
};

}  // namespace cupola
