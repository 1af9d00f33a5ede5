#pragma once
// Places where the library can be broken on purpose, one promise each, to show that a test notices:
//
//   if (!CUPOLA_MUTANT(drop_wait)) wait();
//
// False, and nothing but false, unless the build defines CUPOLA_MUTANTS (the target `mutants`);
// there the environment variable CUPOLA_MUTANT names the one that is on. tests/mutants/mutants.toml
// lists them all with the tests that catch them.

#ifdef CUPOLA_MUTANTS

#include <cstdlib>
#include <cstring>

#include "base/threads/lazy.h"

namespace cupola::internal {

inline bool is_mutant(const char* name) {
  const char* chosen = std::getenv("CUPOLA_MUTANT");
  return chosen != nullptr && std::strcmp(chosen, name) == 0;
}

}  // namespace cupola::internal

#define CUPOLA_MUTANT(NAME)                                                \
  ([] {                                                                    \
    static constinit ::cupola::Lazy<const bool> is_on;                     \
    return is_on.get([] { return ::cupola::internal::is_mutant(#NAME); }); \
  }())

#else
#define CUPOLA_MUTANT(NAME) false
#endif
