#pragma once
// Which pending arrays cost no more to compute a second time than to store and to read.

#include "graph/snapshot.h"

namespace cupola {

// Arrays of fewer elements are stored: they stay in caches. CUPOLA_LEAST_LEFT sets another number,
// for tests.
std::int64_t least_left();
// Whether a kernel that computes the array on its way should leave it pending, although somebody
// has it: who has it lets it go (Passing), or what it is made of is stored, takes no more traffic
// to read again than a store and a read of the array, and has no more than so many short operations
// between; 0: none are free. Once for each array: who needs it again stores it.
bool may_be_left(const Array& array, int operations, const Snapshot& snapshot = Snapshot::now());

}  // namespace cupola
