#pragma once
// Large matrix products in blocks. Libraries choose their way, and so their rounding, by the sizes
// that they are given; several devices share one product with the bits of one device because each
// of its blocks is a product of its own, the same one whoever computes it, wherever it runs.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codegen/plan.h"

namespace cupola {

// What makes a block worth a call: products of elements, or else bytes of the operands.
struct MatmulBlocking {
  std::int64_t rows = 4096;  // blocks of one matrix have a multiple of it, but for the last
  std::int64_t products = std::int64_t{1} << 35;
  std::int64_t bytes = std::int64_t{1} << 28;
};

// There is nothing to multiply.
bool is_empty(const MatmulProblem& problem);

// Neighbours of a stack, and rows of a matrix that is worth several blocks by itself; c's elements
// are each in one block. The last block takes what is left over: none is smaller than is said. A
// block has only itself, so that it may be given on as a problem. By the sizes, the dtype and
// `blocking` alone.
std::vector<MatmulProblem> matmul_blocks(const MatmulProblem& problem,
                                         const MatmulBlocking& blocking);
// Whether a product of two matrices is one of its blocks.
bool is_one_block(const MatmulProblem& problem, const MatmulBlocking& blocking);

}  // namespace cupola
