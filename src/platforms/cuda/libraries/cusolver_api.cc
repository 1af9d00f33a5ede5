#include "platforms/cuda/libraries/cusolver_api.h"

#include <fmt/format.h>

#include "base/counters.h"
#include "base/threads/lazy.h"
#include "cupola/error.h"
#include "platforms/cuda/device/shared_library.h"
#include "platforms/cuda/libraries/handle_pool.h"

namespace cupola::cuda {
namespace {

using Handles = HandlePool<cusolverDnHandle_t>;

Handles& handles_of(int device) {
  static constinit Lazy<DeviceTable<Handles>> pools;
  return (*pools)[device];
}

SharedLibrary open_cusolver() {
  return SharedLibrary({"libcusolver.so.12", "libcusolver.so.11"},
                       "factorising matrices on CUDA devices");
}

#define CUPOLA_CUSOLVER_LOAD(NAME, ...) library.load(api.NAME, #NAME);
CusolverApi load_cusolver() {
  const SharedLibrary library = open_cusolver();
  CusolverApi api{};
  CUPOLA_FOR_EACH_CUSOLVER_FUNCTION(CUPOLA_CUSOLVER_LOAD)
  return api;
}

CusolverGeevApi load_geev() {
  const SharedLibrary library = open_cusolver();
  CusolverGeevApi api{};
  CUPOLA_FOR_EACH_CUSOLVER_GEEV_FUNCTION(CUPOLA_CUSOLVER_LOAD)
  return api;
}
#undef CUPOLA_CUSOLVER_LOAD

const char* text_of(cusolverStatus_t status) {
  switch (status) {
    case CUSOLVER_STATUS_NOT_INITIALIZED:
      return "CUSOLVER_STATUS_NOT_INITIALIZED";
    case CUSOLVER_STATUS_ALLOC_FAILED:
      return "CUSOLVER_STATUS_ALLOC_FAILED";
    case CUSOLVER_STATUS_INVALID_VALUE:
      return "CUSOLVER_STATUS_INVALID_VALUE";
    case CUSOLVER_STATUS_ARCH_MISMATCH:
      return "CUSOLVER_STATUS_ARCH_MISMATCH";
    case CUSOLVER_STATUS_EXECUTION_FAILED:
      return "CUSOLVER_STATUS_EXECUTION_FAILED";
    case CUSOLVER_STATUS_INTERNAL_ERROR:
      return "CUSOLVER_STATUS_INTERNAL_ERROR";
    default:
      return "an error";
  }
}

}  // namespace

const CusolverApi& cusolver_api() {
  static constinit Lazy<const CusolverApi> api;
  return api.get(load_cusolver);
}

const CusolverGeevApi& cusolver_geev_api() {
  static constinit Lazy<const CusolverGeevApi> api;
  return api.get(load_geev);
}

void check_cusolver(cusolverStatus_t status, const char* call, int device) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  const std::string message = fmt::format("{} on cuda:{}: {} ({})", call, device, text_of(status),
                                          static_cast<int>(status));
  if (status == CUSOLVER_STATUS_ALLOC_FAILED) throw OutOfMemoryError(message);
  throw DeviceError(message);
}

BorrowedSolver::BorrowedSolver(CudaStream& stream) : device_(stream.context->index) {
  cusolver_api();  // throws before anything is taken
  Handles& pool = handles_of(device_);
  handle_ = pool.take();
  try {
    if (!handle_) {
      CUPOLA_CUSOLVER(device_, cusolverDnCreate, &handle_);
      count(Counter::library_handles);
    }
    CUPOLA_CUSOLVER(device_, cusolverDnSetStream, handle_, stream.handle);
  } catch (...) {
    pool.give_back(handle_);
    throw;
  }
}

BorrowedSolver::~BorrowedSolver() { handles_of(device_).give_back(handle_); }

cusolverDnParams_t solver_params() {
  static constinit Lazy<const cusolverDnParams_t> params;
  return params.get([] {
    cusolverDnParams_t made = nullptr;
    CUPOLA_CUSOLVER(0, cusolverDnCreateParams, &made);
    return made;
  });
}

}  // namespace cupola::cuda
