#pragma once
// Which function that runs beside a stream (Driver::run_beside) the calling thread is in.

#include "driver/driver.h"

namespace cupola {

// While one lives, the calling thread runs a function beside `stream`.
class BesideStream {
 public:
  BesideStream(PlatformKind platform, StreamHandle stream) noexcept;
  ~BesideStream();
  BesideStream(const BesideStream&) = delete;
  BesideStream& operator=(const BesideStream&) = delete;
};

// That stream, if it is one of the platform; else null.
StreamHandle beside_stream(PlatformKind platform) noexcept;

}  // namespace cupola
