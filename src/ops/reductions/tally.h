#pragma once

#include <cstdint>

#include "core/ufunc.h"
#include "cupola/array.h"

namespace cupola {

// Whether StoreKind::tally, of integers, does what StoreKind::combine would, for so many values.
bool is_tallied(const Array& target, UfuncId combine, std::int64_t values);

}  // namespace cupola
