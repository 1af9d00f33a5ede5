#pragma once
// The part of cuFFT's binary interface that this platform calls, declared here as in cublas_abi.h.

#include <cuda.h>

#include <complex>
#include <cstddef>
#include <type_traits>

namespace cupola::cuda {

using cufftHandle = int;
using cufftComplex = std::complex<float>;
using cufftDoubleComplex = std::complex<double>;

inline constexpr int kCufftForward = -1;
inline constexpr int kCufftInverse = 1;

enum cufftResult : int {
  CUFFT_SUCCESS = 0,
  CUFFT_INVALID_PLAN = 1,
  CUFFT_ALLOC_FAILED = 2,
  CUFFT_INVALID_VALUE = 4,
  CUFFT_INTERNAL_ERROR = 5,
  CUFFT_EXEC_FAILED = 6,
  CUFFT_SETUP_FAILED = 7,
  CUFFT_NO_WORKSPACE = 13
};
enum cufftType : int {
  CUFFT_C2C = 0x29,
  CUFFT_R2C = 0x2a,
  CUFFT_C2R = 0x2c,
  CUFFT_Z2Z = 0x69,
  CUFFT_D2Z = 0x6a,
  CUFFT_Z2D = 0x6c
};

// A plan's input and output: extents of memory, elements from one value to the next, and from one
// row to the next.
#define CUPOLA_FOR_EACH_CUFFT_FUNCTION(X)                                                        \
  X(cufftCreate, cufftResult(cufftHandle*))                                                      \
  X(cufftDestroy, cufftResult(cufftHandle))                                                      \
  X(cufftSetAutoAllocation, cufftResult(cufftHandle, int allocates))                             \
  X(cufftMakePlanMany64, cufftResult(cufftHandle, int rank, long long* extents, long long* in,   \
                                     long long, long long, long long* out, long long, long long, \
                                     cufftType, long long count, std::size_t* work_bytes))       \
  X(cufftSetStream, cufftResult(cufftHandle, CUstream))                                          \
  X(cufftSetWorkArea, cufftResult(cufftHandle, void*))                                           \
  X(cufftExecC2C, cufftResult(cufftHandle, cufftComplex*, cufftComplex*, int direction))         \
  X(cufftExecR2C, cufftResult(cufftHandle, float*, cufftComplex*))                               \
  X(cufftExecC2R, cufftResult(cufftHandle, cufftComplex*, float*))                               \
  X(cufftExecZ2Z,                                                                                \
    cufftResult(cufftHandle, cufftDoubleComplex*, cufftDoubleComplex*, int direction))           \
  X(cufftExecD2Z, cufftResult(cufftHandle, double*, cufftDoubleComplex*))                        \
  X(cufftExecZ2D, cufftResult(cufftHandle, cufftDoubleComplex*, double*))

struct CufftApi {
#define CUPOLA_CUFFT_MEMBER(NAME, ...) std::type_identity_t<__VA_ARGS__>* NAME;
  CUPOLA_FOR_EACH_CUFFT_FUNCTION(CUPOLA_CUFFT_MEMBER)
#undef CUPOLA_CUFFT_MEMBER
};

}  // namespace cupola::cuda
