#pragma once
// CUDA C++ as C++ of the host. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "driver/module.h"

namespace cupola::cpu {

// The name under which messages show the user's text.
inline constexpr std::string_view kKernelFile = "kernel.cu";

// What stands in front of the user's text: threads, atomic functions, the scalar functions that it
// mentions.
std::string simt_prelude(const ModuleSource& source);

// A text of its own, with what a compiler calls that was told to watch all uses of memory.
std::string simt_checks();

// Headers of CUDA that texts include, by their path.
struct CudaInclude {
  std::string path, text;
};
std::vector<CudaInclude> cuda_includes();

struct SimtText {
  std::string text;
  std::vector<std::string> kernels;  // qualified by their namespaces; templates are not among them
};

// Of the preprocessed text: shared memory becomes the host thread's, and a table of the kernels
// and the name expressions stands behind it. Throws CompileError for what has no meaning here.
SimtText simt_text(std::string_view preprocessed, const std::vector<std::string>& name_expressions);

}  // namespace cupola::cpu
