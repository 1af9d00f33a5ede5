#pragma once
// For tests: stored arrays whose elements nobody reads, each at an address of its own.

#include <cstdint>
#include <memory>

#include "graph/node.h"

namespace cupola::testing {

inline Array stored(const Dims& shape, DType dtype = DType::float32) {
  constexpr std::size_t kPage = 4096;
  static std::uintptr_t next = std::uintptr_t{1} << 20;
  const auto bytes = static_cast<std::size_t>(element_count(shape)) * item_size(dtype);
  auto storage =
      std::make_shared<Storage>(Device(PlatformKind::cpu, 0), reinterpret_cast<void*>(next), bytes);
  next += (bytes / kPage + 1) * kPage;
  return make_stored(dtype, shape, std::move(storage), Layout{c_strides(shape), 0});
}

}  // namespace cupola::testing
