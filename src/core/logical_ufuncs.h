#pragma once
// Logical functions of two operands, whose truth counts, whatever their types; and comparisons.

#include "core/ufunc.h"

namespace cupola {

constexpr bool is_logical(UfuncId id) {
  return id == UfuncId::logical_and || id == UfuncId::logical_or || id == UfuncId::logical_xor;
}

constexpr bool is_comparison(UfuncId id) {
  return id == UfuncId::less || id == UfuncId::less_equal || id == UfuncId::greater ||
         id == UfuncId::greater_equal || id == UfuncId::equal || id == UfuncId::not_equal;
}

}  // namespace cupola
