#pragma once
// Tables whose keys are addresses, for what is counted or seen during one call: the first entries
// lie in the object, so that small work allocates nothing.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cupola {

template <typename Value>
class PointerMap {
 public:
  // A new entry has the value Value{}.
  Value& operator[](const void* key) {
    if ((size_ + 1) * 2 > slots().size()) grow();
    Slot& slot = slot_of(slots(), key);
    if (!slot.key) {
      slot = {key, Value{}};
      ++size_;
    }
    return slot.value;
  }
  // Null where there is no entry.
  const Value* find(const void* key) const {
    const Slot& slot = slot_of(const_cast<PointerMap*>(this)->slots(), key);
    return slot.key ? &slot.value : nullptr;
  }
  bool contains(const void* key) const { return find(key) != nullptr; }
  // False: it is there already.
  bool insert(const void* key) {
    const std::size_t before = size_;
    (*this)[key];
    return size_ > before;
  }

 private:
  struct Slot {
    const void* key = nullptr;
    Value value{};
  };
  static constexpr std::size_t kFirstSlots = 32;  // sizes are powers of two

  std::span<Slot> slots() {
    return more_.empty() ? std::span<Slot>(first_) : std::span<Slot>(more_);
  }
  // That of the key, or the free one where it belongs.
  static Slot& slot_of(std::span<Slot> slots, const void* key) {
    const std::size_t mask = slots.size() - 1;
    const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(key) * 0x9E3779B97F4A7C15u;
    std::size_t at = static_cast<std::size_t>(mixed >> 32) & mask;
    while (slots[at].key && slots[at].key != key) at = (at + 1) & mask;
    return slots[at];
  }
  void grow() {
    std::vector<Slot> larger(slots().size() * 4);
    for (const Slot& slot : slots()) {
      if (slot.key) slot_of(larger, slot.key) = slot;
    }
    more_ = std::move(larger);
  }

  std::array<Slot, kFirstSlots> first_{};
  std::vector<Slot> more_;  // all of them, once they are too many
  std::size_t size_ = 0;
};

struct NoValue {};
using PointerSet = PointerMap<NoValue>;

}  // namespace cupola
