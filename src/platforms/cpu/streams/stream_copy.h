#pragma once
// Copies past the caches, for memory that is larger than they are: a line that is written whole
// need not be read first.

#include <cstddef>

namespace cupola::cpu {

// The target is whole for other threads after finish_stream_copies(), which this thread calls.
void stream_copy(void* target, const void* source, std::size_t bytes) noexcept;
void finish_stream_copies() noexcept;

}  // namespace cupola::cpu
