#pragma once
// LAPACK, in the libraries that blas() and blas_of_one_thread() are.

#include "cupola/dtype.h"
#include "platforms/cpu/libraries/blas.h"

namespace cupola::cpu {

// By Fortran's rules: all arguments are pointers, and the lengths of texts come last, by value.
// Complex types have ungqr and heevd for orgqr and syevd.
struct LapackRoutines {
  void* getrf = nullptr;
  void* gesv = nullptr;
  void* potrf = nullptr;
  void* geqrf = nullptr;
  void* orgqr = nullptr;
  void* syevd = nullptr;
  void* geev = nullptr;
  void* gesdd = nullptr;
};

struct Lapack {
  bool long_integers = false;  // 64-bit; else all extents must fit int32
  LapackRoutines s, d, c, z;

  // dtype: float32, float64, complex64 or complex128.
  const LapackRoutines& of(DType dtype) const {
    if (dtype == DType::float32) return s;
    if (dtype == DType::float64) return d;
    return dtype == DType::complex64 ? c : z;
  }
};

// Throws LibraryError that names the remedy where there is no BLAS, or none with LAPACK.
const Lapack& lapack();
const Lapack& lapack_of_one_thread();

}  // namespace cupola::cpu
