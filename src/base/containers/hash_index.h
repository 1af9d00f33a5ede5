#pragma once
// Numbers of things by their hashes, for finding the first of equal things.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cupola {

class HashIndex {
 public:
  // The number that was added with an equal thing, or `number`, which is added. `is_equal(other)`
  // compares the thing with that of another number.
  template <typename IsEqual>
  std::size_t find_or_add(std::uint64_t hash, std::size_t number, const IsEqual& is_equal) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    Slot* slot = &slot_of(hash);
    while (slot->is_used && !(slot->hash == hash && is_equal(slot->number))) slot = &after(*slot);
    if (slot->is_used) return slot->number;
    *slot = {hash, number, true};
    ++size_;
    return number;
  }
  void clear() {
    if (size_ > 0) slots_.assign(slots_.size(), {});
    size_ = 0;
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::size_t number = 0;
    bool is_used = false;
  };
  static constexpr std::size_t kFirstSlots = 16;  // sizes are powers of two

  Slot& slot_of(std::uint64_t hash) { return slots_[hash & (slots_.size() - 1)]; }
  Slot& after(const Slot& slot) {
    return slots_[static_cast<std::size_t>(&slot - slots_.data() + 1) & (slots_.size() - 1)];
  }
  void grow() {
    std::vector<Slot> before(slots_.empty() ? kFirstSlots : slots_.size() * 4);
    before.swap(slots_);
    for (const Slot& old : before) {
      if (!old.is_used) continue;
      Slot* slot = &slot_of(old.hash);
      while (slot->is_used) slot = &after(*slot);
      *slot = old;
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace cupola
