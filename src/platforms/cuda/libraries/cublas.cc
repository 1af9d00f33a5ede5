#include "platforms/cuda/libraries/cublas.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <vector>

#include "cupola/error.h"
#include "driver/matmul_blocking.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/libraries/cublas_api.h"

namespace cupola::cuda {
namespace {

constexpr std::int64_t kFewProducts = 4;  // are queued one by one

struct Types {
  cudaDataType data;
  cublasComputeType_t compute;
};

Types types_of(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return {CUDA_R_16F, CUBLAS_COMPUTE_32F};
    case DType::bfloat16:
      return {CUDA_R_16BF, CUBLAS_COMPUTE_32F};
    case DType::float32:
      return {CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case DType::float64:
      return {CUDA_R_64F, CUBLAS_COMPUTE_64F};
    case DType::complex64:
      return {CUDA_C_32F, CUBLAS_COMPUTE_32F};
    case DType::complex128:
      return {CUDA_C_64F, CUBLAS_COMPUTE_64F};
    default:
      throw TypeError(fmt::format("matmul on CUDA devices does not take {}", name_of(dtype)));
  }
}

// One and zero in the type of cuBLAS's scalars: that of the sums.
class Factors {
 public:
  explicit Factors(DType dtype) {
    const bool is_double = dtype == DType::float64 || dtype == DType::complex128;
    if (is_double) {
      const std::complex<double> one(1.0);
      std::memcpy(one_, &one, sizeof one);
    } else {
      const std::complex<float> one(1.0F);
      std::memcpy(one_, &one, sizeof one);
    }
  }
  const void* one() const { return one_; }
  const void* zero() const { return zero_; }

 private:
  alignas(16) unsigned char one_[16] = {};
  alignas(16) unsigned char zero_[16] = {};
};

// A row-major matrix is its transpose in cuBLAS's column-major order.
struct Operand {
  const void* data;
  cublasOperation_t operation;
  std::int64_t leading;
};

Operand operand_of(const void* data, std::int64_t rows, std::int64_t columns,
                   std::int64_t row_stride, std::int64_t column_stride) {
  // An extent of 1 leaves its stride open.
  const bool row_major = column_stride == 1 || (columns == 1 && row_stride != 1);
  const std::int64_t least = std::max<std::int64_t>(1, row_major ? columns : rows);
  const std::int64_t stride = row_major ? row_stride : column_stride;
  return {data, row_major ? CUBLAS_OP_N : CUBLAS_OP_T, std::max(least, stride)};
}

// Everything but the pointers of one product, and its strides along a stack.
struct Product {
  const MatmulProblem& problem;
  Types types;
  Factors factors;
  Operand a, b;
  std::int64_t c_leading;

  explicit Product(const MatmulProblem& p)
      : problem(p),
        types(types_of(p.dtype)),
        factors(p.dtype),
        a(operand_of(p.a, p.m, p.k, p.a_row, p.a_column)),
        b(operand_of(p.b, p.k, p.n, p.b_row, p.b_column)),
        c_leading(std::max(p.n, p.c_row)) {}
};

const void* moved(const void* data, std::int64_t elements, DType dtype) {
  return static_cast<const char*>(data) + elements * static_cast<std::int64_t>(item_size(dtype));
}

void multiply_one(const Product& q, const BorrowedHandle& handle, int device, const void* a,
                  const void* b, void* c) {
  const MatmulProblem& p = q.problem;
  CUPOLA_CUBLAS(device, cublasGemmEx_64, handle.get(), q.b.operation, q.a.operation, p.n, p.m, p.k,
                q.factors.one(), b, q.types.data, q.b.leading, a, q.types.data, q.a.leading,
                q.factors.zero(), c, q.types.data, q.c_leading, q.types.compute,
                CUBLAS_GEMM_DEFAULT);
}

void multiply_strided(const Product& q, const BorrowedHandle& handle, int device, const void* a,
                      const void* b, void* c, std::int64_t a_step, std::int64_t b_step,
                      std::int64_t c_step, std::int64_t count) {
  const MatmulProblem& p = q.problem;
  if (count == 1) return multiply_one(q, handle, device, a, b, c);
  CUPOLA_CUBLAS(device, cublasGemmStridedBatchedEx_64, handle.get(), q.b.operation, q.a.operation,
                p.n, p.m, p.k, q.factors.one(), b, q.types.data, q.b.leading, b_step, a,
                q.types.data, q.a.leading, a_step, q.factors.zero(), c, q.types.data, q.c_leading,
                c_step, count, q.types.compute, CUBLAS_GEMM_DEFAULT);
}

// A stack of products with the dimensions merged that one step can walk through.
struct Stack {
  std::vector<std::int64_t> extents, a, b, c;  // outermost first
};

Stack merged_stack(const MatmulProblem& p) {
  Stack stack;
  for (std::size_t d = 0; d < p.batch.size(); ++d) {
    if (p.batch[d] == 1) continue;
    const std::int64_t extent = p.batch[d];
    if (!stack.extents.empty() && stack.a.back() == p.a_batch[d] * extent &&
        stack.b.back() == p.b_batch[d] * extent && stack.c.back() == p.c_batch[d] * extent) {
      stack.extents.back() *= extent;
      stack.a.back() = p.a_batch[d];
      stack.b.back() = p.b_batch[d];
      stack.c.back() = p.c_batch[d];
      continue;
    }
    stack.extents.push_back(extent);
    stack.a.push_back(p.a_batch[d]);
    stack.b.push_back(p.b_batch[d]);
    stack.c.push_back(p.c_batch[d]);
  }
  return stack;
}

// Calls visit(a, b, c) with the offsets of each element of the first `dimensions` dimensions.
template <class Visit>
void for_each_offset(const Stack& stack, std::size_t dimensions, Visit visit) {
  std::vector<std::int64_t> at(dimensions, 0);
  for (bool more = true; more;) {
    std::int64_t a = 0, b = 0, c = 0;
    for (std::size_t d = 0; d < dimensions; ++d) {
      a += at[d] * stack.a[d];
      b += at[d] * stack.b[d];
      c += at[d] * stack.c[d];
    }
    visit(a, b, c);
    more = false;
    for (std::size_t d = dimensions; d-- > 0 && !more;) {
      more = ++at[d] < stack.extents[d];
      if (!more) at[d] = 0;
    }
  }
}

// Many products without a common step: cuBLAS takes them by lists of pointers.
void multiply_listed(const Product& q, const BorrowedHandle& handle, CudaStream& stream,
                     const Stack& stack) {
  const MatmulProblem& p = q.problem;
  std::vector<const void*> a, b, c;
  for_each_offset(stack, stack.extents.size(),
                  [&](std::int64_t a_at, std::int64_t b_at, std::int64_t c_at) {
                    a.push_back(moved(p.a, a_at, p.dtype));
                    b.push_back(moved(p.b, b_at, p.dtype));
                    c.push_back(moved(p.c, c_at, p.dtype));
                  });
  const std::size_t count = a.size();
  const int device = stream.context->index;
  std::vector<const void*> all(a);
  all.insert(all.end(), b.begin(), b.end());
  all.insert(all.end(), c.begin(), c.end());
  const Scratch scratch(stream, all.size() * sizeof(void*));
  const std::size_t bytes = all.size() * sizeof(void*);
  const auto capture = stream.capture();
  const void* const source =
      capture ? capture->resources()->copy_of(all.data(), bytes) : all.data();
  CUPOLA_CUDA(device, cuMemcpyHtoDAsync, device_address(scratch.data()), source, bytes,
              stream.handle);
  if (stream.context->reads_pageable_memory && !capture) {
    CUPOLA_CUDA(device, cuStreamSynchronize, stream.handle);
  }
  auto* const lists = static_cast<void**>(scratch.data());
  CUPOLA_CUBLAS(device, cublasGemmBatchedEx_64, handle.get(), q.b.operation, q.a.operation, p.n,
                p.m, p.k, q.factors.one(), lists + count, q.types.data, q.b.leading, lists,
                q.types.data, q.a.leading, q.factors.zero(), lists + 2 * count, q.types.data,
                q.c_leading, static_cast<std::int64_t>(count), q.types.compute,
                CUBLAS_GEMM_DEFAULT);
}

void multiply_stack(const Product& q, const BorrowedHandle& handle, CudaStream& stream) {
  const MatmulProblem& p = q.problem;
  const Stack stack = merged_stack(p);
  const int device = stream.context->index;
  if (stack.extents.empty()) return multiply_one(q, handle, device, p.a, p.b, p.c);
  const std::size_t outer = stack.extents.size() - 1;
  std::int64_t runs = 1;
  for (std::size_t d = 0; d < outer; ++d) runs *= stack.extents[d];
  if (runs > kFewProducts) return multiply_listed(q, handle, stream, stack);
  for_each_offset(stack, outer, [&](std::int64_t a, std::int64_t b, std::int64_t c) {
    multiply_strided(q, handle, device, moved(p.a, a, p.dtype), moved(p.b, b, p.dtype),
                     const_cast<void*>(moved(p.c, c, p.dtype)), stack.a.back(), stack.b.back(),
                     stack.c.back(), stack.extents.back());
  });
}

}  // namespace

void cublas_matmul(const MatmulProblem& problem, CudaStream& stream) {
  types_of(problem.dtype);  // throws, also where there is nothing to do
  if (problem.m == 0 || problem.n == 0) return;
  for (const std::int64_t extent : problem.batch) {
    if (extent == 0) return;
  }
  const ContextGuard guard(*stream.context);
  const BorrowedHandle handle(stream);
  const BlasWorkspace workspace(handle, stream);
  for (const MatmulProblem& block : matmul_blocks(problem)) {
    multiply_stack(Product(block), handle, stream);
  }
}

}  // namespace cupola::cuda
