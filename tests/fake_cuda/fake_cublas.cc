// cuBLAS by the definition of its functions, at once. As with fake_cufft.cc, what it may do it
// does: it writes over its workspace, and does nothing without one.
#include <algorithm>
#include <complex>
#include <cstring>
#include <vector>

#include "cupola/float16.h"
#include "fake_cuda.h"
#include "fake_lapack.h"
#include "platforms/cuda/libraries/cublas_abi.h"

using namespace cupola::cuda;
using cupola::BFloat16;
using cupola::Float16;

struct cupola::cuda::cublasContext {
  CUstream stream = nullptr;
  void* workspace = nullptr;
  std::size_t bytes = 0;
};

namespace {

constexpr auto kNotInitialized = static_cast<cublasStatus_t>(1);
constexpr auto kInvalidValue = static_cast<cublasStatus_t>(7);
constexpr auto kExecutionFailed = static_cast<cublasStatus_t>(13);
constexpr std::size_t kUsedWorkspace = 1000;
// Sums of so many products fail: for lack of memory, and otherwise.
constexpr std::int64_t kTooLong = 100013;
constexpr std::int64_t kBroken = 100017;

using Status = cublasStatus_t;

Status begin(cublasHandle_t handle, const char* name) {
  if (!handle) return kNotInitialized;
  if (const int failed = fake_cuda::enter(name)) return static_cast<Status>(failed);
  if (fake_cuda::fault_on(handle->stream) != CUDA_SUCCESS) return kExecutionFailed;
  if (!handle->workspace || handle->bytes < kUsedWorkspace) return CUBLAS_STATUS_ALLOC_FAILED;
  std::memset(handle->workspace, 0x7f, kUsedWorkspace);
  return CUBLAS_STATUS_SUCCESS;
}

// The type that sums of T are taken in.
template <typename T>
struct Summed {
  using type = T;
};
template <>
struct Summed<Float16> {
  using type = float;
};
template <>
struct Summed<BFloat16> {
  using type = float;
};

struct Shape {
  cublasOperation_t of_a, of_b;
  std::int64_t m, n, k, a_leading, b_leading, c_leading;

  bool is_right() const {
    const std::int64_t a_rows = of_a == CUBLAS_OP_N ? m : k;
    const std::int64_t b_rows = of_b == CUBLAS_OP_N ? k : n;
    return a_leading >= std::max<std::int64_t>(1, a_rows) &&
           b_leading >= std::max<std::int64_t>(1, b_rows) && c_leading >= m;
  }
};

template <typename T>
void multiply(const Shape& s, const void* alpha, const void* first, const void* second,
              const void* beta, void* result) {
  using Sum = typename Summed<T>::type;
  const Sum scale = *static_cast<const Sum*>(alpha);
  const Sum kept = *static_cast<const Sum*>(beta);
  const auto* const a = static_cast<const T*>(first);
  const auto* const b = static_cast<const T*>(second);
  auto* const c = static_cast<T*>(result);
  for (std::int64_t j = 0; j < s.n; ++j) {
    for (std::int64_t i = 0; i < s.m; ++i) {
      Sum sum{};
      for (std::int64_t p = 0; p < s.k; ++p) {
        const T left = s.of_a == CUBLAS_OP_N ? a[i + p * s.a_leading] : a[p + i * s.a_leading];
        const T right = s.of_b == CUBLAS_OP_N ? b[p + j * s.b_leading] : b[j + p * s.b_leading];
        sum += static_cast<Sum>(left) * static_cast<Sum>(right);
      }
      T& to = c[i + j * s.c_leading];
      // Without `beta` what is there is not read.
      to = kept == Sum{} ? T(scale * sum) : T(scale * sum + kept * static_cast<Sum>(to));
    }
  }
}

using Multiply = void(const Shape&, const void*, const void*, const void*, const void*, void*);

Multiply* multiply_of(cudaDataType type, cublasComputeType_t compute) {
  const bool is_double = type == CUDA_R_64F || type == CUDA_C_64F;
  if (compute != (is_double ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F)) return nullptr;
  switch (type) {
    case CUDA_R_16F:
      return multiply<Float16>;
    case CUDA_R_16BF:
      return multiply<BFloat16>;
    case CUDA_R_32F:
      return multiply<float>;
    case CUDA_R_64F:
      return multiply<double>;
    case CUDA_C_32F:
      return multiply<std::complex<float>>;
    case CUDA_C_64F:
      return multiply<std::complex<double>>;
  }
  return nullptr;
}

std::size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_32F:
      return 4;
    case CUDA_R_64F:
    case CUDA_C_32F:
      return 8;
    case CUDA_C_64F:
      return 16;
  }
  return 0;
}

// Calls at(i, multiply) for each product.
template <typename At>
Status multiply_all(cublasHandle_t handle, const char* name, const Shape& shape, cudaDataType type,
                    cublasComputeType_t compute, std::int64_t count, const At& at) {
  if (const Status refused = begin(handle, name)) return refused;
  if (shape.k == kTooLong) return CUBLAS_STATUS_ALLOC_FAILED;
  if (shape.k == kBroken) return kExecutionFailed;
  Multiply* const multiply = multiply_of(type, compute);
  if (!multiply || !shape.is_right() || count < 1) return kInvalidValue;
  for (std::int64_t i = 0; i < count; ++i) at(i, multiply);
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
Status getrf_batched(cublasHandle_t handle, int n, T* const* a, int leading, int* pivots, int* info,
                     int count) {
  if (const Status refused = begin(handle, "cublas_getrfBatched")) return refused;
  for (int i = 0; i < count; ++i) {
    info[i] = fake_lapack::getrf(n, n, a[i], leading, pivots + std::ptrdiff_t{n} * i);
  }
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
Status getrs_batched(cublasHandle_t handle, cublasOperation_t operation, int n, int columns,
                     const T* const* a, int leading, const int* pivots, T* const* b, int b_leading,
                     int* info, int count) {
  if (const Status refused = begin(handle, "cublas_getrsBatched")) return refused;
  if (operation != CUBLAS_OP_N) return kInvalidValue;
  *info = 0;
  for (int i = 0; i < count; ++i) {
    fake_lapack::getrs(n, columns, a[i], leading, pivots + std::ptrdiff_t{n} * i, b[i], b_leading);
  }
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
Status getri_batched(cublasHandle_t handle, int n, const T* const* a, int leading,
                     const int* pivots, T* const* inverse, int inverse_leading, int* info,
                     int count) {
  if (const Status refused = begin(handle, "cublas_getriBatched")) return refused;
  for (int i = 0; i < count; ++i) {
    const T* const factors = a[i];
    info[i] = 0;
    for (int k = n; k > 0; --k) {
      if (factors[(k - 1) * (std::ptrdiff_t{leading} + 1)] == T{}) info[i] = k;
    }
    for (int column = 0; column < n; ++column) {
      T* const one = inverse[i] + std::ptrdiff_t{inverse_leading} * column;
      std::fill_n(one, n, T{});
      one[column] = T{1};
    }
    fake_lapack::getrs(n, n, factors, leading, pivots + std::ptrdiff_t{n} * i, inverse[i],
                       inverse_leading);
  }
  return CUBLAS_STATUS_SUCCESS;
}

const std::byte* moved(const void* data, cudaDataType type, std::int64_t elements) {
  return static_cast<const std::byte*>(data) + elements * static_cast<std::int64_t>(bytes_of(type));
}

}  // namespace

extern "C" {
const char* cublasGetStatusName(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_ALLOC_FAILED) return "CUBLAS_STATUS_ALLOC_FAILED";
  return status == kInvalidValue ? "CUBLAS_STATUS_INVALID_VALUE" : "CUBLAS_STATUS_EXECUTION_FAILED";
}
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (fake_cuda::enter_context("cublasCreate") != CUDA_SUCCESS) return CUBLAS_STATUS_ALLOC_FAILED;
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, CUstream stream) {
  if (const int failed = fake_cuda::enter("cublasSetStream")) return static_cast<Status>(failed);
  handle->stream = stream;
  handle->workspace = nullptr;  // as cuBLAS, which takes its own again
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, std::size_t bytes) {
  if (const int failed = fake_cuda::enter("cublasSetWorkspace")) return static_cast<Status>(failed);
  handle->workspace = workspace;
  handle->bytes = bytes;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t of_a,
                               cublasOperation_t of_b, std::int64_t m, std::int64_t n,
                               std::int64_t k, const void* alpha, const void* a,
                               cudaDataType a_type, std::int64_t a_leading, const void* b,
                               cudaDataType b_type, std::int64_t b_leading, const void* beta,
                               void* c, cudaDataType type, std::int64_t c_leading,
                               cublasComputeType_t compute, cublasGemmAlgo_t) {
  if (a_type != type || b_type != type) return kInvalidValue;
  const Shape shape{of_a, of_b, m, n, k, a_leading, b_leading, c_leading};
  return multiply_all(handle, "cublasGemmEx", shape, type, compute, 1,
                      [&](std::int64_t, Multiply* one) { one(shape, alpha, a, b, beta, c); });
}
cublasStatus_t cublasGemmStridedBatchedEx_64(
    cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, std::int64_t m,
    std::int64_t n, std::int64_t k, const void* alpha, const void* a, cudaDataType a_type,
    std::int64_t a_leading, long long a_step, const void* b, cudaDataType b_type,
    std::int64_t b_leading, long long b_step, const void* beta, void* c, cudaDataType type,
    std::int64_t c_leading, long long c_step, std::int64_t count, cublasComputeType_t compute,
    cublasGemmAlgo_t) {
  if (a_type != type || b_type != type) return kInvalidValue;
  const Shape shape{of_a, of_b, m, n, k, a_leading, b_leading, c_leading};
  return multiply_all(handle, "cublasGemmStridedBatchedEx", shape, type, compute, count,
                      [&](std::int64_t i, Multiply* one) {
                        one(shape, alpha, moved(a, type, i * a_step), moved(b, type, i * b_step),
                            beta, const_cast<std::byte*>(moved(c, type, i * c_step)));
                      });
}
cublasStatus_t cublasGemmBatchedEx_64(cublasHandle_t handle, cublasOperation_t of_a,
                                      cublasOperation_t of_b, std::int64_t m, std::int64_t n,
                                      std::int64_t k, const void* alpha, const void* const* a,
                                      cudaDataType a_type, std::int64_t a_leading,
                                      const void* const* b, cudaDataType b_type,
                                      std::int64_t b_leading, const void* beta, void* const* c,
                                      cudaDataType type, std::int64_t c_leading, std::int64_t count,
                                      cublasComputeType_t compute, cublasGemmAlgo_t) {
  if (a_type != type || b_type != type) return kInvalidValue;
  const Shape shape{of_a, of_b, m, n, k, a_leading, b_leading, c_leading};
  return multiply_all(
      handle, "cublasGemmBatchedEx", shape, type, compute, count,
      [&](std::int64_t i, Multiply* one) { one(shape, alpha, a[i], b[i], beta, c[i]); });
}

#define FAKE_BATCHED(LETTER, ...)                                                                  \
  cublasStatus_t cublas##LETTER##getrfBatched(cublasHandle_t handle, int n, __VA_ARGS__* const* a, \
                                              int leading, int* pivots, int* info, int count) {    \
    return getrf_batched(handle, n, a, leading, pivots, info, count);                              \
  }                                                                                                \
  cublasStatus_t cublas##LETTER##getrsBatched(                                                     \
      cublasHandle_t handle, cublasOperation_t operation, int n, int columns,                      \
      const __VA_ARGS__* const* a, int leading, const int* pivots, __VA_ARGS__* const* b,          \
      int b_leading, int* info, int count) {                                                       \
    return getrs_batched(handle, operation, n, columns, a, leading, pivots, b, b_leading, info,    \
                         count);                                                                   \
  }                                                                                                \
  cublasStatus_t cublas##LETTER##getriBatched(                                                     \
      cublasHandle_t handle, int n, const __VA_ARGS__* const* a, int leading, const int* pivots,   \
      __VA_ARGS__* const* inverse, int inverse_leading, int* info, int count) {                    \
    return getri_batched(handle, n, a, leading, pivots, inverse, inverse_leading, info, count);    \
  }
FAKE_BATCHED(S, float)
FAKE_BATCHED(D, double)
FAKE_BATCHED(C, std::complex<float>)
FAKE_BATCHED(Z, std::complex<double>)
}  // extern "C"

#define CUPOLA_SAME_TYPE(NAME, ...) static_assert(std::is_same_v<decltype(NAME), __VA_ARGS__>);
CUPOLA_FOR_EACH_CUBLAS_FUNCTION(CUPOLA_SAME_TYPE)
