#pragma once
// By what a user's module is found again when it was compiled before.

#include <optional>
#include <string>
#include <vector>

#include "base/containers/hash.h"
#include "driver/module.h"

namespace cupola::cuda {

// Of compile_with_nvrtc() for this architecture, with the toolkit's folders of headers. Nothing
// where options or text make the code depend on more than can be looked at. Reads what the text
// includes: see include_scan.h.
std::optional<Hash128> module_key(const ModuleSource& source, int architecture,
                                  const std::vector<std::string>& toolkit_folders);

inline constexpr const char* kModuleFileName = "cupola_raw.cu";

}  // namespace cupola::cuda
