#pragma once
// What stands for streams and events of a platform.

namespace cupola {

// Opaque to everything above the platform.
using StreamHandle = struct DriverStream*;
using EventHandle = struct DriverEvent*;

}  // namespace cupola
