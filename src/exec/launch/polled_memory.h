#pragma once
// Pinned memory in which a kernel leaves one value, and which a thread of the host polls for it.

#include <cstddef>
#include <vector>

#include "cupola/dtype.h"
#include "runtime/stream.h"

namespace cupola {

inline constexpr std::size_t kPolledBytes = 64;  // of a slot: a cache line of its own

// Slots of the device, each of kPolledBytes, that nobody had before; they are never freed, and go
// from one owner to the next. Throws OutOfMemoryError.
std::vector<char*> make_polled_slots(Driver& driver, const Device& device);

// A slot before the value comes.
void make_empty(char* slot, std::size_t bytes);
// True also for a value that looks as a slot does before it: the stream tells.
bool is_empty(char* slot, std::size_t bytes);
// Returns when the value is there, or all work of the stream is done. The kernel writes its `bytes`
// in one piece. Throws what the work failed with, and what check_interrupt() throws: then the value
// may come later.
void poll(StreamState& stream, char* slot, std::size_t bytes);

// Whether a kernel writes such an element in one piece.
inline bool arrives_whole(DType dtype) { return !is_complex(dtype); }

}  // namespace cupola
