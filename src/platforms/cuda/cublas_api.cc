#include "platforms/cuda/cublas_api.h"

#include <fmt/format.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "base/counters.h"
#include "base/lazy.h"
#include "cupola/error.h"
#include "platforms/cuda/shared_library.h"

namespace cupola::cuda {
namespace {

constexpr int kMostHandles = 8;

struct HandlePool {
  std::mutex mutex;
  std::condition_variable returned;
  std::vector<cublasHandle_t> free;
  int made = 0;
};

HandlePool& pool_of(int device) {
  static constinit Lazy<DeviceTable<HandlePool>> pools;
  return (*pools)[device];
}

CublasApi load_cublas() {
  const SharedLibrary library({"libcublas.so.13", "libcublas.so.12"}, "matmul on CUDA devices");
  CublasApi api{};
#define CUPOLA_CUBLAS_LOAD(NAME) library.load(api.NAME, #NAME);
  CUPOLA_FOR_EACH_CUBLAS_FUNCTION(CUPOLA_CUBLAS_LOAD)
#undef CUPOLA_CUBLAS_LOAD
  return api;
}

// A free handle, or null when one more may be made.
cublasHandle_t take_free(HandlePool& pool) {
  std::unique_lock lock(pool.mutex);
  pool.returned.wait(lock, [&] { return !pool.free.empty() || pool.made < kMostHandles; });
  if (pool.free.empty()) {
    ++pool.made;
    return nullptr;
  }
  const cublasHandle_t handle = pool.free.back();
  pool.free.pop_back();
  return handle;
}

void give_back(HandlePool& pool, cublasHandle_t handle) {
  const std::scoped_lock lock(pool.mutex);
  if (handle) {
    pool.free.push_back(handle);
  } else {
    --pool.made;  // it could not be made
  }
  pool.returned.notify_one();
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
  HandlePool& pool = pool_of(device_);
  handle_ = take_free(pool);
  try {
    if (!handle_) {
      CUPOLA_CUBLAS(device_, cublasCreate_v2, &handle_);
      count(Counter::library_handles);
    }
    CUPOLA_CUBLAS(device_, cublasSetStream_v2, handle_,
                  reinterpret_cast<cudaStream_t>(stream.handle));
  } catch (...) {
    give_back(pool, handle_);
    throw;
  }
}

BorrowedHandle::~BorrowedHandle() { give_back(pool_of(device_), handle_); }

}  // namespace cupola::cuda
