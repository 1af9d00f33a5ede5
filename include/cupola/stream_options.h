#pragma once
// How streams and events are made.

namespace cupola {

struct StreamOptions {
  // False: ordered with CUDA's legacy default stream, which other libraries may use.
  bool non_blocking = true;
  int priority = 0;  // lower numbers first; clamped to what the device has
};

struct EventOptions {
  bool timing = false;
  bool blocking = false;      // threads that wait for it sleep instead of polling
  bool interprocess = false;  // may be opened by other processes; excludes timing
};

}  // namespace cupola
