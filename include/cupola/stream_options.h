#pragma once
// How streams and events are made, and streams captured.

#include <cstdint>

namespace cupola {

struct StreamOptions {
  // False: ordered with CUDA's legacy default stream, which other libraries may use.
  bool non_blocking = true;
  int priority = 0;  // lower numbers first; clamped to what the device has

  bool operator==(const StreamOptions&) const = default;
};

struct EventOptions {
  bool timing = false;
  bool blocking = false;      // threads that wait for it sleep instead of polling
  bool interprocess = false;  // may be opened by other processes; excludes timing

  bool operator==(const EventOptions&) const = default;
};

// Numbers of the CUDA runtime. The library itself calls nothing that would disturb a capture, so
// that they differ in two things: the end of one that is not relaxed must come from the thread of
// its beginning, and while one is global no thread may wait for the whole device.
enum class CaptureMode : std::uint8_t { global = 0, thread_local_only = 1, relaxed = 2 };

}  // namespace cupola
