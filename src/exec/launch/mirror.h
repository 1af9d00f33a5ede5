#pragma once
// The result of a reduction to one element, in host memory: where the host may poll, the kernel
// puts it there as well, and to read it takes no work of the device. A later write to the storage,
// and whoever gets its address, drops the mirror.

#include <cstdint>
#include <memory>
#include <optional>

#include "core/array_state.h"
#include "cupola/scalar.h"
#include "runtime/stream.h"

namespace cupola {

struct Mirror {
  Mirror(const Device& on, char* at, std::size_t size) : device(on), memory(at), bytes(size) {}
  ~Mirror();  // the memory goes to another, once the kernel has written there
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  const Device device;
  char* const memory;
  const std::size_t bytes;
  // The kernel; null before it was launched.
  StorageUse write;
  // Work of its stream up to this number was handed over before it. What other threads handed over
  // meanwhile may come after it, and yet have a lower number than it has.
  std::uint64_t earlier = 0;
};

// For a kernel to be launched on the stream that writes `target`; null where there can be none.
std::shared_ptr<Mirror> make_mirror(StreamState& stream, const Array& target);
// After the launch, whose use was recorded.
void set_mirror(UseRecord& uses, std::shared_ptr<Mirror> mirror);
// The element of a stored array from its storage's mirror, which it waits for; nothing if there is
// none. Throws what the work failed with.
std::optional<Scalar> read_mirror(const Array& array);

}  // namespace cupola
