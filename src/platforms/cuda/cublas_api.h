#pragma once
// The functions of cuBLAS that this platform uses, and handles to borrow.

#include <cublas_v2.h>

#include "platforms/cuda/cuda_stream.h"

namespace cupola::cuda {

#define CUPOLA_FOR_EACH_CUBLAS_FUNCTION(X) \
  X(cublasGetStatusName)                   \
  X(cublasCreate_v2)                       \
  X(cublasSetStream_v2)                    \
  X(cublasSetWorkspace_v2)                 \
  X(cublasGemmEx_64)                       \
  X(cublasGemmStridedBatchedEx_64)         \
  X(cublasGemmBatchedEx_64)

struct CublasApi {
#define CUPOLA_CUBLAS_MEMBER(NAME) decltype(&::NAME) NAME;
  CUPOLA_FOR_EACH_CUBLAS_FUNCTION(CUPOLA_CUBLAS_MEMBER)
#undef CUPOLA_CUBLAS_MEMBER
};

const CublasApi& cublas_api();
void check_cublas(cublasStatus_t status, const char* call, int device);
#define CUPOLA_CUBLAS(DEVICE, CALL, ...) \
  ::cupola::cuda::check_cublas(::cupola::cuda::cublas_api().CALL(__VA_ARGS__), #CALL, DEVICE)

// A handle of the stream's device, set to the stream; no other thread has it meanwhile. There are
// at most kMostHandles per device: a thread that finds none free waits. The context must be
// current.
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

}  // namespace cupola::cuda
