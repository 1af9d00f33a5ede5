#pragma once
// What a user's text includes, as far as that can be told without a preprocessor.

#include <optional>
#include <string>
#include <vector>

#include "base/containers/hash.h"

namespace cupola::cuda {

// Where the compiler looks for headers.
struct IncludeFolders {
  std::vector<std::string> own;      // first
  std::vector<std::string> toolkit;  // of the CUDA toolkit
};

// A fingerprint of the contents of every file that `text` can include (in any branch of its
// conditions, and whichever of several files of a name the compiler takes) and of the absence of
// those that are not there. Folders themselves do not count. Nothing where that does not settle
// the text: included files whose names are computed, __DATE__ and the like. Computed names in
// headers of the toolkit are left out: they name others of the same release.
std::optional<Hash128> hash_of_includes(const std::string& text, const IncludeFolders& folders);

}  // namespace cupola::cuda
