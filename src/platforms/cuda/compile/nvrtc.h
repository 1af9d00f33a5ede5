#pragma once
// NVRTC, opened on first use, and its programs.

#include <nvrtc.h>

#include <string>
#include <vector>

namespace cupola::cuda {

#define CUPOLA_FOR_EACH_NVRTC_FUNCTION(X) \
  X(nvrtcGetErrorString)                  \
  X(nvrtcVersion)                         \
  X(nvrtcGetNumSupportedArchs)            \
  X(nvrtcGetSupportedArchs)               \
  X(nvrtcCreateProgram)                   \
  X(nvrtcDestroyProgram)                  \
  X(nvrtcCompileProgram)                  \
  X(nvrtcAddNameExpression)               \
  X(nvrtcGetLoweredName)                  \
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
  std::string identity;            // tells it from other versions and builds; empty if unknown
};

// Complete before anybody sees it. Throws LibraryError where it cannot be opened.
const NvrtcApi& nvrtc();

// The identity of the compiler that nvrtc() opens, without opening it if that can be. Empty where
// there is none or it cannot be told.
std::string nvrtc_identity() noexcept;

// What to give as --gpu-architecture: `architecture` itself, or for one that is newer than the
// compiler, the newest that it knows, as PTX.
struct Target {
  std::string option;
  bool is_ptx;
};
Target target_of(int architecture);

class NvrtcProgram {
 public:
  // A header that the text may include by `path`.
  struct Header {
    std::string path, text;
  };
  NvrtcProgram(const std::string& text, const char* file_name,
               const std::vector<Header>& headers = {});
  ~NvrtcProgram();
  NvrtcProgram(const NvrtcProgram&) = delete;
  NvrtcProgram& operator=(const NvrtcProgram&) = delete;

  // Before compile().
  void add_name_expression(const std::string& expression);
  // False when the text has errors; log() says which.
  bool compile(const std::vector<std::string>& options);
  std::string log() const;
  std::string image(const Target& target) const;
  std::string lowered_name(const std::string& expression) const;

 private:
  template <class Size, class Get>
  std::string read(Size size, Get get, const char* call) const;
  nvrtcProgram program_ = nullptr;
};

}  // namespace cupola::cuda
