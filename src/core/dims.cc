#include "cupola/dims.h"

#include <fmt/format.h>

#include "cupola/error.h"

namespace cupola {

void Dims::grow(std::size_t count) {
  if (count > kMaxRank) {
    throw ValueError(
        fmt::format("an array has at most {} dimensions, {} were asked for", kMaxRank, count));
  }
  auto grown = std::make_unique<value_type[]>(kMaxRank);
  std::memcpy(grown.get(), data(), size_ * sizeof(value_type));
  heap_ = std::move(grown);
  capacity_ = kMaxRank;
}

std::string to_string(const Dims& dims) {
  std::string text = "(";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ' ';
    text += std::to_string(dims[i]);
    if (i + 1 < dims.size() || dims.size() == 1) text += ',';
  }
  text += ')';
  return text;
}

}  // namespace cupola
