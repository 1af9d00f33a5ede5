// All of the device math. Its include lines are the order in which the files are put in front of
// a generated kernel.
#ifndef CUPOLA_DEVICE_DEVICE
#define CUPOLA_DEVICE_DEVICE

// clang-format off
#include "codegen/device/types.cuh"
#include "codegen/device/half.cuh"
#include "codegen/device/cast.cuh"
#include "codegen/device/arithmetic.cuh"
#include "codegen/device/bits.cuh"
#include "codegen/device/float_math.cuh"
#include "codegen/device/float_parts.cuh"
#include "codegen/device/compare.cuh"
#include "codegen/device/sort_digits.cuh"
#include "codegen/device/philox.cuh"
#include "codegen/device/random_numbers.cuh"
#include "codegen/device/random_math.cuh"
#include "codegen/device/random_streams.cuh"
#include "codegen/device/random_continuous.cuh"
#include "codegen/device/random_counts.cuh"
#include "codegen/device/random_series.cuh"
#include "codegen/device/complex_arithmetic.cuh"
#include "codegen/device/complex_exponential.cuh"
#include "codegen/device/complex_trigonometric.cuh"
#include "codegen/device/complex_inverse.cuh"
// clang-format on

#endif
