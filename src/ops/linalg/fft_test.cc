#include "cupola/ops/fft.h"

#include "base/testing/message_of.h"
#include "core/array_state.h"
#include "cupola/ops/functions.h"
#include "cupola/ops/manip.h"
#include "ops/test_support.h"

namespace cupola {
namespace {

using test::array_of;
using test::counting;
using test::expect_values;
using testing::message_of;

TEST(Fft, ValuesAndTypes) {
  const Array a = counting<double>({2, 4});
  const Array result = fft(a);
  EXPECT_EQ(result.dtype(), DType::complex128);
  expect_values(real(result), {2, 4}, {6, -2, -2, -2, 22, -2, -2, -2});
  expect_values(imag(result), {2, 4}, {0, 2, 0, -2, 0, 2, 0, -2});
  expect_values(real(ifft(result)), {2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  const Array half = rfft(counting<float>({2, 4}));
  EXPECT_EQ(half.dtype(), DType::complex64);
  expect_values(imag(half), {2, 3}, {0, 2, 0, 0, 2, 0});
  EXPECT_EQ(irfft(half).dtype(), DType::float32);
  expect_values(irfft(half), {2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(fft(counting<std::int32_t>({4})).dtype(), DType::complex128);
}

TEST(Fft, AxesAndLengths) {
  const Array a = counting<double>({2, 4});
  expect_values(real(fft(a, {}, 0)), {2, 4}, {4, 6, 8, 10, -4, -4, -4, -4});
  expect_values(real(fft(a, 2)), {2, 2}, {1, -1, 9, -1});
  expect_values(real(fft(a, 4, 0)), {4, 4}, {4, 6, 8, 10, 0, 1, 2, 3, -4, -4, -4, -4, 0, 1, 2, 3});
  expect_values(real(fftn(a)), {2, 4}, {28, -4, -4, -4, -16, 0, 0, 0});
  expect_values(real(fftn(a, Dims{2}, Dims{1})), {2, 2}, {1, -1, 9, -1});
  expect_values(irfftn(rfftn(a)), {2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  expect_values(real(ifftn(fftn(a))), {2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  expect_values(hfft(ihfft(a)), {2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_TRUE(is_same(fftn(a, {}, Dims{}), a));
}

// It can be part of what comes next.
TEST(Fft, TheFactorWaits) {
  const Array a = counting<double>({4});
  EXPECT_TRUE(is_stored(fft(a)));
  EXPECT_FALSE(is_stored(ifft(a)));
  EXPECT_TRUE(is_stored(ifft(a, {}, -1, FftNorm::forward)));
  expect_values(real(fft(a, {}, -1, FftNorm::ortho)), {4}, {3, -1, -1, -1});
}

TEST(Fft, Out) {
  const Array a = counting<double>({4});
  const Array out = zeros({4}, DType::complex64, a.device());
  EXPECT_TRUE(is_same(fft(a, {}, -1, FftNorm::backward, out), out));
  expect_values(real(out), {4}, {6, -2, -2, -2});
  EXPECT_EQ(message_of<ValueError>([&] { fft(a, 3, -1, FftNorm::backward, out); }),
            "output array has wrong shape.");
}

TEST(Fft, Errors) {
  EXPECT_EQ(message_of<ValueError>([] { fft(zeros({0})); }),
            "Invalid number of FFT data points (0) specified.");
  EXPECT_EQ(message_of<ValueError>([] { irfft(zeros({1})); }),
            "Invalid number of FFT data points (0) specified.");
  EXPECT_THROW(rfft(zeros({4}, DType::complex64)), TypeError);
  EXPECT_THROW(rfftn(zeros({})), IndexError);
  EXPECT_EQ(message_of<ValueError>([] {
              fftn(zeros({2, 2}), Dims{2}, Dims{0, 1});
            }),
            "Shape and axes have different lengths.");
}

TEST(Fft, FrequenciesAndShifts) {
  expect_values(fftfreq(4), {4}, {0, 0.25, -0.5, -0.25});
  expect_values(fftfreq(5, 0.2), {5}, {0, 1, 2, -2, -1});
  expect_values(rfftfreq(4), {3}, {0, 0.25, 0.5});
  expect_values(fftshift(fftfreq(4)), {4}, {-0.5, -0.25, 0, 0.25});
  expect_values(ifftshift(fftshift(counting<double>({3, 5})), Dims{0, 1}), {3, 5},
                {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14});
}

}  // namespace
}  // namespace cupola
