// Our declarations of NVIDIA's libraries are those of NVIDIA's headers: functions that a caller
// cannot tell apart, and enumerators of the same values. Compiled only where these headers are.

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>

// Ours first: NVIDIA's define macros.
#include "platforms/cuda/libraries/cublas_abi.h"
#include "platforms/cuda/libraries/cufft_abi.h"
#include "platforms/cuda/libraries/cusolver_abi.h"

#include <cublas_v2.h>
#include <cufft.h>
#include <cusolverDn.h>

namespace cupola::cuda {
namespace {

template <typename T>
concept Complete = requires {
  sizeof(T);
};

// Whether values of the two types are passed alike, and have the same meaning in memory.
template <typename A, typename B>
constexpr bool is_uniform() {
  if constexpr (std::is_same_v<A, B>) {
    return true;
  } else if constexpr (std::is_enum_v<A> && std::is_enum_v<B>) {
    return sizeof(A) == sizeof(B);
  } else if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    return sizeof(A) == sizeof(B) && std::is_signed_v<A> == std::is_signed_v<B>;
  } else if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
    using OfA = std::remove_pointer_t<A>;
    using OfB = std::remove_pointer_t<B>;
    return std::is_const_v<OfA> == std::is_const_v<OfB> &&
           is_uniform<std::remove_const_t<OfA>, std::remove_const_t<OfB>>();
  } else if constexpr (std::is_class_v<A> && std::is_class_v<B>) {
    if constexpr (Complete<A> && Complete<B>) return sizeof(A) == sizeof(B);
    return !Complete<A> && !Complete<B>;  // behind handles
  } else {
    return false;
  }
}

template <typename A, typename B>
struct Functions : std::false_type {};
template <typename ResultA, typename... A, typename ResultB, typename... B>
requires(sizeof...(A) == sizeof...(B)) struct Functions<ResultA(A...), ResultB(B...)>
    : std::bool_constant<(is_uniform<ResultA, ResultB>() && ... && is_uniform<A, B>())> {
};

#define CUPOLA_IS_ALIKE(NAME, ...) \
  static_assert(Functions<decltype(::NAME), std::type_identity_t<__VA_ARGS__>>::value, #NAME);
CUPOLA_FOR_EACH_CUBLAS_FUNCTION(CUPOLA_IS_ALIKE)
CUPOLA_FOR_EACH_CUFFT_FUNCTION(CUPOLA_IS_ALIKE)
CUPOLA_FOR_EACH_CUSOLVER_FUNCTION(CUPOLA_IS_ALIKE)
#if CUSOLVER_VERSION >= 11701
CUPOLA_FOR_EACH_CUSOLVER_GEEV_FUNCTION(CUPOLA_IS_ALIKE)
#endif
#undef CUPOLA_IS_ALIKE

// What the comparison notices.
struct Two {
  float parts[2];
};
static_assert(!Functions<int(int), int(cublasOperation_t)>::value);
static_assert(Functions<int(long, Two*), int(long long, cuComplex*)>::value);
static_assert(!Functions<int(int), int(long)>::value);
static_assert(!Functions<int(int), int(unsigned)>::value);
static_assert(!Functions<int(int), int(int, int)>::value);
static_assert(!Functions<int(const int*), int(int*)>::value);
static_assert(!Functions<int(int**), int(long**)>::value);
static_assert(!Functions<int(float), int(double)>::value);
static_assert(!Functions<int(Two*), int(std::complex<double>*)>::value);

#define CUPOLA_HAS_VALUE(NAME) \
  EXPECT_EQ(static_cast<std::int64_t>(NAME), static_cast<std::int64_t>(::NAME))

TEST(LibraryAbi, EnumeratorsOfCublasHaveTheirValues) {
  CUPOLA_HAS_VALUE(CUBLAS_STATUS_SUCCESS);
  CUPOLA_HAS_VALUE(CUBLAS_STATUS_ALLOC_FAILED);
  CUPOLA_HAS_VALUE(CUBLAS_OP_N);
  CUPOLA_HAS_VALUE(CUBLAS_OP_T);
  CUPOLA_HAS_VALUE(CUBLAS_FILL_MODE_LOWER);
  CUPOLA_HAS_VALUE(CUBLAS_FILL_MODE_UPPER);
  CUPOLA_HAS_VALUE(CUBLAS_COMPUTE_32F);
  CUPOLA_HAS_VALUE(CUBLAS_COMPUTE_64F);
  CUPOLA_HAS_VALUE(CUBLAS_GEMM_DEFAULT);
  CUPOLA_HAS_VALUE(CUDA_R_32F);
  CUPOLA_HAS_VALUE(CUDA_R_64F);
  CUPOLA_HAS_VALUE(CUDA_R_16F);
  CUPOLA_HAS_VALUE(CUDA_C_32F);
  CUPOLA_HAS_VALUE(CUDA_C_64F);
  CUPOLA_HAS_VALUE(CUDA_R_16BF);
}

TEST(LibraryAbi, EnumeratorsOfCufftHaveTheirValues) {
  EXPECT_EQ(kCufftForward, CUFFT_FORWARD);
  EXPECT_EQ(kCufftInverse, CUFFT_INVERSE);
  CUPOLA_HAS_VALUE(CUFFT_SUCCESS);
  CUPOLA_HAS_VALUE(CUFFT_INVALID_PLAN);
  CUPOLA_HAS_VALUE(CUFFT_ALLOC_FAILED);
  CUPOLA_HAS_VALUE(CUFFT_INVALID_VALUE);
  CUPOLA_HAS_VALUE(CUFFT_INTERNAL_ERROR);
  CUPOLA_HAS_VALUE(CUFFT_EXEC_FAILED);
  CUPOLA_HAS_VALUE(CUFFT_SETUP_FAILED);
  CUPOLA_HAS_VALUE(CUFFT_NO_WORKSPACE);
  CUPOLA_HAS_VALUE(CUFFT_C2C);
  CUPOLA_HAS_VALUE(CUFFT_R2C);
  CUPOLA_HAS_VALUE(CUFFT_C2R);
  CUPOLA_HAS_VALUE(CUFFT_Z2Z);
  CUPOLA_HAS_VALUE(CUFFT_D2Z);
  CUPOLA_HAS_VALUE(CUFFT_Z2D);
}

TEST(LibraryAbi, EnumeratorsOfCusolverHaveTheirValues) {
  CUPOLA_HAS_VALUE(CUSOLVER_STATUS_SUCCESS);
  CUPOLA_HAS_VALUE(CUSOLVER_STATUS_NOT_INITIALIZED);
  CUPOLA_HAS_VALUE(CUSOLVER_STATUS_ALLOC_FAILED);
  CUPOLA_HAS_VALUE(CUSOLVER_STATUS_INVALID_VALUE);
  CUPOLA_HAS_VALUE(CUSOLVER_STATUS_ARCH_MISMATCH);
  CUPOLA_HAS_VALUE(CUSOLVER_STATUS_EXECUTION_FAILED);
  CUPOLA_HAS_VALUE(CUSOLVER_STATUS_INTERNAL_ERROR);
  CUPOLA_HAS_VALUE(CUSOLVER_EIG_MODE_NOVECTOR);
  CUPOLA_HAS_VALUE(CUSOLVER_EIG_MODE_VECTOR);
}

}  // namespace
}  // namespace cupola::cuda
