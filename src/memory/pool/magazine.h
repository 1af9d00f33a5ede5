#pragma once
// Free blocks that one thread keeps of one stream, so that most requests touch nothing shared.
// Only the owning thread adds and removes blocks in the usual way; anyone may steal them all. A
// slot changes hands by one atomic exchange: no lock, and no step waits for another thread.

#include <array>
#include <atomic>
#include <cstdint>

#include "memory/pool/size_classes.h"

namespace cupola {

class Magazine {
 public:
  // Null where there is none. Owner only; `size` is of block_bytes.
  void* take(std::size_t size) {
    void* pointer = size <= kLargestSmall ? take_small(size_class(size)) : take_large(size);
    if (pointer) count(static_cast<std::int64_t>(size));
    return pointer;
  }
  // False when it is full. Owner only.
  bool put(void* pointer, std::size_t size) {
    const bool kept =
        size <= kLargestSmall ? put_small(pointer, size_class(size)) : put_large(pointer, size);
    if (kept) count(-static_cast<std::int64_t>(size));
    return kept;
  }

  // Calls receive(pointer) for every block, which is the caller's then. Any thread.
  template <typename Receive>
  void steal(const Receive& receive) {
    for (auto& slots : small_) {
      for (auto& slot : slots) steal_from(slot, receive);
    }
    for (Large& large : large_) steal_from(large.pointer, receive);
  }

  // How many it holds now.
  std::size_t blocks() const {
    std::size_t count = 0;
    for (const auto& slots : small_) {
      for (const auto& slot : slots) count += slot.load(std::memory_order_relaxed) != nullptr;
    }
    for (const Large& large : large_) {
      count += large.pointer.load(std::memory_order_relaxed) != nullptr;
    }
    return count;
  }
  // Bytes taken less bytes put, ever.
  std::int64_t balance() const { return balance_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kSlots = 8;
  static constexpr std::size_t kLargeSlots = 8;
  using Slot = std::atomic<void*>;
  struct Large {
    Slot pointer{nullptr};
    std::size_t size = 0;  // the owner's, as long as there is a pointer
  };

  static void* clear(Slot& slot) {
    if (!slot.load(std::memory_order_relaxed)) return nullptr;
    return slot.exchange(nullptr, std::memory_order_acq_rel);
  }
  template <typename Receive>
  static void steal_from(Slot& slot, const Receive& receive) {
    if (void* pointer = clear(slot)) receive(pointer);
  }
  // No more than 512 KiB of a size.
  static constexpr std::size_t depth(std::size_t size_class) {
    const std::size_t fit = (std::size_t{512} << 10) / class_bytes(size_class);
    return fit < 2 ? 2 : fit < kSlots ? fit : kSlots;
  }

  void* take_small(std::size_t index) {
    std::uint8_t& top = tops_[index];
    while (top > 0) {
      if (void* pointer = clear(small_[index][--top])) return pointer;
    }
    return nullptr;
  }
  bool put_small(void* pointer, std::size_t index) {
    std::uint8_t& top = tops_[index];
    if (top == depth(index)) return false;
    small_[index][top++].store(pointer, std::memory_order_release);
    return true;
  }
  void* take_large(std::size_t size) {
    for (Large& large : large_) {
      if (large.size != size) continue;
      if (void* pointer = clear(large.pointer)) return pointer;
    }
    return nullptr;
  }
  bool put_large(void* pointer, std::size_t size) {
    for (Large& large : large_) {
      if (large.pointer.load(std::memory_order_relaxed)) continue;
      large.size = size;
      large.pointer.store(pointer, std::memory_order_release);
      return true;
    }
    return false;
  }
  void count(std::int64_t bytes) {
    balance_.store(balance_.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
  }

  std::atomic<std::int64_t> balance_{0};
  std::array<std::uint8_t, kSizeClasses> tops_{};  // the slots below hold blocks, or were robbed
  std::array<std::array<Slot, kSlots>, kSizeClasses> small_{};
  std::array<Large, kLargeSlots> large_{};
};

}  // namespace cupola
