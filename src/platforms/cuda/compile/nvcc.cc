// The backend "nvcc": the toolkit's compiler as a child process.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/counters.h"
#include "base/process/child_process.h"
#include "base/process/environment.h"
#include "cupola/error.h"
#include "platforms/cuda/compile/module_compiler.h"

namespace cupola::cuda {
namespace {

// NVCC, then CUDA_HOME, CUDA_PATH, PATH and /usr/local/cuda.
std::string find_nvcc() {
  if (const char* named = environment_value("NVCC")) return named;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = environment_value(variable);
    const std::string found = root ? find_program(std::string(root) + "/bin/nvcc") : "";
    if (!found.empty()) return found;
  }
  for (const char* name : {"nvcc", "/usr/local/cuda/bin/nvcc"}) {
    if (const std::string found = find_program(name); !found.empty()) return found;
  }
  throw LibraryError(
      "backend='nvcc' needs the CUDA toolkit's compiler nvcc, which is neither named by NVCC nor "
      "found in CUDA_HOME, CUDA_PATH, PATH or /usr/local/cuda; use backend='nvrtc'");
}

}  // namespace

CompiledModule compile_with_nvcc(const ModuleSource& source, int architecture) {
  if (!source.name_expressions.empty()) {
    throw ValueError(
        "name_expressions need backend='nvrtc'; with nvcc, declare the instances "
        "extern \"C\" or give their mangled names");
  }
  const std::string compiler = find_nvcc();
  const WorkFolder folder;
  const std::string text = folder.file("cupola_raw.cu");
  const std::string image = folder.file("cupola_raw.cubin");
  const std::string log = folder.file("log");
  std::ofstream(text) << whole_text(source);
  std::vector<std::string> command{compiler, "--cubin", fmt::format("-arch=sm_{}", architecture)};
  command.insert(command.end(), source.options.begin(), source.options.end());
  command.insert(command.end(), {"-o", image, text});
  count(Counter::compilations);
  if (run_program(command, log).value_or(std::filesystem::exists(image) ? 0 : -1) != 0) {
    throw_compile_error(source, architecture, compiler.c_str(), read_file(log));
  }
  CompiledModule result{read_file(image), read_file(log), {}, {}};
  result.kernels = kernels_in(result.image);
  return result;
}

}  // namespace cupola::cuda
