#include "platforms/cuda/compiler.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/counters.h"
#include "cupola/error.h"
#include "platforms/cuda/nvrtc.h"

namespace cupola::cuda {
namespace {

// CUPOLA_KERNEL_DEBUG=1: with debug information and without optimisation, for cuda-gdb.
bool wants_debug_information() {
  const char* value = std::getenv("CUPOLA_KERNEL_DEBUG");
  return value != nullptr && *value != '\0' && std::string(value) != "0";
}

}  // namespace

MachineCode compile_cuda(const std::string& text, int architecture,
                         const std::vector<std::string>& definitions) {
  const Target target = target_of(architecture);
  std::vector<std::string> options{target.option, "--std=c++20",        "--fmad=false",
                                   "--ftz=false", "--prec-div=true",    "--prec-sqrt=true",
                                   "--minimal",   "--diag-suppress=177"};
  if (wants_debug_information()) options.emplace_back("--device-debug");
  for (const std::string& definition : definitions) {
    options.push_back("--define-macro=" + definition);
  }
  NvrtcProgram program(text, "cupola_kernel.cu");
  count(Counter::compilations);
  if (!program.compile(options)) {
    throw CompileError(fmt::format("a CUDA kernel does not compile for sm_{}:\n{}\n{}",
                                   architecture, program.log(), numbered(text)));
  }
  return {program.image(target)};
}

}  // namespace cupola::cuda
