#pragma once
// For tests: a resource of the CPU platform that counts, and a pool over it.

#include <memory>

#include "driver/registry.h"
#include "memory/pool/pool.h"
#include "memory/resources/adaptors.h"
#include "memory/resources/leaves.h"

namespace cupola::testing {

inline Device cpu_device() { return {PlatformKind::cpu, 0}; }
inline StreamPointer new_stream() { return Stream::create(cpu_device()).state(); }

struct CountedPool {
  explicit CountedPool(std::size_t limit = std::size_t{1} << 40)
      : upstream(std::make_shared<Limit>(
            std::make_shared<DeviceResource>(driver(PlatformKind::cpu), cpu_device()), limit)),
        counts(std::make_shared<Statistics>(upstream)),
        pool(std::make_shared<Pool>(counts)) {}
  std::size_t calls() const { return counts->counts().allocations; }
  std::size_t taken() const { return counts->counts().bytes; }

  std::shared_ptr<Limit> upstream;
  std::shared_ptr<Statistics> counts;
  std::shared_ptr<Pool> pool;
};

}  // namespace cupola::testing
