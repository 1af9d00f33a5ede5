#pragma once
// A BLAS library, opened when first needed: it is never linked, because opening it starts threads.
// Candidates in order: the environment variable CUPOLA_BLAS, the path given to
// cupola_set_blas_path, the system's libopenblas and libcblas.

#include <cstdint>
#include <string>

namespace cupola::cpu {

// The products of CBLAS of matrices and of a matrix and a vector, whatever the library's integers
// are.
struct Blas {
  bool long_integers = false;  // 64-bit; else dimensions must fit int32
  std::string path;
  void* sgemm = nullptr;
  void* dgemm = nullptr;
  void* cgemm = nullptr;
  void* zgemm = nullptr;
  void* sgemv = nullptr;
  void* dgemv = nullptr;
  void* cgemv = nullptr;
  void* zgemv = nullptr;
  void* library = nullptr;
  std::string prefix, suffix;  // of the names in `library` that are LAPACK's
};

// Throws LibraryError that names the candidates and the remedy.
const Blas& blas();

}  // namespace cupola::cpu
