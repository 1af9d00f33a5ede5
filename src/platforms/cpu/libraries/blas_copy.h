#pragma once
// A second copy of OpenBLAS in this process, of which every call computes on its caller's thread.
//
// How many threads OpenBLAS computes on is a setting of the whole library, and the library is
// NumPy's, too: to change it for a call of ours would change it for the program's. A copy of the
// file, loaded beside it, has its own setting and no threads.

#include <optional>

#include "platforms/cpu/libraries/blas.h"

namespace cupola::cpu {

// Nothing where `library` is no OpenBLAS, or its file cannot be loaded twice. A library that was
// built without threads is its own copy. `library` is as it was.
std::optional<Blas> copy_of_one_thread(const Blas& library);

// Whether calls of `library` may wake threads of its own, as far as it can be told: OpenBLAS says
// so, other libraries are taken not to.
bool may_wake_threads(const Blas& library);

}  // namespace cupola::cpu
