#pragma once
// Memory of the hostile platform: one reserved range of addresses, so that every address in it
// is either in a live block or a mistake. Freed memory is poisoned and serves again at once.
// Any thread.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "platforms/cpu/adversary/shadow.h"

namespace cupola::cpu::adversary {

class Arena {
 public:
  static constexpr std::uint8_t kNew = 0xCB;
  static constexpr std::uint8_t kFreed = 0xFB;

  // Reserves addresses; memory is taken as it is touched. Throws OutOfMemoryError.
  explicit Arena(std::size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // 256-byte aligned, all bytes kNew; the block freed last comes first. Null when full.
  void* allocate(std::size_t bytes) noexcept;
  // All bytes become kFreed. False (and nothing done) for what is not the start of a live block.
  bool free(void* pointer) noexcept;

  // The bytes of a live block become kFreed, and all its addresses mistakes, until it is shown
  // again with all bytes kNew.
  void hide(void* pointer) noexcept;
  void show(void* pointer) noexcept;

  enum class State : std::uint8_t { foreign, live, dead };
  // live: all of it in one live block that is not hidden. dead: some of it in the arena, but not
  // so.
  State state_of(const Range& range) const;
  // The live block that begins there; empty if none does.
  Range block_at(const void* pointer) const;

  std::mutex& mutex() { return mutex_; }  // held during a fork

 private:
  void set_hidden(void* pointer, bool is_hidden) noexcept;
  void give(Address first, std::size_t bytes);
  // 0 where there is none.
  Address take(std::size_t bytes);

  const std::size_t bytes_;
  Address base_ = 0;
  mutable std::mutex mutex_;
  struct Block {
    std::size_t asked;  // bytes
    std::size_t taken;
    bool is_hidden = false;
  };
  std::map<Address, Block> live_;
  std::map<Address, std::size_t> free_;  // bytes; never two side by side
  std::vector<Address> recent_;          // starts of freed blocks, the latest last
};

}  // namespace cupola::cpu::adversary
