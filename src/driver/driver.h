#pragma once
// Everything that a platform can do. Above this interface all code is the same for all platforms.
//
// Threads: every method may be called from any thread at any time. Work on one stream runs in the
// order of the calls; streams are independent of each other until wait() orders them.
// Errors: methods throw DeviceError (or what is said at them) with the platform's own message and
// device; methods marked noexcept are silent.
// Nothing here keeps a current device: each call carries its own.
//
// Methods that are not pure may be left out: docs/dev/adding_a_platform.md.

#include "driver/captures.h"
#include "driver/device_facts.h"
#include "driver/device_memory.h"
#include "driver/host_loops.h"
#include "driver/kernels.h"
#include "driver/libraries.h"
#include "driver/memory_sharing.h"
#include "driver/module.h"
#include "driver/streams.h"
#include "driver/striped_memory.h"
#include "driver/transfers.h"

namespace cupola {

class Driver : public DeviceFacts,
               public DeviceMemory,
               public StripedMemory,
               public MemorySharing,
               public Streams,
               public Captures,
               public Transfers,
               public Kernels,
               public HostLoops,
               public Libraries,
               public Modules {};

}  // namespace cupola
