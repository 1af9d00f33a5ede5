#pragma once
// Byte transfers in order with the other uses of the arrays' storage, on the current streams.

#include "core/array_state.h"
#include "cupola/transfer.h"
#include "driver/driver.h"

namespace cupola {

// Contiguous stored arrays (row- or column-major); bytes in memory order.
void copy_bytes_from_host(const Array& target, const void* source,
                          const TransferOptions& options = {});
void copy_bytes_to_host(void* target, const Array& source, const TransferOptions& options = {});
// Both stored, of one size and contiguous in the same order, on devices of one platform.
void copy_bytes_between_devices(const Array& target, const Array& source);

// Fit for asynchronous copies as it is.
bool is_direct(Driver& driver, const void* host_memory);

}  // namespace cupola
