#pragma once
// For tests: a resource of the CPU platform that counts, and a pool over it.

#include <memory>

#include "driver/registry.h"
#include "memory/allocator.h"
#include "memory/pool/pool.h"
#include "memory/resources/adaptors.h"
#include "memory/resources/leaves.h"

namespace cupola::testing {

constexpr std::size_t kMiB = std::size_t{1} << 20;

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

// The pool of every device.
class OnePool final : public Allocator {
 public:
  explicit OnePool(ResourcePointer pool) : pool_(std::move(pool)) {}
  ResourcePointer resource(const Device&) override { return pool_; }

 private:
  ResourcePointer pool_;
};

}  // namespace cupola::testing
