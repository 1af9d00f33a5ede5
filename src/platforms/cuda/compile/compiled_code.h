#pragma once
// Machine code that was compiled before: kept in the user's cache (base/files/user_cache.h) for all
// processes. Whoever compiles asks here first and hands over what came out.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/containers/hash.h"
#include "driver/module.h"

namespace cupola::cuda {

// All that decides what a compiler makes of a text, but the compiler itself.
struct CompileTask {
  std::string_view text;
  std::string_view file_name;  // it may be part of the code
  int architecture = 0;
  std::span<const std::string> options;  // but for the architecture and folders of headers
  std::span<const std::string> name_expressions{};
  Hash128 includes{};  // see include_scan.h
};
Hash128 task_key(const CompileTask& task);

// Nothing where it must be compiled. Reads files; neither throws nor opens the compiler if its file
// can be told beforehand.
std::optional<CompiledModule> find_compiled(const Hash128& task);
// NVRTC is open.
void keep_compiled(const Hash128& task, const CompiledModule& code);

// As bytes, and back; nothing for bytes that are none.
std::string to_bytes(const CompiledModule& code);
std::optional<CompiledModule> module_from(std::string_view bytes);

}  // namespace cupola::cuda
