#pragma once
// The functions of cuSOLVER that this platform uses, and handles to borrow.

#include <cusolverDn.h>

#include "platforms/cuda/cuda_stream.h"

namespace cupola::cuda {

#define CUPOLA_FOR_EACH_CUSOLVER_FUNCTION(X) \
  X(cusolverDnCreate)                        \
  X(cusolverDnSetStream)                     \
  X(cusolverDnCreateParams)                  \
  X(cusolverDnXgetrf_bufferSize)             \
  X(cusolverDnXgetrf)                        \
  X(cusolverDnXgetrs)                        \
  X(cusolverDnXpotrf_bufferSize)             \
  X(cusolverDnXpotrf)                        \
  X(cusolverDnXgeqrf_bufferSize)             \
  X(cusolverDnXgeqrf)                        \
  X(cusolverDnSorgqr_bufferSize)             \
  X(cusolverDnDorgqr_bufferSize)             \
  X(cusolverDnCungqr_bufferSize)             \
  X(cusolverDnZungqr_bufferSize)             \
  X(cusolverDnSorgqr)                        \
  X(cusolverDnDorgqr)                        \
  X(cusolverDnCungqr)                        \
  X(cusolverDnZungqr)                        \
  X(cusolverDnXsyevd_bufferSize)             \
  X(cusolverDnXsyevd)                        \
  X(cusolverDnXgesvd_bufferSize)             \
  X(cusolverDnXgesvd)                        \
  X(cusolverDnSpotrfBatched)                 \
  X(cusolverDnDpotrfBatched)                 \
  X(cusolverDnCpotrfBatched)                 \
  X(cusolverDnZpotrfBatched)

struct CusolverApi {
#define CUPOLA_CUSOLVER_MEMBER(NAME) decltype(&::NAME) NAME;
  CUPOLA_FOR_EACH_CUSOLVER_FUNCTION(CUPOLA_CUSOLVER_MEMBER)
#undef CUPOLA_CUSOLVER_MEMBER
};

const CusolverApi& cusolver_api();
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
