#pragma once
// Solutions, inverses, determinants and factorisations of the matrices that the last two dimensions
// hold; the dimensions before them are a stack. By LAPACK on CPU devices and cuSOLVER on CUDA
// devices, in the precision of the operands; integers and bool are computed in float64.
//
// Errors: LinAlgError for arrays that hold no matrices, or not square ones, and for matrices that
// have not what is asked for, which waits until that is known; TypeError for 16-bit floats;
// LibraryError where the library is missing.

#include "cupola/ops/elementwise.h"

namespace cupola {

enum class Triangle : std::uint8_t { lower, upper };
// What becomes of a matrix that is singular or not positive definite: a LinAlgError, which waits
// until that is known, or NaN in place of its result, which does not wait.
enum class OnFailure : std::uint8_t { error, nan };

// x with a x = b, where b is one vector, or a stack of matrices that broadcasts against a's.
// ValueError for extents that do not match.
Array solve(const Array& a, const Array& b, OnFailure on_failure = OnFailure::error);
Array inv(const Array& a, OnFailure on_failure = OnFailure::error);
// The product of each matrix's eigenvalues; does not wait.
Array det(const Array& a);
// The same as a factor of absolute value 1, or 0, and the logarithm of the absolute value.
struct SignAndLogarithm {
  Array sign, logarithm;
};
SignAndLogarithm slogdet(const Array& a);

// l with l l^H = a, or, upper, u with u^H u = a; only that triangle of a is read.
Array cholesky(const Array& a, Triangle triangle = Triangle::lower,
               OnFailure on_failure = OnFailure::error);

// a = q r. `q` is absent where it was not asked for.
enum class QrMode : std::uint8_t {
  reduced,   // q has as many columns as the shorter extent of a
  complete,  // q is square
  r,         // r as in reduced, alone
};
struct QFactors {
  Array q, r;
};
QFactors qr(const Array& a, QrMode mode = QrMode::reduced);
// LAPACK's own form: the matrices of geqrf, transposed, and the factors of the reflectors.
struct Reflectors {
  Array h, tau;
};
Reflectors qr_reflectors(const Array& a);

// Of Hermitian matrices, of which one triangle is read. Values ascend; vectors are columns.
// LinAlgError where the iteration does not converge.
struct EigenPairs {
  Array values, vectors;
};
EigenPairs eigh(const Array& a, Triangle triangle = Triangle::lower);
Array eigvalsh(const Array& a, Triangle triangle = Triangle::lower);

// Of any square matrices; complex, in no order. Vectors are columns of Euclidean norm 1. Those of
// real matrices are in conjugate pairs where they are not real. LinAlgError where the iteration
// does not converge, and for what is not finite; both wait until that is known.
EigenPairs eig(const Array& a);
Array eigvals(const Array& a);

// a = u diag(s) vh; s descends. With full matrices u and vh are square. LinAlgError where the
// iteration does not converge.
struct SingularVectors {
  Array u, s, vh;
};
SingularVectors svd(const Array& a, bool full_matrices = true);
Array svdvals(const Array& a);

}  // namespace cupola
