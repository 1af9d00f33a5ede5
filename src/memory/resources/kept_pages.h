#pragma once
// Large blocks of ordinary host memory for results. A fresh page costs more than to fill it: the
// kernel zeroes it first, at half the speed of a copy from a device. Blocks that are given back
// therefore keep their pages, up to a part of the machine's memory, and are lent to the kernel
// meanwhile: where memory is short it takes the pages.

#include <cstddef>

namespace cupola {

// At least `bytes`, aligned to 64 bytes, of any content. Null where there is none. From any thread.
void* take_pages(std::size_t bytes) noexcept;
// What take_pages() returned; null is nothing.
void give_pages(void* memory) noexcept;
// How many bytes the block has; more than were asked for.
std::size_t size_of_pages(const void* memory) noexcept;
// Bytes that are kept for later.
std::size_t kept_pages() noexcept;

}  // namespace cupola
