#pragma once
// When values are computed. Elementwise operations, casts and reductions give pending arrays: they
// are computed, several of them by one kernel, when somebody could notice: their value is read,
// their address is asked for, memory that they read is written, their stream or device is
// synchronised, or an operation needs them that cannot be part of a kernel.

#include <span>

#include "cupola/array.h"

namespace cupola {

// Computes the arrays, as far as they are pending. Does not wait for the device. On an error the
// arrays stay pending, so that another try may succeed. A pending array that several threads ask
// for is computed once. Throws OutOfMemoryError, and what the work fails with.
void evaluate(std::span<const Array> arrays);
inline const Array& evaluate(const Array& array) {
  evaluate(std::span<const Array>(&array, 1));
  return array;
}

// Whether every operation is computed at the call; the results are the same bits. At first where
// CUPOLA_EAGER is set and not 0.
bool is_eager() noexcept;
void set_eager(bool eager) noexcept;

}  // namespace cupola
