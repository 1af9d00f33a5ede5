// Fits a parabola to points by gradient descent, on the default device, and checks the result.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cupola/cupola.h>

namespace {

constexpr std::int64_t kPoints = 10'000;
constexpr int kSteps = 300;
constexpr double kRate = 0.8;
constexpr double kTolerance = 1e-9;

// Columns 1, x, x**2 ...: shape (points, coefficients).
cupola::Array powers_of(const cupola::Array& x, std::int64_t coefficients) {
  const cupola::Array exponents = cupola::arange(
      cupola::Scalar(0.0), cupola::Scalar(static_cast<double>(coefficients)), cupola::Scalar(1.0));
  return cupola::power(cupola::expand_dims(x, {1}), exponents);
}

// The coefficients with the least mean square distance between features @ coefficients and y.
cupola::Array fit(const cupola::Array& features, const cupola::Array& y) {
  cupola::Array coefficients = cupola::zeros({features.shape()[1]});
  for (int step = 0; step < kSteps; ++step) {
    const cupola::Array predicted = cupola::sum(features * coefficients, {.axes = cupola::Dims{1}});
    const cupola::Array residual = cupola::expand_dims(predicted - y, {1});
    const cupola::Array gradient = cupola::mean(features * residual, {.axes = cupola::Dims{0}});
    coefficients = coefficients - kRate * 2 * gradient;
  }
  return coefficients;
}

}  // namespace

int main() try {
  const std::vector<double> expected{1.0, -2.0, 3.0};
  const cupola::Array x = cupola::linspace(cupola::Scalar(-1.0), cupola::Scalar(1.0), kPoints);
  const cupola::Array y = expected[0] + expected[1] * x + expected[2] * x * x;

  const cupola::Array coefficients = fit(powers_of(x, 3), y);

  std::vector<double> found(expected.size());
  cupola::to_host(coefficients, found.data(), {sizeof(double)});
  double error = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    error = std::fmax(error, std::abs(found[i] - expected[i]));
  }
  std::printf("%s: y = %.6f + %.6f x + %.6f x^2, largest error %.1e\n",
              coefficients.device().to_string().c_str(), found[0], found[1], found[2], error);
  return error < kTolerance ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const cupola::Error& error) {
  std::fprintf(stderr, "hello: %s\n", error.what());
  return EXIT_FAILURE;
}
