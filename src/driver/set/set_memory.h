#pragma once
// Which memory of a platform lies on several devices, and where its pieces are.
//
// Threads: any at any time.

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "driver/driver.h"

namespace cupola {

// One allocation of striped memory.
struct StripedBlock {
  char* data = nullptr;
  int set = 0;  // whose members reach it
  std::vector<StripedPart> parts;
  std::vector<std::size_t> ends;  // of the parts, in bytes from `data`

  std::size_t bytes() const { return ends.back(); }
};
using StripedBlockPointer = std::shared_ptr<const StripedBlock>;

// A stretch of memory on one device.
struct Piece {
  int device = 0;
  char* data = nullptr;
  std::size_t bytes = 0;
};

class SetMemory {
 public:
  SetMemory();
  void add(void* data, int set, std::vector<StripedPart> parts);
  // Null for memory that begins elsewhere.
  StripedBlockPointer remove(const void* data) noexcept;
  // The allocation that the address lies in; null for other memory.
  StripedBlockPointer find(const void* address) const;

 private:
  mutable std::mutex mutex_;
  std::map<const char*, StripedBlockPointer> blocks_;  // by their ends
};

// The pieces of [address, address + bytes) that lie in the block; the address does.
std::vector<Piece> pieces_of(const StripedBlock& block, const void* address, std::size_t bytes);
// All of them are on the device.
bool all_on(std::span<const Piece> pieces, int device);
// Place of a device among members; it is one.
std::size_t place_among(std::span<const int> members, int device);
// The device that one byte of the block lies on.
int device_at(const StripedBlock& block, const void* address);

}  // namespace cupola
