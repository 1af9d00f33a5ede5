#include "cupola/dims.h"

#include <fmt/format.h>

#include "cupola/error.h"

namespace cupola {

void Dims::resize(std::size_t count) {
  if (count > capacity_) {
    if (count > kMaxRank) {
      throw ValueError(
          fmt::format("an array has at most {} dimensions, {} were asked for", kMaxRank, count));
    }
    auto grown = std::make_unique<value_type[]>(kMaxRank);
    std::memcpy(grown.get(), data(), size_ * sizeof(value_type));
    heap_ = std::move(grown);
    capacity_ = kMaxRank;
  }
  const std::size_t old = size_;
  size_ = static_cast<std::uint32_t>(count);
  if (count > old) std::fill(data() + old, data() + count, 0);
}

std::string to_string(const Dims& dims) {
  if (dims.size() == 1) return fmt::format("({},)", dims[0]);
  return fmt::format("({})", fmt::join(dims.begin(), dims.end(), ", "));
}

}  // namespace cupola
