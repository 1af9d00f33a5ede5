#include "platforms/cpu/adversary/arena.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/mutant.h"
#include "cupola/error.h"
#include "platforms/cpu/device/host_memory.h"

namespace cupola::cpu::adversary {
namespace {

// Larger blocks are given back to the system rather than poisoned, and are zero when new.
constexpr std::size_t kMaxPoisoned = std::size_t{64} << 20;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kRemembered = 64;

std::size_t rounded(std::size_t bytes) {
  return (bytes + kMemoryAlignment - 1) / kMemoryAlignment * kMemoryAlignment;
}

void paint(Address first, std::uint8_t value, std::size_t bytes) {
  if (bytes <= kMaxPoisoned) {
    std::memset(reinterpret_cast<void*>(first), value, bytes);
    return;
  }
  const Address page = (first + kPage - 1) / kPage * kPage;
  madvise(reinterpret_cast<void*>(page), (first + bytes - page) / kPage * kPage, MADV_DONTNEED);
}

}  // namespace

Arena::Arena(std::size_t bytes) : bytes_(rounded(bytes)) {
  void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw OutOfMemoryError(fmt::format("the system refuses to reserve {} bytes", bytes_));
  }
  base_ = reinterpret_cast<Address>(memory);
  free_.emplace(base_, bytes_);
}

Arena::~Arena() { munmap(reinterpret_cast<void*>(base_), bytes_); }

Address Arena::take(std::size_t bytes) {
  auto found = free_.end();
  for (std::size_t i = recent_.size(); i-- > 0 && found == free_.end();) {
    // A freed block may have become part of a larger one, or have been taken in part.
    auto after = free_.upper_bound(recent_[i]);
    if (after == free_.begin()) continue;
    const auto around = std::prev(after);
    const Address end = around->first + around->second;
    if (end <= recent_[i] || end - recent_[i] < bytes) continue;
    const Address first = recent_[i];
    const Address start = around->first;
    free_.erase(around);
    if (first > start) free_.emplace(start, first - start);
    if (end > first + bytes) free_.emplace(first + bytes, end - first - bytes);
    recent_.erase(recent_.begin() + static_cast<std::ptrdiff_t>(i));
    return first;
  }
  found = std::find_if(free_.begin(), free_.end(),
                       [&](const auto& block) { return block.second >= bytes; });
  if (found == free_.end()) return 0;
  const auto [first, size] = *found;
  free_.erase(found);
  if (size > bytes) free_.emplace(first + bytes, size - bytes);
  return first;
}

void Arena::give(Address first, std::size_t bytes) {
  recent_.push_back(first);
  if (recent_.size() > kRemembered) recent_.erase(recent_.begin());
  auto after = free_.lower_bound(first);
  if (after != free_.end() && first + bytes == after->first) {
    bytes += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == first) {
      before->second += bytes;
      return;
    }
  }
  free_.emplace(first, bytes);
}

void* Arena::allocate(std::size_t bytes) noexcept {
  if (bytes > bytes_) return nullptr;
  const std::size_t size = rounded(std::max<std::size_t>(bytes, 1));
  const std::lock_guard lock(mutex_);
  const Address first = take(size);
  if (first == 0) return nullptr;
  live_.emplace(first, Block{.asked = bytes, .taken = size});
  paint(first, kNew, size);
  return reinterpret_cast<void*>(first);
}

bool Arena::free(void* pointer) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(reinterpret_cast<Address>(pointer));
  if (found == live_.end()) return false;
  const auto [first, block] = *found;
  paint(first, kFreed, block.taken);
  live_.erase(found);
  give(first, block.taken);
  return true;
}

void Arena::set_hidden(void* pointer, bool is_hidden) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(reinterpret_cast<Address>(pointer));
  if (found == live_.end()) return;
  auto& [first, block] = *found;
  block.is_hidden = is_hidden;
  paint(first, is_hidden ? kFreed : kNew, block.taken);
}

void Arena::hide(void* pointer) noexcept { set_hidden(pointer, true); }

void Arena::show(void* pointer) noexcept { set_hidden(pointer, false); }

Arena::State Arena::state_of(const Range& range) const {
  if (range.last <= base_ || range.first >= base_ + bytes_) return State::foreign;
  const std::lock_guard lock(mutex_);
  const auto after = live_.upper_bound(range.first);
  if (after == live_.begin()) return State::dead;
  const auto& [first, block] = *std::prev(after);
  const bool is_within =
      range.last <= first + (CUPOLA_MUTANT(arena_rounds_up) ? block.taken : block.asked);
  return is_within && !block.is_hidden ? State::live : State::dead;
}

Range Arena::block_at(const void* pointer) const {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(reinterpret_cast<Address>(pointer));
  return found == live_.end() ? Range{} : Range{found->first, found->first + found->second.asked};
}

}  // namespace cupola::cpu::adversary
