#pragma once
// Caches blocks of a resource. A block that was released on a stream serves that stream again at
// once; for another stream, that stream first waits for the work that may still use the block.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "memory/resource.h"

namespace cupola {

struct PoolStatistics {
  std::size_t used = 0;    // bytes handed out
  std::size_t cached = 0;  // bytes held for reuse
};

class Pool final : public Resource {
 public:
  // `upstream` must outlive the pool.
  explicit Pool(Resource& upstream) : upstream_(upstream) {}
  ~Pool() override { trim(); }

  // When the upstream is out of memory, everything cached is given back and the request is tried
  // once more.
  void* allocate(std::size_t bytes, const StreamPointer& stream) override;
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override;

  // Gives all cached blocks back to the upstream; returns their bytes.
  std::size_t trim();
  PoolStatistics statistics() const;

 private:
  struct FreeBlocks {
    StreamPointer stream;
    std::multimap<std::size_t, void*> by_size;
  };
  struct Block {
    void* pointer = nullptr;
    std::size_t size = 0;
    StreamPointer stream;  // on which it was released
  };

  // Takes a fitting block out of the cache; its pointer is null where there is none.
  Block take_cached(std::size_t size, const StreamPointer& stream);
  static Block take_from(FreeBlocks& blocks, std::size_t size);

  Resource& upstream_;
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, FreeBlocks> free_;  // by stream identity
  std::unordered_map<void*, std::size_t> sizes_;        // real sizes of blocks handed out
  PoolStatistics statistics_;
};

}  // namespace cupola
