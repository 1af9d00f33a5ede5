// Compiles every loop of every row of ufuncs.def with NVRTC, as text that includes nothing, for
// several architectures. Needs no GPU; skipped where NVRTC cannot be opened.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "codegen/cuda/device_headers.h"
#include "codegen/device_tests/nvrtc_test_support.h"
#include "core/ufunc.h"

namespace cupola {
namespace {

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
    body += fmt::format("  const auto {} = {}(in{}[threadIdx.x]);\n", "abc"[i],
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

class EveryRow : public ::testing::TestWithParam<const char*> {};

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
                         ::testing::Values("compute_80", "sm_90", "compute_100", "compute_120"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace cupola
