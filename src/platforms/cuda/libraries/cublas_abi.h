#pragma once
// The part of cuBLAS's binary interface that this platform calls, declared here: NVIDIA's headers
// of its libraries come with several hundred megabytes. library_abi_test.cc compares the
// declarations with them. Enumerations have the values that are used.

#include <cuda.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace cupola::cuda {

using cublasHandle_t = struct cublasContext*;

enum cublasStatus_t : int { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_ALLOC_FAILED = 3 };
enum cublasOperation_t : int { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };
enum cublasFillMode_t : int { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 };
enum cublasComputeType_t : int { CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_64F = 70 };
enum cublasGemmAlgo_t : int { CUBLAS_GEMM_DEFAULT = -1 };
enum cudaDataType : int {
  CUDA_R_32F = 0,
  CUDA_R_64F = 1,
  CUDA_R_16F = 2,
  CUDA_C_32F = 4,
  CUDA_C_64F = 5,
  CUDA_R_16BF = 14
};

template <typename T>
using CublasGetrfBatched = cublasStatus_t(cublasHandle_t, int n, T* const* a, int a_leading,
                                          int* pivots, int* info, int count);
template <typename T>
using CublasGetrsBatched = cublasStatus_t(cublasHandle_t, cublasOperation_t, int n, int columns,
                                          const T* const* a, int a_leading, const int* pivots,
                                          T* const* b, int b_leading, int* info, int count);
template <typename T>
using CublasGetriBatched = cublasStatus_t(cublasHandle_t, int n, const T* const* a, int a_leading,
                                          const int* pivots, T* const* inverse, int inverse_leading,
                                          int* info, int count);

// Matrices of the GEMMs: data, type, elements from one column to the next, in stacks also elements
// from one matrix to the next.
#define CUPOLA_FOR_EACH_CUBLAS_FUNCTION(X)                                                         \
  X(cublasGetStatusName, const char*(cublasStatus_t))                                              \
  X(cublasCreate_v2, cublasStatus_t(cublasHandle_t*))                                              \
  X(cublasSetStream_v2, cublasStatus_t(cublasHandle_t, CUstream))                                  \
  X(cublasSetWorkspace_v2, cublasStatus_t(cublasHandle_t, void*, std::size_t bytes))               \
  X(cublasGemmEx_64,                                                                               \
    cublasStatus_t(cublasHandle_t, cublasOperation_t of_a, cublasOperation_t of_b, std::int64_t m, \
                   std::int64_t n, std::int64_t k, const void* alpha, const void* a, cudaDataType, \
                   std::int64_t, const void* b, cudaDataType, std::int64_t, const void* beta,      \
                   void* c, cudaDataType, std::int64_t, cublasComputeType_t, cublasGemmAlgo_t))    \
  X(cublasGemmStridedBatchedEx_64,                                                                 \
    cublasStatus_t(cublasHandle_t, cublasOperation_t of_a, cublasOperation_t of_b, std::int64_t m, \
                   std::int64_t n, std::int64_t k, const void* alpha, const void* a, cudaDataType, \
                   std::int64_t, long long, const void* b, cudaDataType, std::int64_t, long long,  \
                   const void* beta, void* c, cudaDataType, std::int64_t, long long,               \
                   std::int64_t count, cublasComputeType_t, cublasGemmAlgo_t))                     \
  X(cublasGemmBatchedEx_64,                                                                        \
    cublasStatus_t(cublasHandle_t, cublasOperation_t of_a, cublasOperation_t of_b, std::int64_t m, \
                   std::int64_t n, std::int64_t k, const void* alpha, const void* const* a,        \
                   cudaDataType, std::int64_t, const void* const* b, cudaDataType, std::int64_t,   \
                   const void* beta, void* const* c, cudaDataType, std::int64_t,                   \
                   std::int64_t count, cublasComputeType_t, cublasGemmAlgo_t))                     \
  X(cublasSgetrfBatched, CublasGetrfBatched<float>)                                                \
  X(cublasDgetrfBatched, CublasGetrfBatched<double>)                                               \
  X(cublasCgetrfBatched, CublasGetrfBatched<std::complex<float>>)                                  \
  X(cublasZgetrfBatched, CublasGetrfBatched<std::complex<double>>)                                 \
  X(cublasSgetrsBatched, CublasGetrsBatched<float>)                                                \
  X(cublasDgetrsBatched, CublasGetrsBatched<double>)                                               \
  X(cublasCgetrsBatched, CublasGetrsBatched<std::complex<float>>)                                  \
  X(cublasZgetrsBatched, CublasGetrsBatched<std::complex<double>>)                                 \
  X(cublasSgetriBatched, CublasGetriBatched<float>)                                                \
  X(cublasDgetriBatched, CublasGetriBatched<double>)                                               \
  X(cublasCgetriBatched, CublasGetriBatched<std::complex<float>>)                                  \
  X(cublasZgetriBatched, CublasGetriBatched<std::complex<double>>)

struct CublasApi {
#define CUPOLA_CUBLAS_MEMBER(NAME, ...) std::type_identity_t<__VA_ARGS__>* NAME;
  CUPOLA_FOR_EACH_CUBLAS_FUNCTION(CUPOLA_CUBLAS_MEMBER)
#undef CUPOLA_CUBLAS_MEMBER
};

}  // namespace cupola::cuda
