#pragma once

#include <cstddef>

namespace cupola {

// As std::memcpy, and fast wherever the bytes lie.
void copy_apart(void* target, const void* source, std::size_t bytes) noexcept;

}  // namespace cupola
