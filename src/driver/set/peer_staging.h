#pragma once
// What a member reads of others' memory, brought near.

#include "driver/driver.h"
#include "driver/set/matrix_range.h"

namespace cupola {

// For as long as this object lives, in the order of a stream.
class PeerStaging {
 public:
  // Memory only. Throws OutOfMemoryError.
  PeerStaging(Driver& platform, const MatrixRange& range, StreamHandle stream);
  ~PeerStaging() { platform_.deallocate_async(memory_, bytes(), stream_); }
  PeerStaging(const PeerStaging&) = delete;
  PeerStaging& operator=(const PeerStaging&) = delete;

  char* data() const { return memory_ + beyond_; }
  const MatrixRange& range() const { return range_; }
  // Where what the pointer stands for is.
  const void* moved(const void* pointer) const {
    return data() + (static_cast<const char*>(pointer) - range_.data);
  }

 private:
  std::size_t bytes() const { return range_.bytes + beyond_; }

  Driver& platform_;
  const StreamHandle stream_;
  const MatrixRange range_;
  const std::size_t beyond_;
  char* const memory_;
};

}  // namespace cupola
