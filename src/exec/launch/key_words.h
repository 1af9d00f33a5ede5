#pragma once
// Words of keys, of launches and of schedules.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/readings.h"

namespace cupola {

// More arrays have no key.
inline constexpr std::size_t kMaxOfKey = 4 * kMaxNodesPerKernel;

// `tag` tells what kind of word it is, within 4 bits; the value has 60.
template <typename Tag>
std::uint64_t tagged(Tag tag, std::uint64_t value) {
  return static_cast<std::uint64_t>(tag) << 60 | value;
}

inline std::uint64_t word_of(const Device& device) {
  return static_cast<std::uint64_t>(device.platform()) << 32 |
         static_cast<std::uint64_t>(device.index());
}

inline std::uint64_t word_of(const Node& node, DType dtype) {
  return static_cast<std::uint64_t>(node.kind) << 48 |
         static_cast<std::uint64_t>(node.ufunc) << 32 |
         static_cast<std::uint64_t>(node.result) << 16 | static_cast<std::uint64_t>(dtype);
}

inline std::uint64_t bits_of(const Dims& axes) {
  std::uint64_t bits = 0;
  for (const std::int64_t axis : axes) bits |= std::uint64_t{1} << axis;
  return bits;
}

inline void add_dims(std::vector<std::uint64_t>& words, const Dims& dims) {
  words.push_back(dims.size());
  for (const std::int64_t value : dims) words.push_back(static_cast<std::uint64_t>(value));
}

}  // namespace cupola
