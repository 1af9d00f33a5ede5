#pragma once
// One factorisation of each matrix of a stack, in place, as LAPACK has them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cupola/dtype.h"

namespace cupola {

enum class Factorisation : std::uint8_t {
  // getrf of a square: L below the diagonal of `a`, U on it and above; the rows are exchanged as
  // `pivots` says, which count from 1. info > 0: a zero on U's diagonal.
  lu,
  // The same, and then getrs: `b`, of `extent` columns, becomes the solution. Where info > 0, what
  // is in b is of no use. `pivots` is work memory.
  solve,
  // potrf of a square: one triangle of `a` is read and becomes the factor, the contents of the
  // other are of no use. info > 0: not positive definite.
  cholesky,
  // geqrf: R on the diagonal and above, the reflectors below, their factors in `values`.
  qr,
  // orgqr, ungqr: `a` with `extent` of these reflectors becomes the columns of Q that it has room
  // for, at least so many, at most its rows.
  q,
  // syevd, heevd of a square: `values`, ascending; with `vectors`, a has them in its columns,
  // otherwise its contents are of no use. info > 0: no convergence.
  eigen,
  // geev of a square, whose contents are lost: `values`, complex; with `vectors`, `b`, a square,
  // has
  // the right ones in its columns, of Euclidean norm 1. Values of real matrices that are not real
  // come in pairs, the one with the positive imaginary part first; the two columns of `b` are the
  // real and the imaginary part of its vector. info > 0: no convergence.
  general,
  // gesdd, gesvd of a matrix with no fewer rows than columns: `values`, descending; with `vectors`,
  // the left ones are the `extent` columns of `b`, the right ones the conjugated rows of the square
  // `c`. `extent` is the number of columns or of rows of a, whose contents are lost. info > 0: no
  // convergence.
  singular,
};
// "lu", as programs are told of it.
std::string_view name_of(Factorisation kind);

// Matrices are column-major without gaps, and those of a stack, in each operand, one right behind
// the other. What `kind` does not name is null. No two operands overlap.
struct FactorProblem {
  Factorisation kind;
  DType dtype;                 // float32, float64, complex64 or complex128
  std::int64_t rows, columns;  // of a
  std::int64_t count = 1;      // of matrices
  std::int64_t stack = 1;      // of matrices that were given together, these among them
  std::int64_t extent = 0;     // see above
  bool upper = false;          // cholesky, eigen: the triangle that is read
  bool vectors = true;         // eigen, general, singular
  bool inverts = false;        // solve: b has identity matrices, as many columns as rows
  void* a = nullptr;
  void* b = nullptr;
  void* c = nullptr;
  void* values = nullptr;  // of the dtype for reflectors, complex for `general`, else real
  void* pivots = nullptr;  // int64
  void* info = nullptr;    // int32, one for each matrix; 0: done
};

// No matrices, or such without elements: nothing is written.
bool is_empty(const FactorProblem& problem);

// One of the operands that a kind names.
struct FactorOperand {
  void* FactorProblem::*pointer;
  std::size_t bytes;  // of one matrix's
  bool is_read;
  bool is_written;
};
std::vector<FactorOperand> operands_of(const FactorProblem& problem);
// Matrices first to last - 1; `operands` are operands_of(problem).
FactorProblem matrices_of(const FactorProblem& problem, std::span<const FactorOperand> operands,
                          std::int64_t first, std::int64_t last);

// Multiplications that one matrix takes, roughly.
double cost_of_matrix(const FactorProblem& problem);

}  // namespace cupola
