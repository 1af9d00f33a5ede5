#include "platforms/cuda/libraries/cusolver_stacks.h"

#include <climits>
#include <complex>
#include <vector>

#include "platforms/cuda/device/context.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/libraries/cublas_api.h"
#include "platforms/cuda/libraries/cusolver_api.h"

namespace cupola::cuda {
namespace {

constexpr std::int64_t kMaxRows = 256;
// Larger ones are solved for as fast, by an H200.
constexpr std::int64_t kMostInverted = 32;
constexpr std::int64_t kFewMatrices = 4;  // are factored one by one

// The functions for one type.
template <typename T>
struct Functions {
  CublasGetrfBatched<T>* getrf;
  CublasGetrsBatched<T>* getrs;
  CublasGetriBatched<T>* getri;
  CusolverPotrfBatched<T>* potrf;
};

// Where the matrices begin, in memory of the device, for as long as this object lives.
class Lists {
 public:
  Lists(const FactorProblem& problem, CudaStream& stream)
      : count_(static_cast<std::size_t>(problem.count)),
        scratch_(stream, 2 * count_ * sizeof(void*)) {
    const FactorProblem second = matrices_of(problem, operands_of(problem), 1, 2);
    std::vector<void*> begins;
    begins.reserve(2 * count_);
    add_begins(problem.a, second.a, begins);
    if (problem.b) add_begins(problem.b, second.b, begins);
    const int device = stream.context->index;
    CUPOLA_CUDA(device, cuMemcpyHtoDAsync, device_address(scratch_.data()), begins.data(),
                begins.size() * sizeof(void*), stream.handle);
    if (stream.context->reads_pageable_memory) {
      CUPOLA_CUDA(device, cuStreamSynchronize, stream.handle);
    }
  }
  template <typename T>
  T** a() const {
    return static_cast<T**>(scratch_.data());
  }
  template <typename T>
  T** b() const {
    return a<T>() + count_;
  }

 private:
  // Of matrices that follow each other as the first two do.
  void add_begins(void* first, void* second, std::vector<void*>& begins) const {
    auto* begin = static_cast<char*>(first);
    const std::ptrdiff_t step = static_cast<char*>(second) - begin;
    for (std::size_t i = 0; i < count_; ++i, begin += step) begins.push_back(begin);
  }

  const std::size_t count_;
  const Scratch scratch_;
};

template <typename T>
void solve(const FactorProblem& p, CudaStream& stream, const Functions<T>& functions) {
  const BorrowedHandle handle(stream);
  const BlasWorkspace workspace(handle, stream);
  const Lists lists(p, stream);
  const int device = stream.context->index;
  const int n = static_cast<int>(p.rows);
  const int count = static_cast<int>(p.count);
  auto* const pivots = static_cast<int*>(p.pivots);  // of 32 bits, which nobody else reads
  auto* const info = static_cast<int*>(p.info);
  check_cublas(functions.getrf(handle.get(), n, lists.a<T>(), n, pivots, info, count),
               "cublas_getrfBatched", device);
  if (p.extent == 0) return;
  if (p.inverts && n <= kMostInverted) {
    check_cublas(
        functions.getri(handle.get(), n, lists.a<T>(), n, pivots, lists.b<T>(), n, info, count),
        "cublas_getriBatched", device);
    return;
  }
  int wrong_argument = 0;
  check_cublas(functions.getrs(handle.get(), CUBLAS_OP_N, n, static_cast<int>(p.extent),
                               lists.a<T>(), n, pivots, lists.b<T>(), n, &wrong_argument, count),
               "cublas_getrsBatched", device);
}

template <typename T>
void factor(const FactorProblem& p, CudaStream& stream, const Functions<T>& functions) {
  if (p.kind == Factorisation::solve) return solve(p, stream, functions);
  const BorrowedSolver solver(stream);
  const Lists lists(p, stream);
  const int n = static_cast<int>(p.rows);
  check_cusolver(
      functions.potrf(solver.get(), p.upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER, n,
                      lists.a<T>(), n, static_cast<int*>(p.info), static_cast<int>(p.count)),
      "cusolverDn_potrfBatched", stream.context->index);
}

}  // namespace

bool is_small_stack(const FactorProblem& p) {
  return (p.kind == Factorisation::solve || p.kind == Factorisation::cholesky) &&
         p.rows <= kMaxRows && p.count >= kFewMatrices && p.count <= INT_MAX && p.extent <= INT_MAX;
}

void factor_small_stack(const FactorProblem& p, CudaStream& stream) {
  const CublasApi& blas = cublas_api();
  const CusolverApi& solver = cusolver_api();
  if (p.dtype == DType::float32) {
    return factor<float>(p, stream,
                         {blas.cublasSgetrfBatched, blas.cublasSgetrsBatched,
                          blas.cublasSgetriBatched, solver.cusolverDnSpotrfBatched});
  }
  if (p.dtype == DType::float64) {
    return factor<double>(p, stream,
                          {blas.cublasDgetrfBatched, blas.cublasDgetrsBatched,
                           blas.cublasDgetriBatched, solver.cusolverDnDpotrfBatched});
  }
  if (p.dtype == DType::complex64) {
    return factor<std::complex<float>>(p, stream,
                                       {blas.cublasCgetrfBatched, blas.cublasCgetrsBatched,
                                        blas.cublasCgetriBatched, solver.cusolverDnCpotrfBatched});
  }
  factor<std::complex<double>>(p, stream,
                               {blas.cublasZgetrfBatched, blas.cublasZgetrsBatched,
                                blas.cublasZgetriBatched, solver.cusolverDnZpotrfBatched});
}

}  // namespace cupola::cuda
