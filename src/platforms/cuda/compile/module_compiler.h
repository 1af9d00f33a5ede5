#pragma once
// Compiles what users write, with NVRTC or nvcc. Uses no device.

#include <string>
#include <utility>
#include <vector>

#include "driver/module.h"

namespace cupola::cuda {

class CudaSourceCompiler final : public SourceCompiler {
 public:
  CompiledModule compile(const ModuleSource& source, int architecture) override;
  std::vector<CompiledKernel> compile_kernels(const KernelPlan& plan, int architecture) override;
  std::vector<CompiledKernel> compile_own_kernels(int architecture) override;
};

// See nvcc.cc. Throws LibraryError where nvcc is not found.
CompiledModule compile_with_nvcc(const ModuleSource& source, int architecture);

// Paths and texts of <cupy/...>, which texts for NVRTC find.
std::vector<std::pair<std::string, std::string>> cupy_headers();

// The prelude and the text.
std::string whole_text(const ModuleSource& source);

// "my_kernel.cu does not compile ...": the log and the numbered text.
[[noreturn]] void throw_compile_error(const ModuleSource& source, int architecture,
                                      const char* compiler, const std::string& log);

// The names of the kernels in machine code; none for PTX.
std::vector<std::string> kernels_in(const std::string& image);

}  // namespace cupola::cuda
