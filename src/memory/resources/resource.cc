#include "memory/resources/resource.h"

#include "base/mutant.h"

namespace cupola {

void wait_quietly(const StreamPointer& stream) noexcept {
  if (!stream || CUPOLA_MUTANT(trim_without_waiting)) return;
  try {
    stream->synchronize();
  } catch (...) {
    // Reported to whoever uses the stream next, not to a destructor.
  }
}

}  // namespace cupola
