#pragma once
// What the factorisations share: stacks of matrices as libraries take them, and what became of
// each of them.

#include <initializer_list>

#include "cupola/ops/factorisations.h"
#include "driver/factor_problem.h"
#include "graph/node.h"

namespace cupola {

// The type that arrays are factored in. Throws TypeError for floats of 16 bits.
DType factored_dtype(std::initializer_list<Array> arrays);

// Throws LinAlgError for fewer than two dimensions.
void check_matrices(const Array& a);
// The same where they are not square.
void check_square(const Array& a);

// The dimensions before the last two.
Dims stack_of(const Array& a);
// `stack` with one more extent, and with two.
Dims stacked(const Dims& stack, std::int64_t extent);
Dims stacked(const Dims& stack, std::int64_t rows, std::int64_t columns);
// Ones on the diagonals, of that shape; pending.
Array identities(DType dtype, const Dims& shape, const Device& device);

// A new array of a's elements, row by row; nobody else has it.
Array by_rows(const Array& a, DType dtype);
// The same column by column: its last dimension goes along the columns of a.
Array by_columns(const Array& a, DType dtype);
// The last two dimensions exchanged: a view.
Array transposed(const Array& a);

// What a problem works on, as far as its kind has it; see FactorProblem.
struct FactorArrays {
  Array a, b{}, c{}, values{}, pivots{};
};
// Puts the factorisation of `count` matrices on the stream, and returns the problem's `info`, one
// int32 for each. The extents and kind are the problem's; pointers and count are set here.
Array factor(FactorProblem problem, std::int64_t count, const FactorArrays& arrays);
// Matrices, of which those with infinities or NaN are zeros.
struct Screened {
  Array matrices;
  Array are_finite{};  // of each matrix as it was; absent where none was looked at
};
Screened screened(const Array& a);
// Waits; throws LinAlgError with the message where some matrix could not be factored, or is not
// finite.
void require_factored(const Array& info, const char* message, const Array& are_finite = {});

}  // namespace cupola
