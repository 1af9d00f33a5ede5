// Compiles every loop of every row of ufuncs.def with NVRTC, as text that includes nothing, for
// several architectures. Needs no GPU; skipped where NVRTC cannot be opened.

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "codegen/device_headers.h"
#include "core/ufunc.h"

namespace cupola {
namespace {

// The few functions of NVRTC that the test calls, found at run time.
class Nvrtc {
 public:
  Nvrtc() {
    const char* home = std::getenv("CUDA_PATH");
    for (const std::string& folder :
         {std::string(), std::string(home ? home : "/usr/local/cuda") + "/lib64/"}) {
      for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
        if (!library_) library_ = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
      }
    }
    if (!library_) return;
    find("nvrtcCreateProgram", create_);
    find("nvrtcCompileProgram", compile_);
    find("nvrtcGetProgramLogSize", log_size_);
    find("nvrtcGetProgramLog", log_);
    find("nvrtcDestroyProgram", destroy_);
  }

  bool is_open() const { return library_ && create_ && compile_ && log_size_ && log_ && destroy_; }

  // The compiler's log if it refuses the text or warns, else nothing.
  std::string compile(const std::string& text, std::vector<const char*> options) const {
    void* program = nullptr;
    if (create_(&program, text.c_str(), "rows.cu", 0, nullptr, nullptr) != 0) return "no program";
    const int result = compile_(program, static_cast<int>(options.size()), options.data());
    std::size_t size = 0;
    log_size_(program, &size);
    std::string log(size, '\0');
    log_(program, log.data());
    destroy_(&program);
    log.resize(log.find_last_not_of(std::string("\0\n", 2)) + 1);
    return result == 0 || !log.empty() ? log : "failed without a log";
  }

 private:
  template <typename Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
  }

  void* library_ = nullptr;
  int (*create_)(void**, const char*, const char*, int, const char* const*,
                 const char* const*) = nullptr;
  int (*compile_)(void*, int, const char* const*) = nullptr;
  int (*log_size_)(void*, std::size_t*) = nullptr;
  int (*log_)(void*, char*) = nullptr;
  int (*destroy_)(void**) = nullptr;
};

// The device math in the order of device.cuh.
std::string device_math() {
  const std::string_view list = device_header("device.cuh");
  const std::string_view start = "#include \"codegen/device/";
  std::string text;
  for (std::size_t at = list.find(start); at != list.npos; at = list.find(start, at)) {
    at += start.size();
    text += device_header(list.substr(at, list.find('"', at) - at));
  }
  return text;
}

std::string_view device_type(DType dtype) {
  constexpr std::string_view kNames[] = {
      "bool",     "int8_t",  "uint8_t",  "int16_t", "uint16_t", "int32_t",   "uint32_t",  "int64_t",
      "uint64_t", "float16", "bfloat16", "float",   "double",   "complex64", "complex128"};
  return kNames[static_cast<std::size_t>(dtype)];
}

// A kernel that computes one loop of a row for one element.
std::string kernel(const UfuncInfo& info, const UfuncLoop& loop, int number) {
  std::string arguments;
  std::string body;
  for (int i = 0; i < info.input_count; ++i) {
    arguments += fmt::format("const {}* in{}, ", device_type(loop.input(i)), i);
    body += fmt::format("  const auto {} = {}(in{}[threadIdx.x]);\n", "ab"[i],
                        info.raw_halves ? "" : "widen", i);
  }
  for (int i = 0; i < info.output_count; ++i) {
    const std::string_view type = device_type(loop.output(i));
    arguments += fmt::format("{}{}* out{}", i ? ", " : "", type, i);
    body += fmt::format("  out{}[threadIdx.x] = cast<{}>({});\n", i, type,
                        info.expressions[static_cast<std::size_t>(i)]);
  }
  return fmt::format("extern \"C\" __global__ void {}_{}({}) {{\n{}}}\n", info.name, number,
                     arguments, body);
}

std::string all_kernels() {
  std::string text = device_math() + "namespace CUPOLA_DEVICE_NAMESPACE {\n";
  for (const UfuncInfo& info : all_ufuncs()) {
    int number = 0;
    for (const UfuncLoop& loop : info.loops) text += kernel(info, loop, number++);
  }
  return text + "}\n";
}

class EveryRow : public testing::TestWithParam<const char*> {};

TEST_P(EveryRow, CompilesWithoutWarnings) {
  const Nvrtc nvrtc;
  if (!nvrtc.is_open()) GTEST_SKIP() << "NVRTC is not installed";
  const std::string architecture = fmt::format("--gpu-architecture={}", GetParam());
  const std::string log = nvrtc.compile(
      all_kernels(), {architecture.c_str(), "--std=c++20", "--fmad=false", "--minimal"});
  if (log.find("invalid value for --gpu-architecture") != log.npos) GTEST_SKIP() << log;
  EXPECT_EQ(log, "");
}

// One machine code; PTX, which takes half the time, for the others.
INSTANTIATE_TEST_SUITE_P(Architectures, EveryRow,
                         testing::Values("compute_80", "sm_90", "compute_100", "compute_120"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace cupola
