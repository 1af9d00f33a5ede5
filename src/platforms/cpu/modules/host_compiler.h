#pragma once
// C++ text to code of this machine, by the compiler that is installed.

#include <optional>
#include <string>
#include <vector>

#include "base/containers/hash.h"
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

// The compiler with what CXX may give it. Throws as load_host_code().
std::vector<std::string> host_compiler();

// Options that make the most of this processor.
std::vector<std::string> processor_options();

// Macros and folders of headers that the source's options name.
std::vector<std::string> preprocessor_options(const ModuleSource& source);

// Of everything in the compiler that decides what it makes of `text`; nothing where it cannot be
// told.
std::optional<Hash128> host_code_key(const std::vector<std::string>& command,
                                     const std::string& text);

// The error of a compiler that ended with `code`.
[[noreturn]] void throw_host_compile_error(const std::string& program, int code,
                                           const std::string& log, const std::string& text);

// A shared object. Throws LibraryError.
void* open_host_code(const std::string& path);

}  // namespace cupola::cpu
