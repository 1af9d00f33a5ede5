#pragma once
// Memory for results, on the current stream of its device. On sets it is divided as `operands` are
// where these were placed by hand (memory/placed.h); pending ones have no say.

#include <span>

#include "core/array_state.h"

namespace cupola {

// Uninitialised. order: 'C' or 'F'. Throws OutOfMemoryError, ValueError for negative extents.
Array allocate_array(DType dtype, const Dims& shape, const Device& device, char order = 'C');
// The same from memory at hand, without a lock or a wait; no array where there is none.
Array find_array(DType dtype, const Dims& shape, const Device& device, char order = 'C');
// On the operand's device.
Array allocate_beside(DType dtype, const Dims& shape, const Array& operand);
// Uninitialised, strides as `order` 'K' gives them: those of the operands where they agree.
Array allocate_like(DType dtype, const Dims& shape, const Device& device,
                    std::span<const Array> operands);
// Uninitialised, with elements that lie so.
Array allocate_placed(DType dtype, const Dims& shape, const Device& device, Layout layout,
                      std::span<const Array> operands = {});
// With the given strides, which leave no gaps.
Array allocate_strided(DType dtype, const Dims& shape, const Device& device, Dims strides,
                       std::span<const Array> operands = {});

}  // namespace cupola
