#include "platforms/cuda/compile/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/containers/hash.h"
#include "base/text/text.h"
#include "base/threads/lazy.h"
#include "cupola/error.h"
#include "platforms/cuda/device/shared_library.h"

namespace cupola::cuda {
namespace {

void check(nvrtcResult result, const char* call) {
  if (result == NVRTC_SUCCESS) return;
  throw CompileError(fmt::format("{}: {}", call, nvrtc().nvrtcGetErrorString(result)));
}

const std::initializer_list<const char*> kNames = {"libnvrtc.so.13", "libnvrtc.so.12"};

// Of the library's file: its size and its beginning, where the linker's build number and the
// addresses of all functions lie. Not its path, which may be another one elsewhere.
std::string identity_of(const std::string& path) {
  constexpr std::size_t kBeginning = 65536;
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  std::string beginning(kBeginning, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(beginning.data(), kBeginning);
  if (error || file.gcount() == 0) return "";
  beginning.resize(static_cast<std::size_t>(file.gcount()));
  return fmt::format("{} {}", size, to_string(hash128(beginning)));
}

// NVRTC opens this library by its name alone, which the system's loader does not find beside it in
// NVIDIA's wheels. It stays open.
void open_builtins(const NvrtcApi& api, const std::string& nvrtc_file) {
  int major = 0, minor = 0;
  if (api.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) return;
  const auto folder = std::filesystem::path(nvrtc_file).parent_path();
  const auto file = folder / fmt::format("libnvrtc-builtins.so.{}.{}", major, minor);
  dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
}

NvrtcApi load_nvrtc() {
  const SharedLibrary library(kNames, "compiling a CUDA kernel");
  NvrtcApi api{};
#define CUPOLA_NVRTC_LOAD(NAME) library.load(api.NAME, #NAME);
  CUPOLA_FOR_EACH_NVRTC_FUNCTION(CUPOLA_NVRTC_LOAD)
#undef CUPOLA_NVRTC_LOAD
  open_builtins(api, library.file());
  int count = 0;
  if (api.nvrtcGetNumSupportedArchs(&count) == NVRTC_SUCCESS && count > 0) {
    api.architectures.resize(static_cast<std::size_t>(count));
    api.nvrtcGetSupportedArchs(api.architectures.data());
    std::sort(api.architectures.begin(), api.architectures.end());
  }
  api.identity = identity_of(library.file());
  return api;
}

}  // namespace

const NvrtcApi& nvrtc() {
  static constinit Lazy<const NvrtcApi> api;
  return api.get(load_nvrtc);
}

std::string nvrtc_identity() noexcept {
  try {
    const std::string file = find_library_file(kNames);
    return file.empty() ? nvrtc().identity : identity_of(file);
  } catch (...) {
    return "";
  }
}

Target target_of(int architecture) {
  const std::vector<int>& known = nvrtc().architectures;
  if (!known.empty() && architecture < known.front()) {
    throw LibraryError(fmt::format(
        "a GPU of compute capability {}.{} is too old for this NVRTC, which compiles for "
        "{}.{} and later; earlier releases (pip install 'cupola[cuda12]') may do",
        architecture / 10, architecture % 10, known.front() / 10, known.front() % 10));
  }
  if (!known.empty() && architecture > known.back()) {
    return {fmt::format("--gpu-architecture=compute_{}", known.back()), true};
  }
  return {fmt::format("--gpu-architecture=sm_{}", architecture), false};
}

NvrtcProgram::NvrtcProgram(const std::string& text, const char* file_name,
                           const std::vector<Header>& headers) {
  std::vector<const char*> texts, paths;
  for (const Header& header : headers) {
    texts.push_back(header.text.c_str());
    paths.push_back(header.path.c_str());
  }
  check(nvrtc().nvrtcCreateProgram(&program_, text.c_str(), file_name,
                                   static_cast<int>(headers.size()), texts.data(), paths.data()),
        "nvrtcCreateProgram");
}

NvrtcProgram::~NvrtcProgram() { nvrtc().nvrtcDestroyProgram(&program_); }

void NvrtcProgram::add_name_expression(const std::string& expression) {
  check(nvrtc().nvrtcAddNameExpression(program_, expression.c_str()), "nvrtcAddNameExpression");
}

bool NvrtcProgram::compile(const std::vector<std::string>& options) {
  std::vector<const char*> list;
  for (const std::string& option : options) list.push_back(option.c_str());
  const nvrtcResult result =
      nvrtc().nvrtcCompileProgram(program_, static_cast<int>(list.size()), list.data());
  if (result == NVRTC_ERROR_INVALID_OPTION) {
    throw CompileError(
        fmt::format("NVRTC does not take these options ({}): {}", joined(options, " "), log()));
  }
  if (result != NVRTC_ERROR_COMPILATION) check(result, "nvrtcCompileProgram");
  return result == NVRTC_SUCCESS;
}

template <class Size, class Get>
std::string NvrtcProgram::read(Size size, Get get, const char* call) const {
  std::size_t bytes = 0;
  check(size(program_, &bytes), call);
  std::string result(bytes, '\0');
  check(get(program_, result.data()), call);
  return result;
}

std::string NvrtcProgram::log() const {
  std::string text =
      read(nvrtc().nvrtcGetProgramLogSize, nvrtc().nvrtcGetProgramLog, "nvrtcGetProgramLog");
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

std::string NvrtcProgram::image(const Target& target) const {
  if (target.is_ptx) return read(nvrtc().nvrtcGetPTXSize, nvrtc().nvrtcGetPTX, "nvrtcGetPTX");
  return read(nvrtc().nvrtcGetCUBINSize, nvrtc().nvrtcGetCUBIN, "nvrtcGetCUBIN");
}

std::string NvrtcProgram::lowered_name(const std::string& expression) const {
  const char* name = nullptr;
  check(nvrtc().nvrtcGetLoweredName(program_, expression.c_str(), &name), "nvrtcGetLoweredName");
  return name;
}

}  // namespace cupola::cuda
