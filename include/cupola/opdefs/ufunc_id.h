#pragma once
// The names of the universal functions, one per row of ufuncs.def, in its order.

#include <cstdint>

namespace cupola {

enum class UfuncId : std::uint16_t {
#define CUPOLA_UFUNC(NAME, ...) NAME,
#include "cupola/opdefs/ufuncs.def"
#undef CUPOLA_UFUNC
};

}  // namespace cupola
