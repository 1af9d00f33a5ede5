#pragma once
// A buffer that views share. Storage knows where its bytes lie (one device now; the placement
// lists one part per member of a device set) and which streams have used it, so that a use on
// another stream can wait and a release is ordered after all uses.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "cupola/device.h"

namespace cupola {

class StreamState;  // runtime/stream.h

struct PlacementPart {
  Device device;
  std::size_t first_byte;
  std::size_t byte_count;
};

// A stream whose work so far includes a use.
struct StorageUse {
  std::shared_ptr<StreamState> stream;
};

struct UseRecord {
  StorageUse write;               // stream is null before the first write
  std::vector<StorageUse> reads;  // since that write, at most one per stream
};

class Storage {
 public:
  Storage(Device device, void* data, std::size_t bytes)
      : data_(data), bytes_(bytes), placement_{{device, 0, bytes}} {}
  virtual ~Storage() = default;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  const Device& device() const { return placement_.front().device; }
  const std::vector<PlacementPart>& placement() const { return placement_; }
  // False for memory lent by others as read-only.
  virtual bool writable() const { return true; }

  // Guards `uses`.
  std::mutex mutex;
  UseRecord uses;

 private:
  void* data_;
  std::size_t bytes_;
  std::vector<PlacementPart> placement_;
};

}  // namespace cupola
