#include "platforms/cuda/compile/module_compiler.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counters.h"
#include "base/text/text.h"
#include "codegen/cuda/cuda_headers.h"
#include "codegen/cuda/cuda_text.h"
#include "codegen/cuda/families/family.h"
#include "cupola/error.h"
#include "platforms/cuda/compile/compiled_code.h"
#include "platforms/cuda/compile/compiler.h"
#include "platforms/cuda/compile/module_key.h"
#include "platforms/cuda/compile/nvrtc.h"
#include "platforms/cuda/compile/standard_headers.h"
#include "platforms/cuda/device/shared_library.h"
#include "platforms/cuda/launch/cuda_select.h"
#include "platforms/cuda/memory/host_copies.h"

namespace cupola::cuda {
namespace {

bool chooses_architecture(const std::string& option) {
  return option.starts_with("--gpu-architecture") || option.starts_with("-arch");
}

bool chooses_standard(const std::string& option) {
  return option.starts_with("--std") || option.starts_with("-std");
}

constexpr const char* kComplexHeader = "cupy/complex.cuh";
constexpr std::pair<const char*, std::string_view> kHeaders[] = {
    {kComplexHeader, "user_complex.cuh"}, {"cupy/carray.cuh", "carray.cuh"}};

// The user's options, and what is needed besides: an architecture and the toolkit's headers, which
// come last so that -I of the user goes first. Our header needs C++20.
std::vector<std::string> nvrtc_options(const ModuleSource& source, const Target& target,
                                       const std::vector<std::string>& toolkit_folders) {
  std::vector<std::string> options = source.options;
  if (source.text.find(kComplexHeader) != std::string::npos) {
    std::erase_if(options, chooses_standard);
    options.emplace_back("--std=c++20");
  }
  if (std::none_of(options.begin(), options.end(), chooses_architecture)) {
    options.push_back(target.option);
  }
  for (const std::string& folder : toolkit_folders) {
    options.push_back("--include-path=" + folder);
  }
  return options;
}

// An architecture that the user chose may be a virtual one ("compute_80"): PTX then.
Target chosen_target(const ModuleSource& source, int architecture) {
  Target target = target_of(architecture);
  for (const std::string& option : source.options) {
    if (chooses_architecture(option)) target.is_ptx = option.find("compute_") != std::string::npos;
  }
  return target;
}

// What CuPy has beside the toolkit's headers.
std::vector<NvrtcProgram::Header> own_headers(const ModuleSource& source) {
  if (source.text.find("include") == std::string::npos) return {};
  std::vector<NvrtcProgram::Header> headers = standard_headers();
  for (const auto& [path, text] : cupy_headers()) headers.push_back({path, text});
  return headers;
}

CompiledModule compile_anew(const ModuleSource& source, int wanted_architecture,
                            const std::vector<std::string>& toolkit_folders) {
  // A compiler that knows newer devices only says so with an example that it knows.
  const int oldest = nvrtc().architectures.empty() ? 0 : nvrtc().architectures.front();
  const int architecture = std::max(wanted_architecture, oldest);
  const Target target = chosen_target(source, architecture);
  NvrtcProgram program(whole_text(source), kModuleFileName, own_headers(source));
  for (const std::string& expression : source.name_expressions) {
    program.add_name_expression(expression);
  }
  count(Counter::compilations);
  if (!program.compile(nvrtc_options(source, target, toolkit_folders))) {
    throw_compile_error(source, architecture, "NVRTC", program.log());
  }
  CompiledModule result{program.image(target), program.log(), {}, {}};
  result.kernels = kernels_in(result.image);
  for (const std::string& expression : source.name_expressions) {
    result.lowered_names[expression] = program.lowered_name(expression);
  }
  return result;
}

CompiledModule compile_with_nvrtc(const ModuleSource& source, int architecture) {
  const std::vector<std::string> toolkit_folders = cuda_include_folders();
  const auto key = [&] { return module_key(source, architecture, toolkit_folders); };
  const std::optional<Hash128> before = key();
  if (before) {
    if (auto found = find_compiled(*before)) return std::move(*found);
  }
  CompiledModule made = compile_anew(source, architecture, toolkit_folders);
  // Of headers that were changed meanwhile nobody knows which the compiler read.
  if (before && before == key()) keep_compiled(*before, made);
  return made;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> cupy_headers() {
  std::vector<std::pair<std::string, std::string>> headers;
  for (const auto& [path, root] : kHeaders) {
    headers.emplace_back(path, "#pragma once\n" + cuda_header_text({&root, 1}));
  }
  return headers;
}

std::string whole_text(const ModuleSource& source) {
  return source.prelude.empty() ? source.text : source.prelude + "\n#line 1\n" + source.text;
}

void throw_compile_error(const ModuleSource& source, int architecture, const char* compiler,
                         const std::string& log) {
  throw CompileError(fmt::format("the kernel source does not compile for sm_{} ({}{}{}):\n{}\n{}",
                                 architecture, compiler, source.options.empty() ? "" : " ",
                                 joined(source.options, " "), log, numbered(source.text)));
}

CompiledModule CudaSourceCompiler::compile(const ModuleSource& source, int architecture) {
  if (source.backend == ModuleSource::Backend::nvcc) {
    return compile_with_nvcc(source, architecture);
  }
  return compile_with_nvrtc(source, architecture);
}

std::vector<CompiledKernel> CudaSourceCompiler::compile_kernels(const KernelPlan& plan,
                                                                int architecture) {
  const CudaCode code = cuda_code(plan);
  std::vector<CompiledKernel> result;
  const std::size_t kernels = cuda_family(plan)->kernels().size();
  for (std::size_t i = 0; i < kernels; ++i) {
    const KernelTask task(code.text, architecture, static_cast<int>(i));
    result.push_back({task.key(), task.compile().bytes});
  }
  return result;
}

std::vector<CompiledKernel> CudaSourceCompiler::compile_own_kernels(int architecture) {
  const KernelTask task(copy_kernel_text(), architecture, 0);
  std::vector<CompiledKernel> result = compile_select_kernels(architecture);
  result.push_back({task.key(), task.compile().bytes});
  return result;
}

std::vector<std::string> kernels_in(const std::string& image) {
  constexpr std::string_view kSection = ".text.";  // of an ELF file, one for each kernel
  std::vector<std::string> names;
  for (std::size_t at = image.find(kSection); at != std::string::npos;
       at = image.find(kSection, at + 1)) {
    if (at == 0 || image[at - 1] != '\0') continue;
    std::string name = image.c_str() + at + kSection.size();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace cupola::cuda
