#pragma once
// Memory of the emulated devices, and copies of it.

#include <cstddef>
#include <cstdint>

namespace cupola::cpu {

inline constexpr std::size_t kMemoryAlignment = 256;

// 256-byte aligned; large blocks are aligned to huge pages and advised to use them. Null when
// the system refuses. Contents are undefined.
void* allocate_host(std::size_t bytes) noexcept;
void free_host(void* pointer) noexcept;

// Whole pages of the block go back to the system, and who touches them before they are shown again
// ends the process; what lies on other pages is overwritten. A block is shown before it is freed.
void hide_host(void* pointer, std::size_t bytes) noexcept;
void show_host(void* pointer, std::size_t bytes) noexcept;

// Where a stream is idle so many bytes are copied, or set, at the call.
inline constexpr std::size_t kMostCopiedAtOnce = std::size_t{4} << 20;

// memmove and memset over the thread pool when there is enough to do.
void copy_bytes(void* target, const void* source, std::size_t bytes);
void set_bytes(void* target, std::uint8_t value, std::size_t bytes);

}  // namespace cupola::cpu
