#pragma once
// The calling thread's magazines: one for each pair of a pool and a stream that it lately used.
// When the thread ends, their blocks go back to the pools.

#include "memory/pool/pool_core.h"

namespace cupola {

// Null where the thread has none. Takes no lock.
Magazine* find_magazine(std::uint64_t pool, std::uint64_t stream);
// Makes one; another one may have to go for it. Does nothing on a thread that is ending.
void make_magazine(const std::shared_ptr<PoolCore>& core, const StreamPointer& stream);
// Gives up the thread's magazines of other streams, of which all work is complete, so that the
// streams are not kept for them.
void drop_idle_magazines(const StreamPointer& current);

}  // namespace cupola
