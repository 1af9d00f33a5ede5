// Fits a parabola to points by gradient descent, on the default device, and checks the result.

#include <cstdlib>
#include <iostream>

#include <cupola/cupola.h>

namespace {

constexpr int kPoints = 10'000;
constexpr int kSteps = 300;
constexpr double kRate = 0.8;
constexpr double kTolerance = 1e-9;

// The coefficients with the least mean square distance between features @ coefficients and y.
cupola::Array fit(const cupola::Array& features, const cupola::Array& y) {
  cupola::Array coefficients = cupola::zeros({features.shape()[1]});
  for (int step = 0; step < kSteps; ++step) {
    const cupola::Array residual =
        (features * coefficients).sum(1, true) - y[{cupola::Slice{}, cupola::NewAxis{}}];
    coefficients -= kRate * 2 * (features * residual).mean(0);
  }
  return coefficients;
}

}  // namespace

int main() try {
  const cupola::Array expected = cupola::array({1.0, -2.0, 3.0});
  const cupola::Array x = cupola::linspace(-1, 1, kPoints);
  const cupola::Array y = expected[0] + expected[1] * x + expected[2] * x * x;

  // Columns 1, x, x**2.
  const cupola::Array features =
      cupola::power(x[{cupola::Slice{}, cupola::NewAxis{}}], cupola::arange(3));
  const cupola::Array coefficients = fit(features, y);

  const auto error = cupola::absolute(coefficients - expected).max().item<double>();
  std::cout << coefficients.device() << ": coefficients " << coefficients << ", largest error "
            << error << "\n";
  return error < kTolerance ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const cupola::Error& error) {
  std::cerr << "hello: " << error.what() << "\n";
  return EXIT_FAILURE;
}
