#pragma once
// cuSOLVER, opened on first use, and handles to borrow.

#include "platforms/cuda/libraries/cusolver_abi.h"
#include "platforms/cuda/streams/cuda_stream.h"

namespace cupola::cuda {

const CusolverApi& cusolver_api();
// What older libraries have not.
const CusolverGeevApi& cusolver_geev_api();
void check_cusolver(cusolverStatus_t status, const char* call, int device);
#define CUPOLA_CUSOLVER(DEVICE, CALL, ...) \
  ::cupola::cuda::check_cusolver(::cupola::cuda::cusolver_api().CALL(__VA_ARGS__), #CALL, DEVICE)

// A handle of the stream's device (handle_pool.h), set to the stream. The context must be current.
class BorrowedSolver {
 public:
  explicit BorrowedSolver(CudaStream& stream);
  ~BorrowedSolver();
  BorrowedSolver(const BorrowedSolver&) = delete;
  BorrowedSolver& operator=(const BorrowedSolver&) = delete;
  cusolverDnHandle_t get() const { return handle_; }

 private:
  int device_;
  cusolverDnHandle_t handle_ = nullptr;
};

// The library's defaults for functions with 64-bit extents.
cusolverDnParams_t solver_params();

}  // namespace cupola::cuda
