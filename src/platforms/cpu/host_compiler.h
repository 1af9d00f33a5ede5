#pragma once
// C++ text to code of this machine, by the compiler that is installed.

#include <string>

#include "driver/module.h"

namespace cupola::cpu {

// Loads the text's shared object, for the rest of the process: from the user's cache folder, or
// compiled now. Throws CompileError with the compiler's log and the numbered text, LibraryError
// where no compiler is found or nothing can be written.
//
// The compiler is the one that CXX names, else c++, g++ or clang++ on the PATH. The folder, `host`
// in CUPOLA_CACHE_DIR or the user's cache folder, must be the user's own and closed to others; a
// temporary one takes its place where it is not. Files there carry a checksum.
void* load_host_code(const ModuleSource& source);

}  // namespace cupola::cpu
