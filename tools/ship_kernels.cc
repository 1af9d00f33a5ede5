// ship_kernels FILE ARCHITECTURE...
//
// Compiles the kernels that most programs use for each architecture (sm_90) into a file for the
// package: see src/ops/elementwise/common_kernels.h and
// src/platforms/cuda/compile/shipped_kernels.h. Without the compiler the file has none. Compiled
// kernels are kept in the user's cache, like all others.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/archive.h"
#include "cupola/error.h"
#include "ops/elementwise/common_kernels.h"

namespace {

std::vector<cupola::ArchiveEntry> compile_for(const std::string& architecture) {
  const std::string number = architecture.substr(architecture.find('_') + 1);
  std::vector<cupola::ArchiveEntry> entries;
  for (cupola::CompiledKernel& kernel : cupola::compile_common_kernels(std::stoi(number))) {
    entries.push_back({kernel.key, std::move(kernel.image)});
  }
  return entries;
}

int ship(const std::string& path, const std::vector<std::string>& architectures) {
  std::vector<cupola::ArchiveEntry> all;
  try {
    for (const std::string& architecture : architectures) {
      for (cupola::ArchiveEntry& entry : compile_for(architecture)) all.push_back(std::move(entry));
    }
  } catch (const cupola::LibraryError& error) {
    std::printf("no compiled kernels are shipped: %s\n", error.what());
    all.clear();
  }
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  const std::string content = cupola::make_archive(all);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) return 1;
  std::printf("%zu compiled kernels in %zu KiB\n", all.size(), content.size() / 1024);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: %s FILE ARCHITECTURE...\n", arguments[0]);
    return 2;
  }
  // Not those of an earlier build.
  setenv("CUPOLA_SHIPPED_KERNELS", "0", 1);
  try {
    return ship(arguments[1], {arguments + 2, arguments + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ship_kernels: %s\n", error.what());
    return 1;
  }
}
