#pragma once
// What happens when a device has no memory left. Memory is looked for from the cheapest place to
// the dearest, the request being tried again after each step:
//   1. what finished copies and kernels held is released;
//   2. all pools of the device give back what they keep for reuse;
//   3. the work in flight on the device is waited for, then as in 1 and 2;
//   4. a pool that does so moves arrays to the host, one after the other (memory/pressure/spill.h);
//   5. registered caches are asked;
//   6. the host language's garbage collector runs once;
//   7. as in 4, since others may have taken what 5 and 6 released.
// Only then is OutOfMemoryError thrown, with the device's account.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "cupola/device.h"
#include "memory/pool/pool_core.h"
#include "memory/pressure/spill.h"

namespace cupola {

class Reclaimer {
 public:
  // For a pool that moves arrays, with its core.
  Reclaimer(const Device& device, std::size_t bytes, PoolCore* spilling = nullptr)
      : device_(device), bytes_(bytes), spilling_(spilling) {}
  ~Reclaimer() { Passage::keep(std::move(turn_)); }
  Reclaimer(const Reclaimer&) = delete;
  Reclaimer& operator=(const Reclaimer&) = delete;
  // Takes the next step; false when there is none left, or none can help.
  bool next();

 private:
  // False: there is nothing more to be moved, and nobody else to wait for.
  bool spill();

  Device device_;
  std::size_t bytes_;
  PoolCore* spilling_;
  int step_ = 0;
  // From the first array that is moved until there is room: nobody else shall take it.
  std::unique_ptr<SpillTurn> turn_;
};

// Pools on whose device memory counts. Any thread.
void register_pool(const std::shared_ptr<PoolCore>& core);
void unregister_pool(const PoolCore& core);
std::vector<std::shared_ptr<PoolCore>> pools_of(const Device& device);
// Every one that there is.
std::vector<std::shared_ptr<PoolCore>> all_pools();

// Bytes of one device.
struct MemoryAccount {
  std::size_t total = 0;
  std::size_t free = 0;
  std::size_t live = 0;    // held by live arrays
  std::size_t cached = 0;  // held by the pools for reuse
  std::size_t others = 0;  // other processes, and what CUDA itself takes
};
MemoryAccount account_of(const Device& device);
// "out of memory on cuda:0: 512 bytes asked for; ..." with the account of every device of the
// platform that is in use, and the cause.
[[noreturn]] void throw_out_of_memory(const Device& device, std::size_t bytes,
                                      const std::string& cause);

// A cache that can do without memory of a device. It is called without locks held by any thread
// that needs memory, and returns the bytes that it gave up. The result unregisters.
std::shared_ptr<void> register_cache(std::function<std::size_t(const Device&)> give_up);

// Reclaims for resources that do not do so themselves.
class Reclaiming final : public Resource {
 public:
  explicit Reclaiming(ResourcePointer upstream) : upstream_(std::move(upstream)) {}
  void* allocate(std::size_t bytes, const StreamPointer& stream) override;
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override {
    upstream_->deallocate(pointer, bytes, stream);
  }
  ResourceProperties properties() const override { return upstream_->properties(); }
  std::size_t trim() override { return upstream_->trim(); }

 private:
  ResourcePointer upstream_;
};

}  // namespace cupola
