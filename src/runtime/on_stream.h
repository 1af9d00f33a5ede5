#pragma once
// A stream as the thread's current one of its device, for a while.

#include <memory>
#include <utility>

#include "cupola/runtime.h"

namespace cupola {

// While one lives. Null changes nothing.
class OnStream {
 public:
  OnStream(const Device& device, std::shared_ptr<StreamState> stream)
      : device_(device), is_chosen_(stream != nullptr) {
    if (is_chosen_) outside_ = choose_stream(device_, std::move(stream));
  }
  ~OnStream() {
    if (is_chosen_) choose_stream(device_, std::move(outside_));
  }
  OnStream(const OnStream&) = delete;
  OnStream& operator=(const OnStream&) = delete;

 private:
  const Device device_;
  const bool is_chosen_;
  std::shared_ptr<StreamState> outside_;
};

}  // namespace cupola
