#include "memory/resource.h"

namespace cupola {

void* DeviceResource::allocate(std::size_t bytes, const StreamPointer&) {
  return driver_.allocate(device_.index(), bytes, kind_);
}

void DeviceResource::deallocate(void* pointer, std::size_t bytes,
                                const StreamPointer& stream) noexcept {
  try {
    driver_.synchronize(stream->handle());
  } catch (...) {
    // The stream's failure is reported to whoever uses the stream next, not to a destructor.
  }
  driver_.deallocate(device_.index(), pointer, bytes, kind_);
}

}  // namespace cupola
