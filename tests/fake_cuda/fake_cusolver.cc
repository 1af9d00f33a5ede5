// cuSOLVER by LAPACK, at once. As with fake_cufft.cc, what it may do it does: it writes over all of
// its work memory, and refuses where there is less than it asked for.
#include <complex>
#include <cstring>
#include <vector>

#include "fake_cuda.h"
#include "fake_lapack.h"
#include "platforms/cuda/libraries/cusolver_abi.h"

using namespace cupola::cuda;

struct cupola::cuda::cusolverDnContext {
  CUstream stream = nullptr;
};
struct cupola::cuda::cusolverDnParams {};

namespace {

using Handle = cusolverDnHandle_t;
using Params = cusolverDnParams_t;
using Status = cusolverStatus_t;
using fake_lapack::Real;

constexpr std::size_t kOnDevice = 1000;
constexpr std::size_t kOnHost = 100;
constexpr int kWorkElements = 50;
// Matrices of so many rows fail: for lack of memory, and otherwise.
constexpr std::int64_t kTooLarge = 1013;
constexpr std::int64_t kBroken = 1017;

Status size(std::int64_t rows, std::size_t* on_device, std::size_t* on_host) {
  if (rows == kTooLarge) return CUSOLVER_STATUS_ALLOC_FAILED;
  if (rows == kBroken) return CUSOLVER_STATUS_INTERNAL_ERROR;
  *on_device = kOnDevice;
  *on_host = kOnHost;
  return CUSOLVER_STATUS_SUCCESS;
}

Status begin(Handle handle, const char* name) {
  if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (const int failed = fake_cuda::enter(name)) return static_cast<Status>(failed);
  return fake_cuda::fault_on(handle->stream) == CUDA_SUCCESS ? CUSOLVER_STATUS_SUCCESS
                                                             : CUSOLVER_STATUS_EXECUTION_FAILED;
}

Status begin(Handle handle, const char* name, void* device, std::size_t on_device, void* host,
             std::size_t on_host) {
  if (on_device < kOnDevice || on_host < kOnHost) return CUSOLVER_STATUS_INVALID_VALUE;
  std::memset(device, 0x7f, on_device);
  std::memset(host, 0x7f, on_host);
  return begin(handle, name);
}

// Calls run(T{}) for the type.
template <typename Run>
Status with_type(cudaDataType type, const Run& run) {
  switch (type) {
    case CUDA_R_32F:
      run(float{});
      return CUSOLVER_STATUS_SUCCESS;
    case CUDA_R_64F:
      run(double{});
      return CUSOLVER_STATUS_SUCCESS;
    case CUDA_C_32F:
      run(std::complex<float>{});
      return CUSOLVER_STATUS_SUCCESS;
    case CUDA_C_64F:
      run(std::complex<double>{});
      return CUSOLVER_STATUS_SUCCESS;
    default:
      return CUSOLVER_STATUS_INVALID_VALUE;
  }
}

int narrow(std::int64_t extent) { return static_cast<int>(extent); }

template <typename T>
Status orgqr(Handle handle, int rows, int columns, int reflectors, T* a, int leading, const T* tau,
             T* work, int elements, int* info) {
  if (elements < kWorkElements) return CUSOLVER_STATUS_INVALID_VALUE;
  std::memset(static_cast<void*>(work), 0x7f, kWorkElements * sizeof(T));
  if (const Status refused = begin(handle, "cusolverDnOrgqr")) return refused;
  *info = fake_lapack::orgqr(rows, columns, reflectors, a, leading, tau);
  return CUSOLVER_STATUS_SUCCESS;
}

template <typename T>
Status potrf_batched(Handle handle, cublasFillMode_t triangle, int n, T** a, int leading, int* info,
                     int count) {
  if (const Status refused = begin(handle, "cusolverDnPotrfBatched")) return refused;
  for (int i = 0; i < count; ++i) {
    info[i] = fake_lapack::potrf(triangle == CUBLAS_FILL_MODE_UPPER, n, a[i], leading);
  }
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace

extern "C" {
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  if (fake_cuda::enter_context("cusolverDnCreate") != CUDA_SUCCESS) {
    return CUSOLVER_STATUS_NOT_INITIALIZED;
  }
  *handle = new cusolverDnContext;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, CUstream stream) {
  if (const int failed = fake_cuda::enter("cusolverDnSetStream")) {
    return static_cast<Status>(failed);
  }
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) {
  *params = new cusolverDnParams;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXgetrf_bufferSize(Handle, Params, std::int64_t rows, std::int64_t,
                                             cudaDataType, const void*, std::int64_t, cudaDataType,
                                             std::size_t* on_device, std::size_t* on_host) {
  return size(rows, on_device, on_host);
}
cusolverStatus_t cusolverDnXgetrf(Handle handle, Params, std::int64_t rows, std::int64_t columns,
                                  cudaDataType type, void* a, std::int64_t leading,
                                  std::int64_t* pivots, cudaDataType, void* work,
                                  std::size_t on_device, void* host, std::size_t on_host,
                                  int* info) {
  if (const Status refused = begin(handle, "cusolverDnXgetrf", work, on_device, host, on_host)) {
    return refused;
  }
  return with_type(type, [&]<typename T>(T) {
    std::vector<int> narrow_pivots(static_cast<std::size_t>(std::min(rows, columns)));
    *info = fake_lapack::getrf(narrow(rows), narrow(columns), static_cast<T*>(a), narrow(leading),
                               narrow_pivots.data());
    std::copy(narrow_pivots.begin(), narrow_pivots.end(), pivots);
  });
}
cusolverStatus_t cusolverDnXgetrs(Handle handle, Params, cublasOperation_t operation,
                                  std::int64_t n, std::int64_t columns, cudaDataType type,
                                  const void* a, std::int64_t leading, const std::int64_t* pivots,
                                  cudaDataType, void* b, std::int64_t b_leading, int* info) {
  if (operation != CUBLAS_OP_N) return CUSOLVER_STATUS_INVALID_VALUE;
  if (const Status refused = begin(handle, "cusolverDnXgetrs")) return refused;
  return with_type(type, [&]<typename T>(T) {
    const std::vector<int> narrow_pivots(pivots, pivots + n);
    *info =
        fake_lapack::getrs(narrow(n), narrow(columns), static_cast<const T*>(a), narrow(leading),
                           narrow_pivots.data(), static_cast<T*>(b), narrow(b_leading));
  });
}

cusolverStatus_t cusolverDnXpotrf_bufferSize(Handle, Params, cublasFillMode_t, std::int64_t n,
                                             cudaDataType, const void*, std::int64_t, cudaDataType,
                                             std::size_t* on_device, std::size_t* on_host) {
  return size(n, on_device, on_host);
}
cusolverStatus_t cusolverDnXpotrf(Handle handle, Params, cublasFillMode_t triangle, std::int64_t n,
                                  cudaDataType type, void* a, std::int64_t leading, cudaDataType,
                                  void* work, std::size_t on_device, void* host,
                                  std::size_t on_host, int* info) {
  if (const Status refused = begin(handle, "cusolverDnXpotrf", work, on_device, host, on_host)) {
    return refused;
  }
  return with_type(type, [&]<typename T>(T) {
    *info = fake_lapack::potrf(triangle == CUBLAS_FILL_MODE_UPPER, narrow(n), static_cast<T*>(a),
                               narrow(leading));
  });
}

cusolverStatus_t cusolverDnXgeqrf_bufferSize(Handle, Params, std::int64_t rows, std::int64_t,
                                             cudaDataType, const void*, std::int64_t, cudaDataType,
                                             const void*, cudaDataType, std::size_t* on_device,
                                             std::size_t* on_host) {
  return size(rows, on_device, on_host);
}
cusolverStatus_t cusolverDnXgeqrf(Handle handle, Params, std::int64_t rows, std::int64_t columns,
                                  cudaDataType type, void* a, std::int64_t leading, cudaDataType,
                                  void* tau, cudaDataType, void* work, std::size_t on_device,
                                  void* host, std::size_t on_host, int* info) {
  if (const Status refused = begin(handle, "cusolverDnXgeqrf", work, on_device, host, on_host)) {
    return refused;
  }
  return with_type(type, [&]<typename T>(T) {
    *info = fake_lapack::geqrf(narrow(rows), narrow(columns), static_cast<T*>(a), narrow(leading),
                               static_cast<T*>(tau));
  });
}

cusolverStatus_t cusolverDnXsyevd_bufferSize(Handle, Params, cusolverEigMode_t, cublasFillMode_t,
                                             std::int64_t n, cudaDataType, const void*,
                                             std::int64_t, cudaDataType, const void*, cudaDataType,
                                             std::size_t* on_device, std::size_t* on_host) {
  return size(n, on_device, on_host);
}
cusolverStatus_t cusolverDnXsyevd(Handle handle, Params, cusolverEigMode_t mode,
                                  cublasFillMode_t triangle, std::int64_t n, cudaDataType type,
                                  void* a, std::int64_t leading, cudaDataType, void* values,
                                  cudaDataType, void* work, std::size_t on_device, void* host,
                                  std::size_t on_host, int* info) {
  if (const Status refused = begin(handle, "cusolverDnXsyevd", work, on_device, host, on_host)) {
    return refused;
  }
  return with_type(type, [&]<typename T>(T) {
    *info = fake_lapack::syev(mode == CUSOLVER_EIG_MODE_VECTOR, triangle == CUBLAS_FILL_MODE_UPPER,
                              narrow(n), static_cast<T*>(a), narrow(leading),
                              static_cast<Real<T>*>(values));
  });
}

cusolverStatus_t cusolverDnXgeev_bufferSize(Handle, Params, cusolverEigMode_t, cusolverEigMode_t,
                                            std::int64_t n, cudaDataType, const void*, std::int64_t,
                                            cudaDataType, const void*, cudaDataType, const void*,
                                            std::int64_t, cudaDataType, const void*, std::int64_t,
                                            cudaDataType, std::size_t* on_device,
                                            std::size_t* on_host) {
  return size(n, on_device, on_host);
}
cusolverStatus_t cusolverDnXgeev(Handle handle, Params, cusolverEigMode_t left,
                                 cusolverEigMode_t right, std::int64_t n, cudaDataType type,
                                 void* a, std::int64_t leading, cudaDataType values_type,
                                 void* values, cudaDataType, void*, std::int64_t, cudaDataType,
                                 void* v, std::int64_t v_leading, cudaDataType, void* work,
                                 std::size_t on_device, void* host, std::size_t on_host,
                                 int* info) {
  if (left != CUSOLVER_EIG_MODE_NOVECTOR) return CUSOLVER_STATUS_INVALID_VALUE;
  if (values_type != CUDA_C_32F && values_type != CUDA_C_64F) return CUSOLVER_STATUS_INVALID_VALUE;
  if (const Status refused = begin(handle, "cusolverDnXgeev", work, on_device, host, on_host)) {
    return refused;
  }
  return with_type(type, [&]<typename T>(T) {
    *info = fake_lapack::geev(right == CUSOLVER_EIG_MODE_VECTOR, narrow(n), static_cast<T*>(a),
                              narrow(leading), static_cast<std::complex<Real<T>>*>(values),
                              static_cast<T*>(v), narrow(v_leading));
  });
}

cusolverStatus_t cusolverDnXgesvd_bufferSize(Handle, Params, signed char, signed char,
                                             std::int64_t rows, std::int64_t, cudaDataType,
                                             const void*, std::int64_t, cudaDataType, const void*,
                                             cudaDataType, const void*, std::int64_t, cudaDataType,
                                             const void*, std::int64_t, cudaDataType,
                                             std::size_t* on_device, std::size_t* on_host) {
  return size(rows, on_device, on_host);
}
cusolverStatus_t cusolverDnXgesvd(Handle handle, Params, signed char of_u, signed char of_v,
                                  std::int64_t rows, std::int64_t columns, cudaDataType type,
                                  void* a, std::int64_t leading, cudaDataType, void* values,
                                  cudaDataType, void* u, std::int64_t u_leading, cudaDataType,
                                  void* v, std::int64_t v_leading, cudaDataType, void* work,
                                  std::size_t on_device, void* host, std::size_t on_host,
                                  int* info) {
  if (rows < columns) return CUSOLVER_STATUS_INVALID_VALUE;  // it has no wide matrices
  if (const Status refused = begin(handle, "cusolverDnXgesvd", work, on_device, host, on_host)) {
    return refused;
  }
  return with_type(type, [&]<typename T>(T) {
    *info = fake_lapack::gesvd(static_cast<char>(of_u), static_cast<char>(of_v), narrow(rows),
                               narrow(columns), static_cast<T*>(a), narrow(leading),
                               static_cast<Real<T>*>(values), static_cast<T*>(u), narrow(u_leading),
                               static_cast<T*>(v), narrow(v_leading));
  });
}

#define FAKE_OF_TYPE(LETTER, Q, ...)                                                             \
  cusolverStatus_t cusolverDn##LETTER##Q##_bufferSize(Handle, int, int, int, const __VA_ARGS__*, \
                                                      int, const __VA_ARGS__*, int* elements) {  \
    *elements = kWorkElements;                                                                   \
    return CUSOLVER_STATUS_SUCCESS;                                                              \
  }                                                                                              \
  cusolverStatus_t cusolverDn##LETTER##Q(Handle handle, int rows, int columns, int reflectors,   \
                                         __VA_ARGS__* a, int leading, const __VA_ARGS__* tau,    \
                                         __VA_ARGS__* work, int elements, int* info) {           \
    return orgqr(handle, rows, columns, reflectors, a, leading, tau, work, elements, info);      \
  }                                                                                              \
  cusolverStatus_t cusolverDn##LETTER##potrfBatched(Handle handle, cublasFillMode_t triangle,    \
                                                    int n, __VA_ARGS__** a, int leading,         \
                                                    int* info, int count) {                      \
    return potrf_batched(handle, triangle, n, a, leading, info, count);                          \
  }
FAKE_OF_TYPE(S, orgqr, float)
FAKE_OF_TYPE(D, orgqr, double)
FAKE_OF_TYPE(C, ungqr, std::complex<float>)
FAKE_OF_TYPE(Z, ungqr, std::complex<double>)
}  // extern "C"

#define CUPOLA_SAME_TYPE(NAME, ...) static_assert(std::is_same_v<decltype(NAME), __VA_ARGS__>);
CUPOLA_FOR_EACH_CUSOLVER_FUNCTION(CUPOLA_SAME_TYPE)
CUPOLA_FOR_EACH_CUSOLVER_GEEV_FUNCTION(CUPOLA_SAME_TYPE)
