// The entry of the plugin libcupola_cuda.so.

#include <string>

#include "base/threads/lazy.h"
#include "cupola/error.h"
#include "driver/registry.h"
#include "platforms/cuda/compile/module_compiler.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/device/cuda_driver.h"
#include "platforms/cuda/device/discovery.h"

// See PluginVersion in driver/registry.h.
extern "C" __attribute__((visibility("default"))) const char* cupola_plugin_version() {
  return CUPOLA_VERSION;
}

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
