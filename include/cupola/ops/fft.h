#pragma once
// Discrete Fourier transforms with NumPy's conventions. float16, bfloat16, float32 and complex64
// are computed in single precision, all else in double precision.
//
// `n` elements along the axis take part, the array's own where it is absent: others are left out,
// missing ones are 0. `out`, of the result's shape, takes the result, cast as by "same_kind".
// Errors: ValueError for no elements, AxisError, TypeError for complex input of rfft and ihfft,
// LibraryError where the device's platform has no library for it.

#include <optional>

#include "cupola/ops/creation.h"
#include "cupola/ops/elementwise.h"

namespace cupola {

// Which direction divides by n; ortho: both, by the square root.
enum class FftNorm : std::uint8_t { backward, ortho, forward };

using FftLength = std::optional<std::int64_t>;

Array fft(const Array& a, FftLength n = {}, std::int64_t axis = -1,
          FftNorm norm = FftNorm::backward, const Array& out = {});
Array ifft(const Array& a, FftLength n = {}, std::int64_t axis = -1,
           FftNorm norm = FftNorm::backward, const Array& out = {});
// Of real input: the n / 2 + 1 results of which the others are the conjugates.
Array rfft(const Array& a, FftLength n = {}, std::int64_t axis = -1,
           FftNorm norm = FftNorm::backward, const Array& out = {});
// The n real numbers of such results; n is 2 * (m - 1) where it is absent.
Array irfft(const Array& a, FftLength n = {}, std::int64_t axis = -1,
            FftNorm norm = FftNorm::backward, const Array& out = {});
// The same with input and results in each other's place.
Array hfft(const Array& a, FftLength n = {}, std::int64_t axis = -1,
           FftNorm norm = FftNorm::backward, const Array& out = {});
Array ihfft(const Array& a, FftLength n = {}, std::int64_t axis = -1,
            FftNorm norm = FftNorm::backward, const Array& out = {});

// One axis after the other, the last one first; irfftn: last. `s` are the lengths along `axes`, -1
// for the array's own. `axes` default to the last ones, as many as there are lengths, or to all.
Array fftn(const Array& a, const std::optional<Dims>& s = {}, const std::optional<Dims>& axes = {},
           FftNorm norm = FftNorm::backward, const Array& out = {});
Array ifftn(const Array& a, const std::optional<Dims>& s = {}, const std::optional<Dims>& axes = {},
            FftNorm norm = FftNorm::backward, const Array& out = {});
Array rfftn(const Array& a, const std::optional<Dims>& s = {}, const std::optional<Dims>& axes = {},
            FftNorm norm = FftNorm::backward, const Array& out = {});
Array irfftn(const Array& a, const std::optional<Dims>& s = {},
             const std::optional<Dims>& axes = {}, FftNorm norm = FftNorm::backward,
             const Array& out = {});

// The frequencies of fft()'s results, in float64, in units of one over that of `spacing`; of
// rfft()'s. ValueError for a negative number of them.
Array fftfreq(std::int64_t n, double spacing = 1, DeviceOption device = {});
Array rfftfreq(std::int64_t n, double spacing = 1, DeviceOption device = {});
// The frequency 0 in the middle, and back; along all axes where none are given.
Array fftshift(const Array& a, const std::optional<Dims>& axes = {});
Array ifftshift(const Array& a, const std::optional<Dims>& axes = {});

}  // namespace cupola
