#pragma once
// Random numbers. Each is a function of a key, the number of a draw and the row-major position of
// its element (Philox4x32-10): the same on every device and for any split over devices, whatever
// the memory order, and nothing is kept between calls. Two calls with the same draw give the same
// numbers; who wants others takes the next draw.
//
// Results are pending where there is no `out`, of the shape given; `out` is of that shape. Errors:
// ValueError for negative or overflowing sizes and for an `out` that cannot be written, TypeError
// for other dtypes than those named, DeviceError for an `out` elsewhere.

#include <cstdint>

#include "cupola/ops/creation.h"

namespace cupola {

struct RandomDraw {
  std::uint64_t key;     // made from a seed
  std::uint64_t number;  // below 2^63
};

struct RandomTarget {
  Dims shape;
  DeviceOption device{};  // default: that of `out`, else the current one
  Array out{};            // gets the numbers, cast to its dtype
};

// uint32 or uint64, every value alike.
Array random_bits(const RandomDraw& draw, DType dtype, const RandomTarget& target);
// float32 or float64 in [0, 1), multiples of 2^-24 and of 2^-53.
Array random_uniform(const RandomDraw& draw, DType dtype, const RandomTarget& target);
// float32 or float64: mean 0 and variance 1.
Array random_normal(const RandomDraw& draw, DType dtype, const RandomTarget& target);
// float32 or float64: mean 1.
Array random_exponential(const RandomDraw& draw, DType dtype, const RandomTarget& target);
// low + one of 0 ... count - 1, in the integer type `dtype` or bool; a count of 0 stands for 2^64.
// `low` and `count` are taken modulo 2^64 and broadcast to the shape. A value's probability
// differs from 1 / count by less than 2^-32 of it; above 2^32 values by less than 2^-64.
Array random_integers(const RandomDraw& draw, const Operand& low, const Operand& count, DType dtype,
                      const RandomTarget& target);

// Distributions by rejection. Each element has 64 random bits of the draw and makes of them as many
// more as it needs, so that positions stay independent. Parameters broadcast to the shape; their
// values are not checked: outside of their range numbers are NaN, or of the nearest parameters that
// are within. The bits are the same on every platform. float64:
Array random_gamma(const RandomDraw& draw, const Operand& shape, const RandomTarget& target);
// The logarithms of the same distribution, which do not underflow for small shapes.
Array random_log_gamma(const RandomDraw& draw, const Operand& shape, const RandomTarget& target);
// Angles in [-pi, pi] around 0.
Array random_vonmises(const RandomDraw& draw, const Operand& kappa, const RandomTarget& target);
// int64:
Array random_poisson(const RandomDraw& draw, const Operand& mean, const RandomTarget& target);
Array random_binomial(const RandomDraw& draw, const Operand& n, const Operand& p,
                      const RandomTarget& target);
// `balls` are the numbers of good balls, times 2^32, and of bad ones, both below 2^32.
Array random_hypergeometric(const RandomDraw& draw, const Operand& balls, const Operand& sample,
                            const RandomTarget& target);
Array random_zipf(const RandomDraw& draw, const Operand& a, const RandomTarget& target);
Array random_logseries(const RandomDraw& draw, const Operand& p, const RandomTarget& target);

// e to the power of float64 numbers with the same bits on every platform.
Array portable_exp(const Array& a);

}  // namespace cupola
