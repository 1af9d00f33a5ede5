#pragma once
// One value for each device, made of blocks that are allocated when first touched.

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace cupola::cuda {

// More than any machine has; discovery refuses the rest.
inline constexpr int kMaxDevices = 4096;

// Threads: any element may be asked for by any thread; references stay valid while the table lives.
template <typename Value>
class DeviceTable {
 public:
  DeviceTable() = default;
  ~DeviceTable() {
    for (auto& block : blocks_) delete block.load(std::memory_order_relaxed);
  }
  DeviceTable(const DeviceTable&) = delete;
  DeviceTable& operator=(const DeviceTable&) = delete;

  // `device` is from 0 to kMaxDevices - 1. A new element is Value{}.
  Value& operator[](int device) {
    const auto index = static_cast<std::size_t>(device);
    std::atomic<Block*>& slot = blocks_[index / kBlock];
    Block* block = slot.load(std::memory_order_acquire);
    if (!block) block = add(slot);
    return block->values[index % kBlock];
  }

 private:
  static constexpr std::size_t kBlock = 64;
  struct Block {
    std::array<Value, kBlock> values{};
  };

  static Block* add(std::atomic<Block*>& slot) {
    auto made = std::make_unique<Block>();
    Block* present = nullptr;
    if (!slot.compare_exchange_strong(present, made.get(), std::memory_order_acq_rel)) {
      return present;
    }
    return made.release();
  }

  std::array<std::atomic<Block*>, kMaxDevices / kBlock> blocks_{};
};

}  // namespace cupola::cuda
