#pragma once
// What the operation families share: from operands to nodes, from nodes to results.

#include <span>
#include <vector>

#include "core/ufunc.h"
#include "cupola/ops/elementwise.h"
#include "graph/node.h"

namespace cupola {

std::vector<OperandType> operand_types(std::span<const Operand> operands);
// numpy.result_type of the operands.
DType result_dtype(std::span<const Operand> operands);
// The device of the arrays among operands, `where` and `out`; without any, options.device or the
// current device. Where one is a set that has the others, it is the set. Throws DeviceError that
// names both where two differ otherwise.
Device operand_device(std::span<const Operand> operands, const UfuncOptions& options);
// The array, or a copy of it on the set `device` that its own device is a member of. Throws
// DeviceError for an array elsewhere.
Array on_device(const Array& array, const Device& device);
// The operands, as far as need be on that device; what had to be copied is in `kept`.
std::span<const Operand> on_device(std::span<const Operand> operands, const Device& device,
                                   std::vector<Operand>& kept);
// The operand as a node of `dtype`; a scalar has shape ().
Array as_node(const Operand& operand, DType dtype, const Device& device);

// The scalar as the loop reads it. Logical functions only ask whether it is zero, so that it need
// not fit the loop's type.
Scalar loop_value(UfuncId ufunc, const Scalar& scalar, DType dtype);

// Results of one shape in options.out, under options.where, or as new arrays in options.order,
// which may stay pending. `operands` decide order 'K'.
std::vector<Array> store_results(std::vector<Array> results, const Dims& shape,
                                 std::span<const Operand> operands, const UfuncOptions& options);
// The strides of a copy of `a`, which must be laid out. order 'C', 'F', 'A' or 'K' as in
// numpy.copy.
Dims ordered_strides(const Array& a, char order);
// The same of an array of another shape, as in numpy.empty_like.
Dims ordered_strides(const Array& a, char order, const Dims& shape);
// The value without leading dimensions of extent 1 beyond `rank`, which do not count in
// assignments.
Operand without_leading_ones(const Operand& value, std::size_t rank);
// Uninitialised, with these strides, of a's shape and device.
Array allocate_ordered(DType dtype, const Array& a, char order);
// Throws ValueError for a character that is none of CFAK.
char parse_order(char order);

}  // namespace cupola
