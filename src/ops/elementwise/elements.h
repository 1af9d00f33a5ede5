#pragma once
// Operations on single elements that the host knows (exec/host/host_element.h): computed at the
// call by the calling thread. Their results are numbers without dimensions, which need no memory,
// and which later kernels take as parameters.

#include <optional>
#include <span>

#include "core/ufunc.h"
#include "cupola/array.h"
#include "cupola/ops/elementwise.h"

namespace cupola {

// Of operands of the loop, arrays without dimensions among them. Nothing: it is no such operation,
// here as below.
std::optional<Array> compute_elements(UfuncId ufunc, const UfuncLoop& loop,
                                      std::span<const Operand> operands, const Device& device);
// Of an array without dimensions, alone or with another one or a number; they have the loop's
// types.
std::optional<Array> compute_element(UfuncId ufunc, const UfuncLoop& loop, const Array& a);
std::optional<Array> compute_element(UfuncId ufunc, const UfuncLoop& loop, const Array& a,
                                     const Array& b);
std::optional<Array> compute_element(UfuncId ufunc, const UfuncLoop& loop, const Array& a,
                                     const Scalar& number, bool is_first);
// a = ufunc(a, b) of an array without dimensions. False, and nothing done: it is no such operation.
bool update_element(UfuncId ufunc, const Array& a, const Operand& b);
// Makes such a result the element of an array of its dtype. False, and nothing done: it has to be
// written in order.
bool store_element(const Array& result, const Array& out);

}  // namespace cupola
