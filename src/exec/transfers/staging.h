#pragma once
// Copies between pageable host memory and a device through pinned slots, so that the device's copy
// engine and several threads work at once.
//
// Nothing here knows of arrays: the caller keeps the device memory alive, and in order with other
// uses of it, until the work on `stream` is done.

#include <cstddef>
#include <memory>

#include "runtime/stream.h"

namespace cupola {

// Returns when `source` has been read; the rest is then queued on the stream. Waits for the stream
// when the slots are used up.
void stage_from_host(StreamState& stream, void* target, const void* source, std::size_t bytes);
// The same for short copies, without ever waiting. False, and nothing done, where that cannot be.
bool try_stage_from_host(StreamState& stream, void* target, const void* source, std::size_t bytes);
// Returns when `target` holds the bytes.
void stage_to_host(StreamState& stream, void* target, const void* source, std::size_t bytes);

// The same as work of the stream: the host memory is read, or written, in the stream's order, and
// the call waits for nothing. The host memory, and what is returned, must live until that is done.
std::shared_ptr<void> queue_from_host(StreamState& stream, void* target, const void* source,
                                      std::size_t bytes);
std::shared_ptr<void> queue_to_host(StreamState& stream, void* target, const void* source,
                                    std::size_t bytes);

}  // namespace cupola
