#pragma once
// The functions of libnvidia-ml.so.1 that discovery uses. NVML's header is not part of every
// toolkit, so that the few types are declared here.

#include <cstddef>

namespace cupola::cuda {

struct NvmlMemory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

// nvmlPciInfo_t, version 3.
struct NvmlPciInfo {
  char bus_id_legacy[16];
  unsigned int domain;
  unsigned int bus;
  unsigned int device;
  unsigned int pci_device_id;
  unsigned int pci_subsystem_id;
  char bus_id[32];
};

using NvmlDevice = struct NvmlDeviceState*;

inline constexpr int kNvmlClockSm = 1;  // nvmlClockType_t

// All but `init` return 0 for success. Those below the line may be null.
struct NvmlApi {
  int (*init)();
  int (*shutdown)();
  int (*count)(unsigned int*);
  int (*handle)(unsigned int, NvmlDevice*);
  int (*handle_by_uuid)(const char*, NvmlDevice*);
  int (*name)(NvmlDevice, char*, unsigned int);
  int (*uuid)(NvmlDevice, char*, unsigned int);
  int (*memory)(NvmlDevice, NvmlMemory*);
  int (*pci)(NvmlDevice, NvmlPciInfo*);
  int (*compute_capability)(NvmlDevice, int*, int*);
  // --
  int (*cores)(NvmlDevice, unsigned int*);
  int (*max_clock)(NvmlDevice, int type, unsigned int* megahertz);
  int (*max_parts)(NvmlDevice, unsigned int*);
  int (*part)(NvmlDevice, unsigned int, NvmlDevice*);
  int (*driver_version)(int*);                   // of CUDA: 13000 for 13.0
  int (*installed_driver)(char*, unsigned int);  // "580.65.06"
};

// Opened once and initialised; a forked child, to which handles of devices do not belong,
// initialises it anew. Null where NVML is missing or refuses.
const NvmlApi* nvml_api();

}  // namespace cupola::cuda
