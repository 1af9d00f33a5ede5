// What stands in front of CUDA texts on the CPU, and the headers that they find.
#include <fmt/format.h>

#include "codegen/cuda/cuda_headers.h"
#include "codegen/user/host_headers.h"
#include "codegen/user/host_names.h"
#include "platforms/cpu/simt/kernel_text.h"

namespace cupola::cpu {
namespace {

// Code for architectures from 8.0 on copies, multiplies and waits by instructions in PTX; what it
// has for 7.0 is C++.
constexpr std::string_view kLanguage = R"(
#undef __global__
#undef __forceinline__
#define __forceinline__ __attribute__((always_inline))
#define __managed__
#define __grid_constant__
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDA_ARCH__ 700
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDA_API_VERSION 13000
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END
#define __NV_SILENCE_HOST_DEPRECATION_BEGIN
#define __NV_SILENCE_HOST_DEPRECATION_END
)";

// What only GPUs have. The compiler reports the use, not the name in a text that does not use it.
std::string words_of_gpus() {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"textures and surfaces have",
       "tex1D tex1Dfetch tex1DLod tex1DGrad tex1DLayered tex2D tex2DLod tex2DGrad tex2DLayered "
       "tex2Dgather tex3D tex3DLod tex3DGrad texCubemap texCubemapLayered surf1Dread surf1Dwrite "
       "surf2Dread surf2Dwrite surf3Dread surf3Dwrite surf1DLayeredread surf2DLayeredread "},
      {"clusters of blocks have", "__cluster_barrier_arrive __cluster_barrier_wait "},
      {"parallel launches from kernels have", "cudaLaunchDevice cudaStreamCreateWithFlags "}};
  std::string text =
      "using cudaTextureObject_t = unsigned long long;\n"
      "using cudaSurfaceObject_t = unsigned long long;\n";
  for (const auto& [what, words] : kWords) {
    std::string_view rest = words;
    while (!rest.empty()) {
      const std::size_t end = rest.find(' ');
      text += fmt::format(
          "template <typename T = int, typename... Rest>\n__attribute__((error(\"{} no meaning on "
          "a "
          "CPU; run the kernel on a device 'cuda:...'\"))) T {}(const Rest&...);\n",
          what, rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
  }
  return text;
}

// What the device headers take for the text of a GPU.
constexpr std::string_view kBeginOwn = R"(#pragma once
#pragma push_macro("__CUDACC__")
#pragma push_macro("__CUDACC_RTC__")
#pragma push_macro("__CUDA_ARCH__")
#undef __CUDACC__
#undef __CUDACC_RTC__
#undef __CUDA_ARCH__
)";
constexpr std::string_view kEndOwn = R"(
#pragma pop_macro("__CUDACC__")
#pragma pop_macro("__CUDACC_RTC__")
#pragma pop_macro("__CUDA_ARCH__")
)";

// All that they have is there already.
constexpr std::string_view kEmpty[] = {
    "assert.h",
    "builtin_types.h",
    "cassert",
    "cuda.h",
    "cuda_device_runtime_api.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "cupy/atomics.cuh",
    "device_atomic_functions.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "device_types.h",
    "driver_types.h",
    "host_defines.h",
    "math_functions.h",
    "nvrtc.h",
    "sm_20_intrinsics.h",
    "sm_30_intrinsics.h",
    "sm_32_intrinsics.h",
    "sm_60_atomic_functions.h",
    "vector_functions.h",
    "vector_types.h",
    "crt/host_defines.h",
    "crt/math_functions.h",
    "crt/device_functions.h",
};

// Of <cuda/std/...>, by the names of the host's.
constexpr std::string_view kStandard[] = {
    "algorithm", "array",   "bit",         "cassert",    "cfloat",
    "climits",   "cmath",   "complex",     "concepts",   "cstddef",
    "cstdint",   "cstdlib", "cstring",     "functional", "initializer_list",
    "iterator",  "limits",  "numeric",     "optional",   "ratio",
    "span",      "tuple",   "type_traits", "utility",    "variant"};

struct OwnInclude {
  std::string_view path;
  std::vector<std::string_view> headers;
};
std::vector<OwnInclude> own_includes() {
  return {
      {"cupy/carray.cuh", {"carray.cuh"}},
      {"cupy/complex.cuh", {"user_complex.cuh"}},
      {"thrust/complex.h", {"user_complex.cuh"}},
      {"cuda_fp16.h", {"fp16.cuh"}},
      {"cuda_fp16.hpp", {"fp16.cuh"}},
      {"cuda_bf16.h", {"fp16.cuh"}},
      {"cuComplex.h", {"cucomplex.cuh"}},
      {"math_constants.h", {"math_constants.cuh"}},
      {"cooperative_groups.h", {"cooperative_groups.cuh"}},
      {"cooperative_groups/reduce.h", {"cooperative_groups.cuh"}},
      {"cooperative_groups/scan.h", {"cooperative_groups.cuh"}},
  };
}

}  // namespace

std::string simt_checks() {
  const std::string_view root = "checks.cuh";
  return cuda_header_text({&root, 1});
}

std::string simt_prelude(const ModuleSource& source) {
  std::vector<std::string_view> headers{"threads.cuh"};
  for (const std::string_view each : host_headers(source.text, source.options)) {
    headers.push_back(each);
  }
  return host_includes(source.text, source.options) + "#include <time.h>\n#include <utility>\n" +
         cuda_header_text(headers) + std::string(kLanguage) + words_of_gpus() +
         host_name_directives(source.text);
}

std::vector<CudaInclude> cuda_includes() {
  std::vector<CudaInclude> includes;
  for (const std::string_view path : kEmpty) includes.push_back({std::string(path), ""});
  constexpr std::string_view kNoTensorCores =
      "#error \"tensor cores have no meaning on a CPU; run the kernel on a device 'cuda:...'\"\n";
  for (const char* path : {"mma.h", "crt/mma.h"}) {
    includes.push_back({path, std::string(kNoTensorCores)});
  }
  for (const std::string_view name : kStandard) {
    includes.push_back({fmt::format("cuda/std/{}", name),
                        fmt::format("{}#include <{}>\nnamespace cuda {{\nnamespace std = "
                                    "::std;\n}}\n{}",
                                    kBeginOwn, name, kEndOwn)});
  }
  for (const OwnInclude& include : own_includes()) {
    includes.push_back(
        {std::string(include.path),
         fmt::format("{}{}{}", kBeginOwn, cuda_header_text(include.headers), kEndOwn)});
  }
  return includes;
}

}  // namespace cupola::cpu
