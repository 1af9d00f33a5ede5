#pragma once
// The choice of a loop by the types that a call gives.

#include <optional>
#include <span>

#include "core/ufunc.h"

namespace cupola {

// The types that a call fixes of its loop, inputs before outputs: NumPy's signature=.
using FixedTypes = std::span<const std::optional<DType>>;
// The first loop of the types that are fixed whose other inputs the operands are by safe casts;
// where there is none but all outputs are fixed, the one whose other inputs are of the first
// output's type. Throws as `resolve_ufunc`.
const UfuncLoop& resolve_ufunc_with(UfuncId id, std::span<const OperandType> operands,
                                    FixedTypes fixed, Casting casting = Casting::same_kind);

}  // namespace cupola
