#pragma once
// Functions of the user in the order of a stream.

#include <functional>
#include <memory>

#include "runtime/stream.h"

namespace cupola {

// Runs `function` once all work so far on the stream is done; later work on the stream waits until
// it has returned. It runs on a thread of its own, with no lock of the library held, so that it may
// block or use the library without holding up other streams; only waiting for its own stream would
// be waiting for itself. It must not throw.
//
// In a capture it is called at every launch of the graph, by a thread of the platform, and must not
// use the library.
void launch_host_function(const std::shared_ptr<StreamState>& stream,
                          std::function<void()> function);

// Whether there are some that have not returned. What they wait for may be the caller's to release.
bool host_functions_are_pending() noexcept;

}  // namespace cupola
