#include "platforms/cuda/libraries/cusolver.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <complex>
#include <memory>
#include <vector>

#include "cupola/error.h"
#include "platforms/cuda/device/context.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/libraries/cusolver_api.h"
#include "platforms/cuda/libraries/cusolver_stacks.h"

namespace cupola::cuda {
namespace {

cudaDataType type_of(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return CUDA_R_32F;
    case DType::float64:
      return CUDA_R_64F;
    case DType::complex64:
      return CUDA_C_32F;
    case DType::complex128:
      return CUDA_C_64F;
    default:
      throw TypeError(fmt::format("factorisations on CUDA devices do not take {}", name_of(dtype)));
  }
}

// orgqr and ungqr, which have no form for all types and no 64-bit extents.
struct ColumnsOfQ {
  const FactorProblem& p;
  cusolverDnHandle_t handle;
  int device;

  int rows() const { return static_cast<int>(p.rows); }
  int columns() const { return static_cast<int>(p.columns); }
  int reflectors() const { return static_cast<int>(p.extent); }

  template <typename T>
  int elements(CusolverOrgqrSize<T>* size_of) const {
    int size = 0;
    check_cusolver(size_of(handle, rows(), columns(), reflectors(), static_cast<const T*>(p.a),
                           rows(), static_cast<const T*>(p.values), &size),
                   "cusolverDn_orgqr_bufferSize", device);
    return std::max(1, size);
  }

  template <typename T>
  void run(const FactorProblem& one, CusolverOrgqr<T>* make, void* work, int size) const {
    check_cusolver(make(handle, rows(), columns(), reflectors(), static_cast<T*>(one.a), rows(),
                        static_cast<const T*>(one.values), static_cast<T*>(work), size,
                        static_cast<int*>(one.info)),
                   "cusolverDn_orgqr", device);
  }

  int size() const {
    const CusolverApi& api = cusolver_api();
    if (p.dtype == DType::float32) return elements<float>(api.cusolverDnSorgqr_bufferSize);
    if (p.dtype == DType::float64) return elements<double>(api.cusolverDnDorgqr_bufferSize);
    if (p.dtype == DType::complex64)
      return elements<std::complex<float>>(api.cusolverDnCungqr_bufferSize);
    return elements<std::complex<double>>(api.cusolverDnZungqr_bufferSize);
  }

  void run(const FactorProblem& one, void* work, int size) const {
    const CusolverApi& api = cusolver_api();
    if (p.dtype == DType::float32) return run<float>(one, api.cusolverDnSorgqr, work, size);
    if (p.dtype == DType::float64) return run<double>(one, api.cusolverDnDorgqr, work, size);
    if (p.dtype == DType::complex64)
      return run<std::complex<float>>(one, api.cusolverDnCungqr, work, size);
    run<std::complex<double>>(one, api.cusolverDnZungqr, work, size);
  }
};

// What the matrices of a problem have in common, and the memory that each of them works in.
class Factoring {
 public:
  Factoring(const FactorProblem& problem, CudaStream& stream)
      : p_(problem),
        device_(stream.context->index),
        type_(type_of(problem.dtype)),
        real_(type_of(real_dtype(problem.dtype))),
        complex_(type_of(complex_dtype(problem.dtype))),
        solver_(stream),
        handle_(solver_.get()),
        sizes_(sizes()),
        scratch_(stream, kOwnInfo + sizes_.device),
        host_(std::make_unique_for_overwrite<char[]>(std::max<std::size_t>(1, sizes_.host))) {}

  void run(const FactorProblem& one) {
    auto* const info = static_cast<int*>(one.info);
    switch (p_.kind) {
      case Factorisation::lu:
      case Factorisation::solve:
        return solve(one, info);
      case Factorisation::cholesky:
        CUPOLA_CUSOLVER(device_, cusolverDnXpotrf, handle_, params_, triangle(), p_.rows, type_,
                        one.a, p_.rows, type_, work(), sizes_.device, host_.get(), sizes_.host,
                        info);
        return;
      case Factorisation::qr:
        CUPOLA_CUSOLVER(device_, cusolverDnXgeqrf, handle_, params_, p_.rows, p_.columns, type_,
                        one.a, p_.rows, type_, one.values, type_, work(), sizes_.device,
                        host_.get(), sizes_.host, info);
        return;
      case Factorisation::q:
        return columns_of_q().run(one, work(), sizes_.elements);
      case Factorisation::eigen:
        CUPOLA_CUSOLVER(device_, cusolverDnXsyevd, handle_, params_, vectors(), triangle(), p_.rows,
                        type_, one.a, p_.rows, real_, one.values, type_, work(), sizes_.device,
                        host_.get(), sizes_.host, info);
        return;
      case Factorisation::general:
        check_cusolver(
            cusolver_geev_api().cusolverDnXgeev(
                handle_, params_, CUSOLVER_EIG_MODE_NOVECTOR, vectors(), p_.rows, type_, one.a,
                p_.rows, complex_, one.values, type_, nullptr, p_.rows, type_, one.b, p_.rows,
                type_, work(), sizes_.device, host_.get(), sizes_.host, info),
            "cusolverDnXgeev", device_);
        return;
      case Factorisation::singular:
        CUPOLA_CUSOLVER(device_, cusolverDnXgesvd, handle_, params_, job(), job(), p_.rows,
                        p_.columns, type_, one.a, p_.rows, real_, one.values, type_, one.b, p_.rows,
                        type_, one.c, p_.columns, type_, work(), sizes_.device, host_.get(),
                        sizes_.host, info);
        return;
    }
  }

 private:
  // In front of the work memory: the `info` of what cannot fail.
  static constexpr std::size_t kOwnInfo = 256;

  struct Sizes {
    std::size_t device = 0, host = 0;  // bytes
    int elements = 0;                  // of columns_of_q()
  };

  void* work() const { return static_cast<char*>(scratch_.data()) + kOwnInfo; }
  cublasFillMode_t triangle() const {
    return p_.upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  }
  cusolverEigMode_t vectors() const {
    return p_.vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  }
  signed char job() const { return !p_.vectors ? 'N' : p_.extent == p_.rows ? 'A' : 'S'; }
  ColumnsOfQ columns_of_q() const { return {p_, handle_, device_}; }

  Sizes sizes() const {
    Sizes found;
    switch (p_.kind) {
      case Factorisation::lu:
      case Factorisation::solve:
        CUPOLA_CUSOLVER(device_, cusolverDnXgetrf_bufferSize, handle_, params_, p_.rows, p_.rows,
                        type_, p_.a, p_.rows, type_, &found.device, &found.host);
        break;
      case Factorisation::cholesky:
        CUPOLA_CUSOLVER(device_, cusolverDnXpotrf_bufferSize, handle_, params_, triangle(), p_.rows,
                        type_, p_.a, p_.rows, type_, &found.device, &found.host);
        break;
      case Factorisation::qr:
        CUPOLA_CUSOLVER(device_, cusolverDnXgeqrf_bufferSize, handle_, params_, p_.rows, p_.columns,
                        type_, p_.a, p_.rows, type_, p_.values, type_, &found.device, &found.host);
        break;
      case Factorisation::q:
        found.elements = columns_of_q().size();
        found.device = static_cast<std::size_t>(found.elements) * item_size(p_.dtype);
        break;
      case Factorisation::eigen:
        CUPOLA_CUSOLVER(device_, cusolverDnXsyevd_bufferSize, handle_, params_, vectors(),
                        triangle(), p_.rows, type_, p_.a, p_.rows, real_, p_.values, type_,
                        &found.device, &found.host);
        break;
      case Factorisation::general:
        check_cusolver(cusolver_geev_api().cusolverDnXgeev_bufferSize(
                           handle_, params_, CUSOLVER_EIG_MODE_NOVECTOR, vectors(), p_.rows, type_,
                           p_.a, p_.rows, complex_, p_.values, type_, nullptr, p_.rows, type_, p_.b,
                           p_.rows, type_, &found.device, &found.host),
                       "cusolverDnXgeev_bufferSize", device_);
        break;
      case Factorisation::singular:
        CUPOLA_CUSOLVER(device_, cusolverDnXgesvd_bufferSize, handle_, params_, job(), job(),
                        p_.rows, p_.columns, type_, p_.a, p_.rows, real_, p_.values, type_, p_.b,
                        p_.rows, type_, p_.c, p_.columns, type_, &found.device, &found.host);
        break;
    }
    return found;
  }

  void solve(const FactorProblem& one, int* info) {
    auto* const pivots = static_cast<std::int64_t*>(one.pivots);
    CUPOLA_CUSOLVER(device_, cusolverDnXgetrf, handle_, params_, p_.rows, p_.rows, type_, one.a,
                    p_.rows, pivots, type_, work(), sizes_.device, host_.get(), sizes_.host, info);
    if (p_.kind == Factorisation::lu || p_.extent == 0) return;
    CUPOLA_CUSOLVER(device_, cusolverDnXgetrs, handle_, params_, CUBLAS_OP_N, p_.rows, p_.extent,
                    type_, one.a, p_.rows, pivots, type_, one.b, p_.rows,
                    static_cast<int*>(scratch_.data()));
  }

  const FactorProblem& p_;
  const int device_;
  const cudaDataType type_, real_, complex_;
  const BorrowedSolver solver_;
  const cusolverDnHandle_t handle_;
  const cusolverDnParams_t params_ = solver_params();
  const Sizes sizes_;
  const Scratch scratch_;
  const std::unique_ptr<char[]> host_;
};

}  // namespace

void cusolver_factor(const FactorProblem& problem, CudaStream& stream) {
  check_not_capturing(stream, "to call cuSOLVER");
  type_of(problem.dtype);  // throws, also where there is nothing to do
  if (is_empty(problem)) return;
  if (problem.kind == Factorisation::q && std::max(problem.rows, problem.columns) > INT_MAX) {
    throw ValueError("cuSOLVER has no numbers for so many rows of Q");
  }
  const ContextGuard guard(*stream.context);
  if (is_small_stack(problem)) return factor_small_stack(problem, stream);
  Factoring factoring(problem, stream);
  const std::vector<FactorOperand> operands = operands_of(problem);
  for (std::int64_t i = 0; i < problem.count; ++i) {
    factoring.run(matrices_of(problem, operands, i, i + 1));
  }
}

}  // namespace cupola::cuda
