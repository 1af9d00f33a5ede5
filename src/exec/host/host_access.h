#pragma once
// Memory that the host shares with a device, used by the calling thread itself, without a launch,
// where no work uses it, nobody looks on, and nothing is being recorded.

#include <cstdint>

#include "core/array_state.h"
#include "exec/launch/ready_launch.h"

namespace cupola {

// The calling thread handles so much itself; more is work for all threads.
inline constexpr std::int64_t kMaxOnHost = 8192;  // elements
// The same where places are looked up: a launch does that and what comes next in one pass.
inline constexpr std::int64_t kMaxIndexedOnHost = 4096;

// One short operation on so many bytes, or a copy of them, is over before a launch has begun.
inline constexpr std::int64_t kMaxBytesAtOnce = std::int64_t{1} << 17;

// Whether the host shares the memory of the device at all.
bool host_shares_memory(const Device& device);
// Whether somebody is to be told of work, or work is recorded instead of done.
bool is_work_watched();

// Whether memory that nobody has yet may be written to at once.
bool may_fill(const Storage& storage);

// The right to use stored arrays, as long as it lives. Nothing is waited for.
class HostAccess {
 public:
  HostAccess() = default;
  HostAccess(const HostAccess&) = delete;
  HostAccess& operator=(const HostAccess&) = delete;

  // Their elements may be read, or read and written. False: that is for work in the order of a
  // stream to do. Throws what the device failed with.
  // Pending arrays that read the elements keep them from being written, but for so many readings,
  // which are the caller's.
  bool may_read(const Array& array);
  bool may_write(const Array& array, std::uint32_t own_readings = 0);

 private:
  bool is_held(const Array& array);
  TriedLocks locks_;
};

}  // namespace cupola
