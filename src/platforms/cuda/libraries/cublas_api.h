#pragma once
// cuBLAS, opened on first use, and handles to borrow.

#include "platforms/cuda/libraries/cublas_abi.h"
#include "platforms/cuda/streams/cuda_stream.h"

namespace cupola::cuda {

const CublasApi& cublas_api();
void check_cublas(cublasStatus_t status, const char* call, int device);
#define CUPOLA_CUBLAS(DEVICE, CALL, ...) \
  ::cupola::cuda::check_cublas(::cupola::cuda::cublas_api().CALL(__VA_ARGS__), #CALL, DEVICE)

// A handle of the stream's device (handle_pool.h), set to the stream. The context must be current.
class BorrowedHandle {
 public:
  explicit BorrowedHandle(CudaStream& stream);
  ~BorrowedHandle();
  BorrowedHandle(const BorrowedHandle&) = delete;
  BorrowedHandle& operator=(const BorrowedHandle&) = delete;
  cublasHandle_t get() const { return handle_; }

 private:
  int device_;
  cublasHandle_t handle_ = nullptr;
};

// Workspace of the calls queued during its life: a handle's own would be shared by streams. The
// context must be current.
class BlasWorkspace {
 public:
  BlasWorkspace(const BorrowedHandle& handle, CudaStream& stream);
  ~BlasWorkspace();
  BlasWorkspace(const BlasWorkspace&) = delete;
  BlasWorkspace& operator=(const BlasWorkspace&) = delete;

 private:
  void release() noexcept;

  CudaStream& stream_;
  CUdeviceptr data_ = 0;
};

}  // namespace cupola::cuda
