#include "platforms/cuda/device/cuda_api.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>

#include "base/call_site.h"
#include "base/mutant.h"
#include "base/process/process_end.h"
#include "base/threads/lazy.h"
#include "base/threads/mutex.h"
#include "cupola/error.h"
#include "platforms/cuda/device/device_health.h"
#include "platforms/cuda/device/shared_library.h"

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
  library.load(api.capture_info, "cuStreamGetCaptureInfo_v2");
  library.load(api.update_capture_dependencies, "cuStreamUpdateCaptureDependencies");
  library.load_optional(api.function_parameter, "cuFuncGetParamInfo");
  return api;
}

// The generation, plus 1, of the process in which initialize_cuda() succeeded.
std::atomic<std::uint64_t> initialized_in{0};
Mutex initialization_mutex;

constexpr std::uint64_t kNobody = UINT64_MAX;

// The driver answers every call so before cuInit.
bool answers(const CudaApi& api) {
  CUcontext context = nullptr;
  const CUresult result = api.cuCtxGetCurrent(&context);
  return result != CUDA_ERROR_NOT_INITIALIZED && result != CUDA_ERROR_DEINITIALIZED;
}

// Another library may have initialised CUDA: after the fork it is too late to ask.
void before_fork() {
  if (internal::cuda_owner.load() != 0 || !answers(internal::loaded_api())) return;
  note_device_initialization("by another library than this one", "");
  internal::cuda_owner.store(fork_generation() + 1);
}

// CUDA stays the parent's.
void in_child() {
  if (CUPOLA_MUTANT(cuda_in_a_child)) internal::cuda_owner.store(fork_generation() + 1);
}

}  // namespace

namespace internal {

std::atomic<std::uint64_t> cuda_owner{0};

const CudaApi& loaded_api() {
  static constinit Lazy<const CudaApi> api;
  if (CUPOLA_MUTANT(publish_table_early)) {
    static constinit CudaApi early{};
    static constinit std::atomic<bool> is_begun{false};
    if (!is_begun.exchange(true)) early = load_api();
    return early;
  }
  return api.get([] {
    const CudaApi loaded = load_api();
    at_fork(ForkLayer::platform, {before_fork, {}, in_child});
    at_process_end([] {
      if (!CUPOLA_MUTANT(cuda_at_exit)) internal::cuda_owner.store(kNobody);
    });
    ++call_site_wishes;
    return loaded;
  });
}

}  // namespace internal

void throw_out_of_reach() {
  if (process_is_ending()) throw DeviceError("CUDA is not used any more: the process is ending");
  throw_forked();
}

bool cuda_is_initialized() { return initialized_in.load() == fork_generation() + 1; }

bool cuda_is_initialized_by_anybody() {
  return cuda_is_initialized() || (!cuda_is_out_of_reach() && answers(internal::loaded_api()));
}

void initialize_cuda() {
  if (cuda_is_initialized()) return;
  const std::string where = call_site();
  const std::lock_guard lock(initialization_mutex);
  if (cuda_is_initialized()) return;
  const CUresult result = cuda_api().cuInit(0);
  if (result == CUDA_ERROR_NOT_INITIALIZED && fork_generation() > 0) throw_forked();
  if (result != CUDA_SUCCESS) throw_cuda_error(result, "cuInit", -1);
  std::uint64_t nobody = 0;
  if (internal::cuda_owner.compare_exchange_strong(nobody, fork_generation() + 1)) {
    note_device_initialization("cuInit", where);
    --call_site_wishes;
  }
  initialized_in.store(fork_generation() + 1);
}

std::string cuda_message(CUresult result, const char* call, int device) {
  const char* name = nullptr;
  const char* text = nullptr;
  internal::loaded_api().cuGetErrorName(result, &name);
  internal::loaded_api().cuGetErrorString(result, &text);
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

namespace {

// Errors of asynchronous work, after which every call on the context fails alike.
bool ends_the_device(CUresult result) {
  switch (static_cast<int>(result)) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_EXTERNAL_DEVICE:
      return true;
    default:
      return false;
  }
}

}  // namespace

void throw_if_fault(CUresult result, const char* call, int device) {
  if (ends_the_device(result)) throw_cuda_error(result, call, device);
}

void throw_cuda_error(CUresult result, const char* call, int device) {
  const std::string message = cuda_message(result, call, device);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw OutOfMemoryError(message);
  if (device < 0 || !ends_the_device(result)) throw DeviceError(message, result);
  DeviceHealth& health = device_health(device);
  if (health.is_failed()) health.check();
  health.fail_now(std::make_exception_ptr(
      DeviceError(fmt::format("{}. Work queued before this call failed{}{}", message,
                              health.recent_launches(), faults_elsewhere(device)),
                  result)));
}

}  // namespace cupola::cuda
