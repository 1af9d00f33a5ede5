#include "driver/set/set_memory.h"

#include <algorithm>
#include <utility>

#include "base/process/fork.h"

namespace cupola {

namespace {

std::size_t part_at(const StripedBlock& block, std::size_t offset) {
  const auto end = std::upper_bound(block.ends.begin(), block.ends.end(), offset);
  return static_cast<std::size_t>(end - block.ends.begin());
}

}  // namespace

SetMemory::SetMemory() { lock_at_fork(ForkLayer::driver, mutex_); }

void SetMemory::add(void* data, int set, std::vector<StripedPart> parts) {
  auto block = std::make_shared<StripedBlock>();
  block->data = static_cast<char*>(data);
  block->set = set;
  std::size_t end = 0;
  for (const StripedPart& part : parts) block->ends.push_back(end += part.bytes);
  block->parts = std::move(parts);
  const char* const last = block->data + end;
  const std::lock_guard lock(mutex_);
  blocks_[last] = std::move(block);
}

StripedBlockPointer SetMemory::remove(const void* data) noexcept {
  const std::lock_guard lock(mutex_);
  const auto entry = blocks_.upper_bound(static_cast<const char*>(data));
  if (entry == blocks_.end() || entry->second->data != data) return nullptr;
  StripedBlockPointer block = std::move(entry->second);
  blocks_.erase(entry);
  return block;
}

StripedBlockPointer SetMemory::find(const void* address) const {
  const std::lock_guard lock(mutex_);
  const auto entry = blocks_.upper_bound(static_cast<const char*>(address));
  if (entry == blocks_.end() || entry->second->data > address) return nullptr;
  return entry->second;
}

std::vector<Piece> pieces_of(const StripedBlock& block, const void* address, std::size_t bytes) {
  std::vector<Piece> pieces;
  auto offset = static_cast<std::size_t>(static_cast<const char*>(address) - block.data);
  const std::size_t end = std::min(offset + bytes, block.bytes());
  for (std::size_t part = part_at(block, offset); offset < end; ++part) {
    const std::size_t until = std::min(end, block.ends[part]);
    if (!pieces.empty() && pieces.back().device == block.parts[part].device) {
      pieces.back().bytes += until - offset;
    } else {
      pieces.push_back({block.parts[part].device, block.data + offset, until - offset});
    }
    offset = until;
  }
  return pieces;
}

bool all_on(std::span<const Piece> pieces, int device) {
  return std::ranges::all_of(pieces, [&](const Piece& piece) { return piece.device == device; });
}

std::size_t place_among(std::span<const int> members, int device) {
  return static_cast<std::size_t>(std::ranges::find(members, device) - members.begin());
}

int device_at(const StripedBlock& block, const void* address) {
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) - block.data);
  return block.parts[part_at(block, offset)].device;
}

}  // namespace cupola
