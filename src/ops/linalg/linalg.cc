// matmul: NumPy's rules of shapes and types around one batched product.

#include "cupola/ops/linalg.h"

#include <fmt/format.h>

#include <algorithm>

#include "cupola/error.h"
#include "cupola/ops/manip.h"
#include "exec/evaluation/evaluator.h"
#include "ops/linalg/matrix_product.h"
#include "ops/operands.h"
#include "ops/support.h"

namespace cupola {

namespace {

constexpr const char* kSignature = "(n?,k),(k,m?)->(n?,m?)";

void check_rank(const Array& a, int operand) {
  if (a.rank() > 0) return;
  throw ValueError(
      fmt::format("matmul: Input operand {} does not have enough dimensions (has 0, "
                  "gufunc core with signature {} requires 1)",
                  operand, kSignature));
}

void check_inner_extents(const Array& a, const Array& b) {
  const std::int64_t k = a.shape().back();
  const std::int64_t rows = b.rank() == 1 ? b.shape()[0] : b.shape()[b.shape().size() - 2];
  if (k == rows) return;
  throw ValueError(
      fmt::format("matmul: Input operand 1 has a mismatch in its core dimension 0, "
                  "with gufunc signature {} (size {} is different from {}): shapes {} "
                  "and {}",
                  kSignature, rows, k, to_string(a.shape()), to_string(b.shape())));
}

// The type of the product, and so of both operands.
DType product_dtype(const Array& a, const Array& b, std::optional<DType> dtype, Casting casting) {
  const DType result = dtype ? *dtype : promote_types(a.dtype(), b.dtype());
  for (int i = 0; i < 2; ++i) {
    const DType from = i == 0 ? a.dtype() : b.dtype();
    if (can_cast(from, result, casting)) continue;
    throw CastingError(fmt::format(
        "Cannot cast ufunc 'matmul' input {} from dtype('{}') to dtype('{}') with casting rule "
        "'{}'",
        i, name_of(from), name_of(result), name_of(casting)));
  }
  return result;
}

// Whether a stack fills one of shape `out`, in which it is repeated; the last `core` dimensions are
// those of one matrix, and are not.
bool fills(const Dims& shape, const Dims& out, std::size_t core) {
  return broadcasts_to(shape, out) && std::equal(shape.end() - core, shape.end(), out.end() - core);
}

void check_product_output(const Array& out, const Dims& shape, std::size_t core, DType dtype,
                          Casting casting, const Device& device) {
  if (!out.has_value()) return;
  check_output(out, device);
  if (!can_cast(dtype, out.dtype(), casting)) {
    throw CastingError(
        fmt::format("Cannot cast ufunc 'matmul' output from dtype('{}') to "
                    "dtype('{}') with casting rule '{}'",
                    name_of(dtype), name_of(out.dtype()), name_of(casting)));
  }
  if (!fills(shape, out.shape(), core)) {
    throw ValueError(
        fmt::format("matmul: Output operand 0 has shape {}, with gufunc signature {} "
                    "the result has shape {}",
                    to_string(out.shape()), kSignature, to_string(shape)));
  }
}

}  // namespace

Array matmul(const Array& a, const Array& b, const Array& out, std::optional<DType> dtype,
             Casting casting) {
  check_rank(a, 0);
  check_rank(b, 1);
  const Operand operands[] = {a, b};
  const Device device = operand_device(operands, {});
  const DType type = product_dtype(a, b, dtype, casting);
  if (!out.has_value() && type == a.dtype()) {
    if (Array now = product_now(a, b); now.has_value()) return now;
  }
  check_inner_extents(a, b);
  // A vector on the left is a row, on the right a column; its dimension leaves the result.
  const bool row = a.rank() == 1;
  const bool column = b.rank() == 1;
  const Array left = on_device(row ? expand_dims(a, {0}) : a, device);
  const Array right = on_device(column ? expand_dims(b, {1}) : b, device);
  const MatrixShapes shapes(left.shape(), right.shape());
  Dims shape = shapes.result;
  Dims dropped;
  if (column) dropped.push_back(std::ssize(shape) - 1);
  if (row) dropped.push_back(std::ssize(shape) - 2);
  const Dims visible = without_axes(shape, dropped);
  check_product_output(out, visible, 2 - dropped.size(), type, casting, device);
  if (!out.has_value()) return matrix_product_without(dropped, left, right, shapes, type);
  if (out.shape() != visible) {
    const Array product = matrix_product_without(dropped, left, right, shapes, type);
    return finish(broadcast_to(product, out.shape()), out);
  }
  matrix_product(left, right, shapes, type, expand_dims(evaluate(out), dropped));
  return out;
}

}  // namespace cupola
