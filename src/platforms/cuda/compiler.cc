#include "platforms/cuda/compiler.h"

#include <fmt/format.h>
#include <nvrtc.h>

#include <algorithm>

#include "cupola/error.h"
#include "platforms/cuda/shared_library.h"

namespace cupola::cuda {
namespace {

#define CUPOLA_FOR_EACH_NVRTC_FUNCTION(X) \
  X(nvrtcGetErrorString)                  \
  X(nvrtcGetNumSupportedArchs)            \
  X(nvrtcGetSupportedArchs)               \
  X(nvrtcCreateProgram)                   \
  X(nvrtcDestroyProgram)                  \
  X(nvrtcCompileProgram)                  \
  X(nvrtcGetProgramLogSize)               \
  X(nvrtcGetProgramLog)                   \
  X(nvrtcGetCUBINSize)                    \
  X(nvrtcGetCUBIN)                        \
  X(nvrtcGetPTXSize)                      \
  X(nvrtcGetPTX)

struct NvrtcApi {
#define CUPOLA_NVRTC_MEMBER(NAME) decltype(&::NAME) NAME;
  CUPOLA_FOR_EACH_NVRTC_FUNCTION(CUPOLA_NVRTC_MEMBER)
#undef CUPOLA_NVRTC_MEMBER
  std::vector<int> architectures;  // ascending
};

const NvrtcApi& nvrtc();

void check(nvrtcResult result, const char* call) {
  if (result == NVRTC_SUCCESS) return;
  throw CompileError(fmt::format("{}: {}", call, nvrtc().nvrtcGetErrorString(result)));
}

NvrtcApi load_nvrtc() {
  const SharedLibrary library({"libnvrtc.so.13", "libnvrtc.so.12"}, "compiling a CUDA kernel");
  NvrtcApi api{};
#define CUPOLA_NVRTC_LOAD(NAME) library.load(api.NAME, #NAME);
  CUPOLA_FOR_EACH_NVRTC_FUNCTION(CUPOLA_NVRTC_LOAD)
#undef CUPOLA_NVRTC_LOAD
  int count = 0;
  if (api.nvrtcGetNumSupportedArchs(&count) == NVRTC_SUCCESS && count > 0) {
    api.architectures.resize(static_cast<std::size_t>(count));
    api.nvrtcGetSupportedArchs(api.architectures.data());
    std::sort(api.architectures.begin(), api.architectures.end());
  }
  return api;
}

const NvrtcApi& nvrtc() {
  static const NvrtcApi& api = *new NvrtcApi(load_nvrtc());
  return api;
}

std::string numbered(const std::string& text) {
  std::string result;
  int line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += fmt::format("{:5} | {}\n", line, text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

class Program {
 public:
  explicit Program(const std::string& text) {
    check(nvrtc().nvrtcCreateProgram(&program_, text.c_str(), "cupola_kernel.cu", 0, nullptr,
                                     nullptr),
          "nvrtcCreateProgram");
  }
  ~Program() { nvrtc().nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  bool compile(const std::vector<std::string>& options) {
    std::vector<const char*> list;
    for (const std::string& option : options) list.push_back(option.c_str());
    const nvrtcResult result =
        nvrtc().nvrtcCompileProgram(program_, static_cast<int>(list.size()), list.data());
    if (result != NVRTC_ERROR_COMPILATION) check(result, "nvrtcCompileProgram");
    return result == NVRTC_SUCCESS;
  }
  std::string log() const {
    std::string text =
        read(nvrtc().nvrtcGetProgramLogSize, nvrtc().nvrtcGetProgramLog, "nvrtcGetProgramLog");
    text.resize(std::min(text.find('\0'), text.size()));
    return text;
  }
  std::string cubin() const {
    return read(nvrtc().nvrtcGetCUBINSize, nvrtc().nvrtcGetCUBIN, "nvrtcGetCUBIN");
  }
  std::string ptx() const {
    return read(nvrtc().nvrtcGetPTXSize, nvrtc().nvrtcGetPTX, "nvrtcGetPTX");
  }

 private:
  template <class Size, class Get>
  std::string read(Size size, Get get, const char* call) const {
    std::size_t bytes = 0;
    check(size(program_, &bytes), call);
    std::string result(bytes, '\0');
    check(get(program_, result.data()), call);
    return result;
  }
  nvrtcProgram program_ = nullptr;
};

}  // namespace

MachineCode compile_cuda(const std::string& text, int architecture,
                         const std::vector<std::string>& definitions) {
  const std::vector<int>& known = nvrtc().architectures;
  const bool newer = !known.empty() && architecture > known.back();
  std::vector<std::string> options{newer
                                       ? fmt::format("--gpu-architecture=compute_{}", known.back())
                                       : fmt::format("--gpu-architecture=sm_{}", architecture),
                                   "--std=c++20",
                                   "--fmad=false",
                                   "--ftz=false",
                                   "--prec-div=true",
                                   "--prec-sqrt=true",
                                   "--minimal",
                                   "--diag-suppress=177"};
  for (const std::string& definition : definitions) {
    options.push_back("--define-macro=" + definition);
  }
  Program program(text);
  if (!program.compile(options)) {
    throw CompileError(fmt::format("a CUDA kernel does not compile for sm_{}:\n{}\n{}",
                                   architecture, program.log(), numbered(text)));
  }
  return {newer ? program.ptx() : program.cubin()};
}

}  // namespace cupola::cuda
