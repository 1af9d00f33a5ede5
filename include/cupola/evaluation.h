#pragma once
// When values are computed. Elementwise operations, casts and reductions give pending arrays: they
// are computed, several of them by one kernel, when somebody could notice: their value is read,
// their address is asked for, memory that they read is written, their stream or device is
// synchronised, or an operation needs them that cannot be part of a kernel.

#include <cstdint>
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

// Which results wait; they are the same bits. At first that of CUPOLA_EAGER: `of_many` where it is
// not set, `of_all` for 0, else `of_none`.
enum class Deferral : std::uint8_t {
  of_many,  // few elements that a CPU device has stored are computed with at the call
  of_all,
  of_none,  // every operation is computed at the call
};
Deferral deferral() noexcept;
void set_deferral(Deferral deferral) noexcept;
inline bool is_eager() noexcept { return deferral() == Deferral::of_none; }

}  // namespace cupola
