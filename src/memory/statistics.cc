#include "cupola/runtime.h"
#include "memory/buffer.h"

namespace cupola {

std::size_t release_cached_memory(const Device& device) { return device_pool(device).trim(); }

MemoryStatistics memory_statistics(const Device& device) {
  const PoolStatistics statistics = device_pool(device).statistics();
  return {statistics.used, statistics.cached};
}

}  // namespace cupola
