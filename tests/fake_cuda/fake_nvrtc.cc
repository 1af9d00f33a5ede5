// A compiler whose every text compiles, to nothing; with FAKE_NVRTC_BROKEN set, none does.
#include <nvrtc.h>

#include <cstdlib>
#include <cstring>
#include <iterator>

#include "fake_cuda.h"

namespace {
// Of machine code, with the name of a kernel as ELF files have it.
constexpr char kImage[] = "a fake image\0.text.kernel";
constexpr int kArchitectures[] = {75, 80, 90, 100};
}  // namespace

const char* nvrtcGetErrorString(nvrtcResult) { return "as the fake compiler says"; }
nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = 13;
  const char* wanted = std::getenv("FAKE_NVRTC_MINOR");
  *minor = wanted ? std::atoi(wanted) : 0;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  *count = std::size(kArchitectures);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
  std::memcpy(architectures, kArchitectures, sizeof kArchitectures);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char*, const char*, int,
                               const char* const*, const char* const*) {
  if (const int failed = fake_cuda::note_call("nvrtcCreateProgram")) {
    return static_cast<nvrtcResult>(failed);
  }
  *program = reinterpret_cast<nvrtcProgram>(new char);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  delete reinterpret_cast<char*>(*program);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCompileProgram(nvrtcProgram, int count, const char* const* options) {
  if (const int failed = fake_cuda::note_call("nvrtcCompileProgram")) {
    return static_cast<nvrtcResult>(failed);
  }
  for (int i = 0; i < count; ++i) {
    if (std::strncmp(options[i], "--gpu-arch", 10) == 0)
      fake_cuda::note_arguments("%s", options[i]);
  }
  return std::getenv("FAKE_NVRTC_BROKEN") ? NVRTC_ERROR_COMPILATION : NVRTC_SUCCESS;
}
nvrtcResult nvrtcAddNameExpression(nvrtcProgram, const char*) { return NVRTC_SUCCESS; }
nvrtcResult nvrtcGetLoweredName(nvrtcProgram, const char* expression, const char** name) {
  *name = expression;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram, std::size_t* bytes) {
  *bytes = 1;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram, char* text) {
  *text = '\0';
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram, std::size_t* bytes) {
  *bytes = sizeof kImage;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram, char* image) {
  std::memcpy(image, kImage, sizeof kImage);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, std::size_t* bytes) {
  return nvrtcGetCUBINSize(program, bytes);
}
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* image) {
  fake_cuda::note_call("nvrtcGetPTX");
  return nvrtcGetCUBIN(program, image);
}
