#pragma once
// The part of cuSOLVER's binary interface that this platform calls, declared here as in
// cublas_abi.h.

#include "platforms/cuda/libraries/cublas_abi.h"

namespace cupola::cuda {

using cusolverDnHandle_t = struct cusolverDnContext*;
using cusolverDnParams_t = struct cusolverDnParams*;

enum cusolverStatus_t : int {
  CUSOLVER_STATUS_SUCCESS = 0,
  CUSOLVER_STATUS_NOT_INITIALIZED = 1,
  CUSOLVER_STATUS_ALLOC_FAILED = 2,
  CUSOLVER_STATUS_INVALID_VALUE = 3,
  CUSOLVER_STATUS_ARCH_MISMATCH = 4,
  CUSOLVER_STATUS_EXECUTION_FAILED = 6,
  CUSOLVER_STATUS_INTERNAL_ERROR = 7
};
enum cusolverEigMode_t : int { CUSOLVER_EIG_MODE_NOVECTOR = 0, CUSOLVER_EIG_MODE_VECTOR = 1 };

// Column-major matrices of the functions of one type: data, elements from one column to the next.
template <typename T>
using CusolverOrgqrSize = cusolverStatus_t(cusolverDnHandle_t, int rows, int columns,
                                           int reflectors, const T* a, int, const T* tau,
                                           int* work_elements);
template <typename T>
using CusolverOrgqr = cusolverStatus_t(cusolverDnHandle_t, int rows, int columns, int reflectors,
                                       T* a, int, const T* tau, T* work, int work_elements,
                                       int* info);
template <typename T>
using CusolverPotrfBatched = cusolverStatus_t(cusolverDnHandle_t, cublasFillMode_t, int n, T** a,
                                              int, int* info, int count);

// The X functions: matrices as type, data, elements from one column to the next; vectors as type
// and data; the type that is computed in; work memory on the device and on the host.
#define CUPOLA_FOR_EACH_CUSOLVER_FUNCTION(X)                                                       \
  X(cusolverDnCreate, cusolverStatus_t(cusolverDnHandle_t*))                                       \
  X(cusolverDnSetStream, cusolverStatus_t(cusolverDnHandle_t, CUstream))                           \
  X(cusolverDnCreateParams, cusolverStatus_t(cusolverDnParams_t*))                                 \
  X(cusolverDnXgetrf_bufferSize,                                                                   \
    cusolverStatus_t(cusolverDnHandle_t, cusolverDnParams_t, std::int64_t rows,                    \
                     std::int64_t columns, cudaDataType, const void* a, std::int64_t,              \
                     cudaDataType, std::size_t* on_device, std::size_t* on_host))                  \
  X(cusolverDnXgetrf, cusolverStatus_t(cusolverDnHandle_t, cusolverDnParams_t, std::int64_t rows,  \
                                       std::int64_t columns, cudaDataType, void* a, std::int64_t,  \
                                       std::int64_t* pivots, cudaDataType, void*, std::size_t,     \
                                       void*, std::size_t, int* info))                             \
  X(cusolverDnXgetrs,                                                                              \
    cusolverStatus_t(cusolverDnHandle_t, cusolverDnParams_t, cublasOperation_t, std::int64_t n,    \
                     std::int64_t columns, cudaDataType, const void* a, std::int64_t,              \
                     const std::int64_t* pivots, cudaDataType, void* b, std::int64_t, int* info))  \
  X(cusolverDnXpotrf_bufferSize,                                                                   \
    cusolverStatus_t(cusolverDnHandle_t, cusolverDnParams_t, cublasFillMode_t, std::int64_t n,     \
                     cudaDataType, const void* a, std::int64_t, cudaDataType,                      \
                     std::size_t* on_device, std::size_t* on_host))                                \
  X(cusolverDnXpotrf,                                                                              \
    cusolverStatus_t(cusolverDnHandle_t, cusolverDnParams_t, cublasFillMode_t, std::int64_t n,     \
                     cudaDataType, void* a, std::int64_t, cudaDataType, void*, std::size_t, void*, \
                     std::size_t, int* info))                                                      \
  X(cusolverDnXgeqrf_bufferSize,                                                                   \
    cusolverStatus_t(cusolverDnHandle_t, cusolverDnParams_t, std::int64_t rows,                    \
                     std::int64_t columns, cudaDataType, const void* a, std::int64_t,              \
                     cudaDataType, const void* tau, cudaDataType, std::size_t* on_device,          \
                     std::size_t* on_host))                                                        \
  X(cusolverDnXgeqrf,                                                                              \
    cusolverStatus_t(cusolverDnHandle_t, cusolverDnParams_t, std::int64_t rows,                    \
                     std::int64_t columns, cudaDataType, void* a, std::int64_t, cudaDataType,      \
                     void* tau, cudaDataType, void*, std::size_t, void*, std::size_t, int* info))  \
  X(cusolverDnSorgqr_bufferSize, CusolverOrgqrSize<float>)                                         \
  X(cusolverDnDorgqr_bufferSize, CusolverOrgqrSize<double>)                                        \
  X(cusolverDnCungqr_bufferSize, CusolverOrgqrSize<std::complex<float>>)                           \
  X(cusolverDnZungqr_bufferSize, CusolverOrgqrSize<std::complex<double>>)                          \
  X(cusolverDnSorgqr, CusolverOrgqr<float>)                                                        \
  X(cusolverDnDorgqr, CusolverOrgqr<double>)                                                       \
  X(cusolverDnCungqr, CusolverOrgqr<std::complex<float>>)                                          \
  X(cusolverDnZungqr, CusolverOrgqr<std::complex<double>>)                                         \
  X(cusolverDnXsyevd_bufferSize,                                                                   \
    cusolverStatus_t(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t, cublasFillMode_t,  \
                     std::int64_t n, cudaDataType, const void* a, std::int64_t, cudaDataType,      \
                     const void* values, cudaDataType, std::size_t* on_device,                     \
                     std::size_t* on_host))                                                        \
  X(cusolverDnXsyevd, cusolverStatus_t(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t,  \
                                       cublasFillMode_t, std::int64_t n, cudaDataType, void* a,    \
                                       std::int64_t, cudaDataType, void* values, cudaDataType,     \
                                       void*, std::size_t, void*, std::size_t, int* info))         \
  X(cusolverDnXgesvd_bufferSize,                                                                   \
    cusolverStatus_t(cusolverDnHandle_t, cusolverDnParams_t, signed char of_u, signed char of_v,   \
                     std::int64_t rows, std::int64_t columns, cudaDataType, const void* a,         \
                     std::int64_t, cudaDataType, const void* values, cudaDataType, const void* u,  \
                     std::int64_t, cudaDataType, const void* v, std::int64_t, cudaDataType,        \
                     std::size_t* on_device, std::size_t* on_host))                                \
  X(cusolverDnXgesvd,                                                                              \
    cusolverStatus_t(cusolverDnHandle_t, cusolverDnParams_t, signed char of_u, signed char of_v,   \
                     std::int64_t rows, std::int64_t columns, cudaDataType, void* a, std::int64_t, \
                     cudaDataType, void* values, cudaDataType, void* u, std::int64_t,              \
                     cudaDataType, void* v, std::int64_t, cudaDataType, void*, std::size_t, void*, \
                     std::size_t, int* info))                                                      \
  X(cusolverDnSpotrfBatched, CusolverPotrfBatched<float>)                                          \
  X(cusolverDnDpotrfBatched, CusolverPotrfBatched<double>)                                         \
  X(cusolverDnCpotrfBatched, CusolverPotrfBatched<std::complex<float>>)                            \
  X(cusolverDnZpotrfBatched, CusolverPotrfBatched<std::complex<double>>)

// Since cuSOLVER 11.7.1, of CUDA 12.6. Values of real matrices may be complex.
#define CUPOLA_FOR_EACH_CUSOLVER_GEEV_FUNCTION(X)                                                  \
  X(cusolverDnXgeev_bufferSize,                                                                    \
    cusolverStatus_t(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t left,               \
                     cusolverEigMode_t right, std::int64_t n, cudaDataType, const void* a,         \
                     std::int64_t, cudaDataType, const void* values, cudaDataType, const void* vl, \
                     std::int64_t, cudaDataType, const void* vr, std::int64_t, cudaDataType,       \
                     std::size_t* on_device, std::size_t* on_host))                                \
  X(cusolverDnXgeev,                                                                               \
    cusolverStatus_t(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t left,               \
                     cusolverEigMode_t right, std::int64_t n, cudaDataType, void* a, std::int64_t, \
                     cudaDataType, void* values, cudaDataType, void* vl, std::int64_t,             \
                     cudaDataType, void* vr, std::int64_t, cudaDataType, void*, std::size_t,       \
                     void*, std::size_t, int* info))

struct CusolverApi {
#define CUPOLA_CUSOLVER_MEMBER(NAME, ...) std::type_identity_t<__VA_ARGS__>* NAME;
  CUPOLA_FOR_EACH_CUSOLVER_FUNCTION(CUPOLA_CUSOLVER_MEMBER)
};
struct CusolverGeevApi {
  CUPOLA_FOR_EACH_CUSOLVER_GEEV_FUNCTION(CUPOLA_CUSOLVER_MEMBER)
#undef CUPOLA_CUSOLVER_MEMBER
};

}  // namespace cupola::cuda
