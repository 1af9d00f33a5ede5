#pragma once
// What vendors' libraries compute: products, transforms, factorisations, selections.

#include <cstddef>
#include <cstdint>

#include "codegen/plan.h"
#include "driver/factor_problem.h"
#include "driver/fft_problem.h"
#include "driver/handles.h"
#include "driver/lacking.h"

namespace cupola {

struct SelectProblem;

// Asynchronous, in the order of a stream.
class Libraries {
 public:
  virtual ~Libraries() = default;

  // Asynchronous; block by block where it is large (driver/matmul_blocking.h). Throws LibraryError
  // when the platform has no BLAS library.
  virtual void matmul(const MatmulProblem& /*problem*/, StreamHandle /*stream*/) {
    throw_lacking("library of matrix products");
  }
  // Asynchronous; part by part (fft_blocks()). Throws LibraryError when the platform has no library
  // for it.
  virtual void fft(const FftProblem& /*problem*/, StreamHandle /*stream*/) {
    throw_lacking("library of Fourier transforms");
  }
  virtual FftPlanCount fft_plans(int /*device*/) { return {}; }
  // Keeps at most so many from now on. More stay while they are in use.
  virtual void keep_fft_plans(int /*device*/, std::size_t /*most*/) {}
  // Whether rows of the problem that lie interleaved are transformed sooner where they are than
  // after a transposed copy. By the problem's sizes alone, on all devices and sets of a platform.
  virtual bool can_transform_columns(const FftProblem& /*problem*/) const { return false; }
  // Asynchronous. A matrix that cannot be factored is no error here: `info` says so. Throws
  // LibraryError when the platform has no LAPACK or cuSOLVER library.
  virtual void factor(const FactorProblem& /*problem*/, StreamHandle /*stream*/) {
    throw_lacking("library of factorisations");
  }
  // How many elements are selected by their rank sooner than a row of `length` is sorted; 0: none.
  virtual std::int64_t most_selected(DType /*dtype*/, std::int64_t /*length*/) const { return 0; }
  // Whether select() also parts rows of `length`, sooner than a launch over their elements.
  virtual bool parts_rows(DType /*dtype*/) const { return false; }
  // Asynchronous; of at most so many. On GPUs elements of a row are neighbours.
  virtual void select(const SelectProblem& /*problem*/, StreamHandle /*stream*/) {
    throw_lacking("selection by rank");
  }
};

}  // namespace cupola
