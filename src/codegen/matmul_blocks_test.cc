#include "codegen/matmul_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace cupola {
namespace {

// Of dense operands, whose pointers are numbers.
MatmulProblem problem_of(std::int64_t m, std::int64_t n, std::int64_t k, const Dims& batch = {},
                         DType dtype = DType::float32) {
  MatmulProblem problem{dtype, m, n, k, nullptr, nullptr, nullptr, k,
                        1,     n, 1, n, batch,   batch,   batch,   batch};
  std::int64_t matrices = 1;
  for (std::size_t d = batch.size(); d-- > 0; matrices *= batch[d]) {
    problem.a_batch[d] = matrices * m * k;
    problem.b_batch[d] = matrices * k * n;
    problem.c_batch[d] = matrices * m * n;
  }
  return problem;
}

std::int64_t place(const void* pointer) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(pointer));
}

std::int64_t matrices_of(const MatmulProblem& problem) {
  std::int64_t count = 1;
  for (const std::int64_t extent : problem.batch) count *= extent;
  return count;
}

// c is dense: its blocks follow each other without a gap, and a and b go with them.
void expect_covers(const MatmulProblem& problem, const std::vector<MatmulProblem>& blocks) {
  std::int64_t rows = 0;
  for (const MatmulProblem& block : blocks) {
    EXPECT_EQ(place(block.c), rows * problem.n * 4);
    EXPECT_EQ(place(block.a), rows * problem.k * 4);
    EXPECT_EQ(place(block.b), rows / problem.m * problem.k * problem.n * 4);
    EXPECT_EQ(block.n, problem.n);
    EXPECT_EQ(block.k, problem.k);
    rows += matrices_of(block) * block.m;
  }
  EXPECT_EQ(rows, matrices_of(problem) * problem.m);
}

void expect_only_itself(const MatmulProblem& block, const MatmulBlocking& blocking) {
  const auto again = matmul_blocks(block, blocking);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].c, block.c);
  EXPECT_EQ(again[0].m, block.m);
  EXPECT_EQ(matrices_of(again[0]), matrices_of(block));
}

TEST(MatmulBlocks, RowsOfASymmetricMatrixAreNot) {
  MatmulProblem problem = problem_of(16384, 16384, 16384);
  problem.b_is_a_transposed = true;
  const auto blocks = matmul_blocks(problem, MatmulBlocking{});
  ASSERT_GT(blocks.size(), 1u);
  for (const MatmulProblem& block : blocks) EXPECT_FALSE(block.b_is_a_transposed);
  MatmulProblem stack = problem_of(100, 100, 100, {1 << 16});
  stack.b_is_a_transposed = true;
  const auto parts = matmul_blocks(stack, MatmulBlocking{});
  ASSERT_GT(parts.size(), 1u);
  for (const MatmulProblem& part : parts) EXPECT_TRUE(part.b_is_a_transposed);
}

TEST(MatmulBlocks, RowsOfALargeMatrix) {
  const MatmulProblem problem = problem_of(20000, 16384, 16384);
  const auto blocks = matmul_blocks(problem, {});
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[0].m, 4096);
  EXPECT_EQ(blocks[3].m, 20000 - 3 * 4096);
  expect_covers(problem, blocks);
}

TEST(MatmulBlocks, WhatIsNotLargeIsWhole) {
  EXPECT_EQ(matmul_blocks(problem_of(8191, 16384, 16384), {}).size(), 1u);
  EXPECT_EQ(matmul_blocks(problem_of(8192, 16384, 16384), {}).size(), 2u);
  EXPECT_EQ(matmul_blocks(problem_of(8192, 512, 512), {}).size(), 1u);
  EXPECT_EQ(matmul_blocks(problem_of(512, 16384, 1 << 20), {}).size(), 1u);
  EXPECT_EQ(matmul_blocks(problem_of(64, 64, 64, {1000}), {}).size(), 1u);
}

TEST(MatmulBlocks, NarrowMatricesHaveLongBlocks) {
  const MatmulProblem problem = problem_of(std::int64_t{10} << 20, 64, 64);
  const auto blocks = matmul_blocks(problem, {});
  ASSERT_GT(blocks.size(), 1u);
  for (const MatmulProblem& block : blocks) {
    EXPECT_GE(block.m * (64 + 64) * 4, std::int64_t{1} << 28);
  }
  expect_covers(problem, blocks);
}

TEST(MatmulBlocks, NothingIsOneBlock) {
  EXPECT_EQ(matmul_blocks(problem_of(0, 5, 5), {1, 1, 1}).size(), 1u);
  EXPECT_EQ(matmul_blocks(problem_of(5, 5, 0), {1, 1, 1}).size(), 1u);
  EXPECT_EQ(matmul_blocks(problem_of(5, 5, 5, {3, 0}), {1, 1, 1}).size(), 1u);
}

TEST(MatmulBlocks, AStackIsCutBetweenMatrices) {
  const MatmulProblem problem = problem_of(1000, 1000, 1000, {100});  // a block has 23 of them
  const auto blocks = matmul_blocks(problem, {});
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[0].batch, Dims({23}));
  EXPECT_EQ(blocks[3].batch, Dims({31}));
  expect_covers(problem, blocks);
}

TEST(MatmulBlocks, TransposedOperandsMoveByTheirStrides) {
  MatmulProblem problem = problem_of(100, 7, 5);
  problem.a_row = 1;
  problem.a_column = 100;
  problem.c_row = 9;
  const auto blocks = matmul_blocks(problem, {40, 1, 1});
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(place(blocks[1].a), 40 * 4);
  EXPECT_EQ(place(blocks[1].b), 0);
  EXPECT_EQ(place(blocks[1].c), 40 * 9 * 4);
  EXPECT_EQ(blocks[1].m, 60);
}

// Blocks cover c, none is smaller than is said, and each is one block by itself.
TEST(MatmulBlocks, EveryShape) {
  const Dims stacks[] = {{}, {1}, {7}, {3, 5}, {4, 1, 6}, {1, 9, 1}, {2, 3, 4}};
  for (const std::int64_t products : {1, 300, 5000}) {
    const MatmulBlocking blocking{4, products, std::int64_t{1} << 40};
    for (const Dims& stack : stacks) {
      for (const std::int64_t m : {1, 7, 8, 33}) {
        const MatmulProblem problem = problem_of(m, 3, 11, stack);
        const auto blocks = matmul_blocks(problem, blocking);
        expect_covers(problem, blocks);
        for (const MatmulProblem& block : blocks) {
          expect_only_itself(block, blocking);
          if (blocks.size() == 1) continue;
          EXPECT_GE(matrices_of(block) * block.m * 3 * 11, products);
          EXPECT_GE(block.m, std::min(m, blocking.rows));
        }
      }
    }
  }
}

}  // namespace
}  // namespace cupola
