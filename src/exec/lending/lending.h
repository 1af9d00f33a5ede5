#pragma once
// Arrays that are lent to other libraries, and memory of theirs that comes here, in the order of
// streams.

#include <memory>

#include "core/array_state.h"
#include "runtime/stream.h"

namespace cupola {

// Later work on `consumer` starts after all uses of the array so far. The array is stored first.
void order_after_uses(const Array& array, StreamState& consumer);
// Blocks until all uses so far are done: the host may read and write the memory then.
void finish_uses(const Array& array);
// The memory was made ready on `stream`: uses on other streams wait for its work so far.
void note_ready(const Array& array, const std::shared_ptr<StreamState>& stream);
// A consumer has the address and names no stream on which it gives it back.
void note_lent(const Array& array);
// A consumer gives the array back, while work on its stream may still use it: the memory is neither
// written by other streams nor reused before that is done.
void note_return(const Array& array, const std::shared_ptr<StreamState>& consumer) noexcept;

}  // namespace cupola
