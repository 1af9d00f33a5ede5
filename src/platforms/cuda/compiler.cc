#include "platforms/cuda/compiler.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/counters.h"
#include "cupola/error.h"
#include "platforms/cuda/compiled_code.h"
#include "platforms/cuda/nvrtc.h"

namespace cupola::cuda {
namespace {

constexpr const char* kFileName = "cupola_kernel.cu";

// CUPOLA_KERNEL_DEBUG=1: with debug information and without optimisation, for cuda-gdb.
bool wants_debug_information() {
  const char* value = std::getenv("CUPOLA_KERNEL_DEBUG");
  return value != nullptr && *value != '\0' && std::string(value) != "0";
}

}  // namespace

MachineCode compile_cuda(const std::string& text, int architecture,
                         const std::vector<std::string>& definitions) {
  std::vector<std::string> options{"--std=c++20",        "--fmad=false",     "--ftz=false",
                                   "--prec-div=true",    "--prec-sqrt=true", "--minimal",
                                   "--diag-suppress=177"};
  if (wants_debug_information()) options.emplace_back("--device-debug");
  for (const std::string& definition : definitions) {
    options.push_back("--define-macro=" + definition);
  }
  const Hash128 key = task_key(
      {.text = text, .file_name = kFileName, .architecture = architecture, .options = options});
  if (auto found = find_compiled(key)) return {std::move(found->image)};
  const Target target = target_of(architecture);
  options.push_back(target.option);
  NvrtcProgram program(text, kFileName);
  count(Counter::compilations);
  if (!program.compile(options)) {
    throw CompileError(fmt::format("a CUDA kernel does not compile for sm_{}:\n{}\n{}",
                                   architecture, program.log(), numbered(text)));
  }
  CompiledModule code{program.image(target), {}, {}, {}};
  keep_compiled(key, code);
  return {std::move(code.image)};
}

}  // namespace cupola::cuda
