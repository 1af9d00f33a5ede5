#pragma once
// Which axes a function works along.

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "cupola/dims.h"

namespace cupola {

// No value: all axes. An axis (`0`), a list (`{0, -1}`) or Dims; negative ones count from the end.
class Axes : public std::optional<Dims> {
 public:
  Axes() = default;
  Axes(std::nullopt_t) {}
  Axes(std::optional<Dims> axes) : std::optional<Dims>(std::move(axes)) {}
  Axes(Dims axes) : std::optional<Dims>(std::move(axes)) {}
  template <std::integral T>
  Axes(T axis) : Axes(Dims{static_cast<std::int64_t>(axis)}) {}
  Axes(std::initializer_list<std::int64_t> axes) : Axes(Dims(axes)) {}
};

}  // namespace cupola
