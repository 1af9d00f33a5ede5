#pragma once
// Logical functions of two operands, whose truth counts, whatever their types.

#include "core/ufunc.h"

namespace cupola {

constexpr bool is_logical(UfuncId id) {
  return id == UfuncId::logical_and || id == UfuncId::logical_or || id == UfuncId::logical_xor;
}

}  // namespace cupola
