#include "platforms/cuda/cuda_api.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>

#include "cupola/error.h"
#include "platforms/cuda/shared_library.h"

namespace cupola::cuda {
namespace {

#define CUPOLA_TEXT_OF(NAME) #NAME
#define CUPOLA_EXPANDED_TEXT_OF(NAME) CUPOLA_TEXT_OF(NAME)

CudaApi load_api() {
  const SharedLibrary library("libcuda.so.1");
  CudaApi api{};
#define CUPOLA_CUDA_LOAD(NAME) library.load(api.NAME, CUPOLA_EXPANDED_TEXT_OF(NAME));
  CUPOLA_FOR_EACH_CUDA_FUNCTION(CUPOLA_CUDA_LOAD)
#undef CUPOLA_CUDA_LOAD
  library.load(api.event_elapsed_time, "cuEventElapsedTime");
  library.load_optional(api.function_parameter, "cuFuncGetParamInfo");
  return api;
}

std::atomic<bool> initialized{false};

}  // namespace

const CudaApi& cuda_api() {
  static const CudaApi& api = *new CudaApi(load_api());
  return api;
}

bool cuda_is_initialized() { return initialized.load(std::memory_order_acquire); }

void initialize_cuda() {
  if (cuda_is_initialized()) return;
  static std::mutex& mutex = *new std::mutex;
  const std::scoped_lock lock(mutex);
  if (cuda_is_initialized()) return;
  const CUresult result = cuda_api().cuInit(0);
  if (result != CUDA_SUCCESS) throw_cuda_error(result, "cuInit", -1);
  initialized.store(true, std::memory_order_release);
}

std::string cuda_message(CUresult result, const char* call, int device) {
  const char* name = nullptr;
  const char* text = nullptr;
  cuda_api().cuGetErrorName(result, &name);
  cuda_api().cuGetErrorString(result, &text);
  const std::string where = device < 0 ? "" : fmt::format(" on cuda:{}", device);
  return fmt::format("{}{}: {} ({})", call, where, name ? name : "unknown error",
                     text ? text : fmt::format("code {}", static_cast<int>(result)));
}

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

void throw_cuda_error(CUresult result, const char* call, int device) {
  const std::string message = cuda_message(result, call, device);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw OutOfMemoryError(message);
  throw DeviceError(message);
}

}  // namespace cupola::cuda
