#pragma once
// Where managed memory lies, in order with the other uses of an array's storage.

#include <optional>

#include "cupola/array.h"
#include "driver/driver.h"

namespace cupola {

// Moves the array's pages to a device of its platform, or to the host. Asynchronous, on the current
// stream of the array's device. Throws ValueError for an array in memory that is not managed.
void prefetch(const Array& array, const std::optional<Device>& target);
// What will be done with the pages; `target` is a device or the host.
void advise(const Array& array, MemoryAdvice advice, const std::optional<Device>& target);

}  // namespace cupola
