#pragma once
// Universal functions computed in types that the caller gives: NumPy's signature=.

#include <optional>
#include <span>
#include <vector>

#include "cupola/ops/elementwise.h"

namespace cupola {

// An entry per input, then per output; an entry may be nothing. Empty: all are chosen as usual.
using UfuncSignature = std::vector<std::optional<DType>>;

// As call_ufunc and outer_ufunc, with all results. Throws TypeError where the ufunc has no such
// loop, and where options.dtype is given as well.
std::vector<Array> call_ufunc_with(UfuncId ufunc, std::span<const Operand> operands,
                                   const UfuncSignature& signature,
                                   const UfuncOptions& options = {});
std::vector<Array> outer_ufunc_with(UfuncId ufunc, const Operand& a, const Operand& b,
                                    const UfuncSignature& signature,
                                    const UfuncOptions& options = {});

}  // namespace cupola
