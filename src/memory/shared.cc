#include "memory/shared.h"

#include <sys/random.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/mutant.h"
#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "cupola/error.h"
#include "driver/registry.h"
#include "memory/buffer.h"
#include "memory/pressure/reclaim.h"

namespace cupola {

namespace {

constexpr std::size_t kAlignment = 256;
// Smaller requests share blocks of this size, which is the least that a GPU shares.
constexpr std::size_t kChunkBytes = std::size_t{2} << 20;
constexpr std::size_t kSmallBytes = kChunkBytes / 8;

struct Registry {
  struct Entry {
    SharedBlock block;
    std::weak_ptr<Storage> storage;
  };
  Registry() {
    lock_at_fork(ForkLayer::memory, chunk_mutex);
    lock_at_fork(ForkLayer::memory, mutex);
  }
  std::mutex chunk_mutex;  // guards Chunks; taken before the other
  std::mutex mutex;
  std::map<const void*, Entry> blocks;  // by address in this process
};

Registry& registry() {
  static constinit Lazy<Registry> instance;
  return *instance;
}

// Unmaps a block; kept by its storage until all streams are done with it.
class Mapping {
 public:
  Mapping(const Device& device, const SharedMemory& memory)
      : device_(device), memory_(memory), generation_(fork_generation()) {}
  ~Mapping() {
    {
      const std::lock_guard lock(registry().mutex);
      registry().blocks.erase(memory_.pointer);
    }
    if (is_inherited(generation_) && !driver(device_).traits().survives_fork) {
      close(memory_.descriptor);  // of a forked child, where the platform is out of reach
      return;
    }
    if (CUPOLA_MUTANT(keep_mappings)) return;
    driver(device_).unmap_shared(device_.index(), memory_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

 private:
  Device device_;
  SharedMemory memory_;
  std::uint64_t generation_;
};

BlockIdentity new_identity() {
  BlockIdentity identity;
  if (getentropy(identity.data(), identity.size()) != 0) {
    throw LibraryError("the system gives no random numbers to name shared memory with");
  }
  return identity;
}

std::shared_ptr<Storage> make_storage(const Device& device, const SharedMemory& memory,
                                      const BlockIdentity& identity) {
  auto mapping = std::make_shared<Mapping>(device, memory);
  auto storage = borrow_storage(device, memory.pointer, memory.bytes, std::move(mapping), true);
  const std::lock_guard lock(registry().mutex);
  registry().blocks[memory.pointer] = {{identity, memory.bytes, memory.descriptor}, storage};
  return storage;
}

std::shared_ptr<Storage> find_storage(const BlockIdentity& identity) {
  const std::lock_guard lock(registry().mutex);
  for (const auto& [pointer, entry] : registry().blocks) {
    if (entry.block.identity != identity || CUPOLA_MUTANT(map_blocks_again)) continue;
    if (auto storage = entry.storage.lock()) return storage;
  }
  return nullptr;
}

// Looks for memory on the device until `take` finds it, or there is none.
template <typename Function>
SharedMemory take_memory(const Device& device, std::size_t bytes, const Function& take) {
  Reclaimer reclaimer(device, bytes);
  for (;;) {
    try {
      return take(driver(device));
    } catch (const OutOfMemoryError& error) {
      if (!reclaimer.next()) throw_out_of_memory(device, bytes, error.what());
    }
  }
}

std::shared_ptr<Storage> create_block(const Device& device, std::size_t bytes) {
  const BlockIdentity identity = new_identity();
  const SharedMemory memory = take_memory(device, bytes, [&](Driver& platform) {
    return platform.create_shared(device.index(), bytes);
  });
  return make_storage(device, memory, identity);
}

// Hands out the parts of a block one after the other, none twice: whether other processes still
// use a part is not known here. The block goes when all its parts have gone everywhere.
class Chunks {
 public:
  static Chunks& instance() {
    static constinit Lazy<Chunks> chunks;
    return *chunks;
  }
  SharedSlice take(const Device& device, std::size_t bytes) {
    std::shared_ptr<Storage> fresh;  // made without locks; the last one to come is kept
    for (;;) {
      {
        const std::lock_guard lock(registry().chunk_mutex);
        Chunk& chunk = chunks_[device];
        if (chunk.has(bytes)) return chunk.take(bytes);
        if (fresh) {
          chunk = {std::move(fresh), 0, fork_generation()};
          return chunk.take(bytes);
        }
      }
      fresh = create_block(device, kChunkBytes);
    }
  }

 private:
  struct Chunk {
    // A forked child and its parent would hand out the same parts.
    bool has(std::size_t bytes) const {
      const bool is_parents = is_inherited(generation) && !CUPOLA_MUTANT(share_chunks_of_parents);
      return storage && !is_parents && next + bytes <= storage->bytes();
    }
    SharedSlice take(std::size_t bytes) {
      const std::size_t offset = next;
      next += (bytes + kAlignment - 1) / kAlignment * kAlignment;
      return {storage, offset};
    }
    std::shared_ptr<Storage> storage;
    std::size_t next = 0;
    std::uint64_t generation = 0;
  };
  std::unordered_map<Device, Chunk> chunks_;
};

}  // namespace

std::optional<SharedBlock> shared_block_of(const Storage& storage) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().blocks.find(storage.data());
  if (found == registry().blocks.end()) return std::nullopt;
  if (found->second.storage.lock().get() != &storage) return std::nullopt;
  return found->second.block;
}

SharedSlice allocate_shared(const Device& device, std::size_t bytes) {
  if (bytes <= kSmallBytes) return Chunks::instance().take(device, bytes);
  return {create_block(device, bytes), 0};
}

std::shared_ptr<Storage> attach_shared_block(const Device& device, const SharedBlock& block) {
  if (auto storage = find_storage(block.identity)) {
    close(block.descriptor);
    return storage;
  }
  const SharedMemory memory = take_memory(device, block.bytes, [&](Driver& platform) {
    return platform.map_shared(device.index(), block.descriptor, block.bytes);
  });
  return make_storage(device, memory, block.identity);
}

}  // namespace cupola
