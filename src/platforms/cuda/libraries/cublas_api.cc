#include "platforms/cuda/libraries/cublas_api.h"

#include <fmt/format.h>

#include "base/counters.h"
#include "base/threads/lazy.h"
#include "cupola/error.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/device/shared_library.h"
#include "platforms/cuda/libraries/handle_pool.h"

namespace cupola::cuda {
namespace {

using Handles = HandlePool<cublasHandle_t>;

Handles& handles_of(int device) {
  static constinit Lazy<DeviceTable<Handles>> pools;
  return (*pools)[device];
}

CublasApi load_cublas() {
  const SharedLibrary library({"libcublas.so.13", "libcublas.so.12"}, "matmul on CUDA devices");
  CublasApi api{};
#define CUPOLA_CUBLAS_LOAD(NAME, ...) library.load(api.NAME, #NAME);
  CUPOLA_FOR_EACH_CUBLAS_FUNCTION(CUPOLA_CUBLAS_LOAD)
#undef CUPOLA_CUBLAS_LOAD
  return api;
}

}  // namespace

const CublasApi& cublas_api() {
  static constinit Lazy<const CublasApi> api;
  return api.get(load_cublas);
}

void check_cublas(cublasStatus_t status, const char* call, int device) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const std::string message =
      fmt::format("{} on cuda:{}: {}", call, device, cublas_api().cublasGetStatusName(status));
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw OutOfMemoryError(message);
  throw DeviceError(message);
}

BorrowedHandle::BorrowedHandle(CudaStream& stream) : device_(stream.context->index) {
  cublas_api();  // throws before anything is taken
  Handles& pool = handles_of(device_);
  handle_ = pool.take();
  try {
    if (!handle_) {
      CUPOLA_CUBLAS(device_, cublasCreate_v2, &handle_);
      count(Counter::library_handles);
    }
    CUPOLA_CUBLAS(device_, cublasSetStream_v2, handle_, stream.handle);
  } catch (...) {
    pool.give_back(handle_);
    throw;
  }
}

BorrowedHandle::~BorrowedHandle() { handles_of(device_).give_back(handle_); }

BlasWorkspace::BlasWorkspace(const BorrowedHandle& handle, CudaStream& stream) : stream_(stream) {
  constexpr std::size_t kBytes = std::size_t{32} << 20;  // what cuBLAS asks for on Hopper
  const int device = stream.context->index;
  data_ = allocate_for_work(stream, kBytes);
  try {
    CUPOLA_CUBLAS(device, cublasSetWorkspace_v2, handle.get(), reinterpret_cast<void*>(data_),
                  kBytes);
  } catch (...) {
    release();
    throw;
  }
}

BlasWorkspace::~BlasWorkspace() { release(); }

void BlasWorkspace::release() noexcept { free_after_work(stream_, data_); }

}  // namespace cupola::cuda
