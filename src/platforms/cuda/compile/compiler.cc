#include "platforms/cuda/compile/compiler.h"

#include <fmt/format.h>

#include "base/counters.h"
#include "base/process/environment.h"
#include "base/text/text.h"
#include "cupola/error.h"
#include "platforms/cuda/compile/compiled_code.h"
#include "platforms/cuda/compile/nvrtc.h"
#include "platforms/cuda/compile/shipped_kernels.h"

namespace cupola::cuda {
namespace {

constexpr const char* kFileName = "cupola_kernel.cu";

// CUPOLA_KERNEL_DEBUG=1: with debug information and without optimisation, for cuda-gdb.
bool wants_debug_information() { return is_switched_on("CUPOLA_KERNEL_DEBUG"); }

}  // namespace

KernelTask::KernelTask(const std::string& text, int architecture, int kernel)
    : text_(text), architecture_(architecture), options_{"--std=c++20",        "--fmad=false",
                                                         "--ftz=false",        "--prec-div=true",
                                                         "--prec-sqrt=true",   "--minimal",
                                                         "--diag-suppress=177"} {
  if (wants_debug_information()) options_.emplace_back("--device-debug");
  options_.push_back(fmt::format("--define-macro=CUPOLA_KERNEL={}", kernel));
  key_ = key_for(architecture);
}

Hash128 KernelTask::key_for(int architecture) const {
  return task_key(
      {.text = text_, .file_name = kFileName, .architecture = architecture, .options = options_});
}

std::optional<MachineCode> KernelTask::shipped() const {
  if (auto found = find_shipped(key_)) return MachineCode{std::move(*found)};
  // Machine code runs on later devices of its generation: that for 8.0 on 8.6.
  const int first = architecture_ / 10 * 10;
  if (first == architecture_) return std::nullopt;
  auto found = find_shipped(key_for(first));
  return found ? std::optional(MachineCode{std::move(*found)}) : std::nullopt;
}

MachineCode KernelTask::compile() const {
  if (auto found = shipped()) return std::move(*found);
  if (auto found = find_compiled(key_)) return {std::move(found->image)};
  return compile_anew();
}

MachineCode KernelTask::compile_anew() const {
  const Target target = target_of(architecture_);
  std::vector<std::string> options = options_;
  options.push_back(target.option);
  NvrtcProgram program(text_, kFileName);
  count(Counter::compilations);
  if (!program.compile(options)) {
    throw CompileError(fmt::format("a CUDA kernel does not compile for sm_{}:\n{}\n{}",
                                   architecture_, program.log(), numbered(text_)));
  }
  CompiledModule code{program.image(target), {}, {}, {}};
  keep_compiled(key_, code);
  return {std::move(code.image)};
}

}  // namespace cupola::cuda
