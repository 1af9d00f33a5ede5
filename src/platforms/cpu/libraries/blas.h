#pragma once
// A BLAS library, opened when first needed: it is never linked, because opening it starts threads.
// Candidates in order: the environment variable CUPOLA_BLAS, the path given to
// cupola_set_blas_path, the system's libopenblas and libcblas.
//
// Its threads and ours never compute at the same time: docs/dev/decisions/0034-blas-threads.md.

#include <cstdint>
#include <optional>
#include <string>

#include "cupola/dtype.h"

namespace cupola::cpu {

// Arguments of CBLAS.
constexpr int kRowMajor = 101;
constexpr int kNoTranspose = 111;
constexpr int kTranspose = 112;
constexpr int kLower = 122;

// One function of CBLAS for each dtype.
struct BlasRoutine {
  void* s = nullptr;
  void* d = nullptr;
  void* c = nullptr;
  void* z = nullptr;

  // dtype: float32, float64, complex64 or complex128.
  void* of(DType dtype) const {
    if (dtype == DType::float32) return s;
    if (dtype == DType::float64) return d;
    return dtype == DType::complex64 ? c : z;
  }
  bool is_there() const { return s && d && c && z; }
};

// The products of CBLAS, whatever the library's integers are.
struct Blas {
  bool long_integers = false;  // 64-bit; else dimensions must fit int32
  std::string path;
  BlasRoutine gemm, gemv, syrk;
  BlasRoutine dot;  // cblas_cdotu_sub and cblas_zdotu_sub for complex numbers
  void* library = nullptr;
  std::string prefix, suffix;  // of the names in `library` that are LAPACK's
};

// Throws LibraryError that names the candidates and the remedy. For calls that are alone with the
// machine: they are made while a PoolPause lives (thread_pool.h).
const Blas& blas();

// The same, of which every call computes on its caller's thread alone: for all others. Where such
// a copy cannot be had (blas_copy.h), it is blas().
const Blas& blas_of_one_thread();
// Whether blas_of_one_thread() is what it says, and may be called by several threads of ours at a
// time.
bool may_share_work();
// Elements of a call of blas() that OpenBLAS does not wake threads for, as it does from 9,216 on.
inline constexpr std::int64_t kBlockWithoutCopy = 8192;

// What of it there is in a library that is open: nothing where a routine is missing.
std::optional<Blas> blas_in(void* library, const std::string& path);

}  // namespace cupola::cpu
