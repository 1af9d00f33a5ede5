#pragma once
// Byte transfers in order with the other uses of the arrays' storage.

#include "core/array_state.h"

namespace cupola {

// Contiguous stored arrays (row- or column-major); bytes in memory order.
void copy_bytes_from_host(const Array& target, const void* source);
void copy_bytes_to_host(void* target, const Array& source);
// Both stored, of one size and contiguous in the same order, on devices of one platform.
void copy_bytes_between_devices(const Array& target, const Array& source);

}  // namespace cupola
