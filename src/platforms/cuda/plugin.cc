// The entry of the plugin libcupola_cuda.so.

#include <string>

#include "base/lazy.h"
#include "cupola/error.h"
#include "driver/registry.h"
#include "platforms/cuda/cuda_api.h"
#include "platforms/cuda/cuda_driver.h"
#include "platforms/cuda/discovery.h"
#include "platforms/cuda/module_compiler.h"

// See CreateDriver in driver/registry.h. Initialises nothing; the driver lives until the process
// ends.
extern "C" __attribute__((visibility("default"))) cupola::Driver* cupola_create_driver(
    const char** reason) {
  static constinit cupola::Lazy<std::string> reasons;
  std::string& why = *reasons;
  try {
    cupola::cuda::cuda_api();
    cupola::cuda::visible_devices();  // throws; that there is none may change
    return new cupola::cuda::CudaDriver;
  } catch (const cupola::Error& error) {
    why = error.what();
  }
  if (reason) *reason = why.c_str();
  return nullptr;
}

// See CreateSourceCompiler in driver/registry.h.
extern "C" __attribute__((visibility("default"))) cupola::SourceCompiler*
cupola_create_source_compiler() {
  return new cupola::cuda::CudaSourceCompiler;
}
