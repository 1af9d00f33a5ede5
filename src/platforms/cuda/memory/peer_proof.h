#pragma once
// Whether GPUs reach each other's memory, found out by moving data: on some machines the driver
// says so, and what a GPU writes gets lost on the way, or the GPU waits for ever.

#include <chrono>
#include <string>

#include "driver/driver.h"

namespace cupola::cuda {

// Whether `device` reads from memory of `peer` what `peer` wrote there, and what it writes itself
// is read by both. Streams and a little memory of their own; waits at most `patience`, and leaves
// behind what a GPU may then still be using. Throws as the driver's methods do.
bool data_arrives(Driver& driver, int device, int peer, std::chrono::milliseconds patience);

// The proof that data arrive outlives the process, in the user's cache (base/files/user_cache.h).
// That they do not is never kept.
//
// The UUIDs of both and the driver's version; empty where they have no names that last.
std::string name_of_pair(Driver& driver, int device, int peer);
bool is_kept_proof(const std::string& pair) noexcept;
void keep_proof(const std::string& pair) noexcept;

}  // namespace cupola::cuda
