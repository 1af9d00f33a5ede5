#pragma once
// What the process did and when, recorded on demand: the content of cupola.profile().

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cupola/device.h"
#include "runtime/observer.h"

namespace cupola {

// Times are nanoseconds since the start of the recording, by the host's steady clock.
struct ProfileEvent {
  enum class Kind : std::uint8_t {
    kernel,
    to_device,
    to_host,
    between_devices,
    wait,  // of the host
    alloc,
    free,
  };
  Kind kind;
  std::string name;                     // of work: its operations; of a wait: what asked for it
  Device device{PlatformKind::cpu, 0};  // of work and memory
  std::uint64_t stream = 0;
  std::int64_t bytes_read = 0;  // of memory: the block's
  std::int64_t bytes_written = 0;
  bool is_pageable = false;
  std::uintptr_t address = 0;
  int thread = 0;               // of the host, numbered from 1 in the order of their first events
  std::int64_t host_start = 0;  // of work: while it was handed over
  std::int64_t host_end = 0;
  // On the device, by events before and after it on its stream; -1 where that is not known.
  std::int64_t device_start = -1;
  std::int64_t device_end = -1;
  CallPosition position{};
};

// One recording at a time: throws ValueError where there is one. Of more than `most_events` the
// oldest are forgotten. A kernel takes two events of its platform more, and the recording keeps at
// most some thousand of them.
void start_profile(std::size_t most_events);
bool is_profiling();
struct Profile {
  std::vector<ProfileEvent> events;  // in the order in which they began on the host
  std::size_t forgotten = 0;
  std::int64_t duration = 0;  // nanoseconds
};
// Waits for the work that was recorded. Empty where nothing was started.
Profile stop_profile();

}  // namespace cupola
