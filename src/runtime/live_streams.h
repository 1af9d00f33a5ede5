#pragma once
// Every stream of the process that still exists.

#include <memory>
#include <vector>

#include "runtime/stream.h"

namespace cupola {

using StreamPointer = std::shared_ptr<StreamState>;

// Nothing of the platform is made yet.
StreamPointer make_stream(const Device& device, const StreamOptions& options = {});
// A stream of others, by its native handle (CUstream): the one that stands for it already, or a new
// one. `owner` is kept as long as anything was used on it; it may be null. Throws DeviceError.
StreamPointer adopt_stream(const Device& device, void* native, std::shared_ptr<void> owner);

// The default stream of the calling thread, whatever its current one is.
const StreamPointer& thread_stream(const Device& device);

std::vector<StreamPointer> live_streams(const Device& device);
// Of all devices of the platform, and of its sets.
std::vector<StreamPointer> live_streams(PlatformKind platform);

void forget_live_stream(std::uint64_t id) noexcept;

}  // namespace cupola
