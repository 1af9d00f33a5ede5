// Kernels of one's own: a function of elements, a reduction, and a whole CUDA kernel with shared
// memory. On CPU devices the C++ compiler of the machine makes them.

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

#include <cupola/cupola.h>

namespace {

using cupola::Array;
using cupola::Scalar;

// Called like a function; the operations around it become parts of its kernel.
const cupola::ElementwiseKernel soft_step({
    .in_params = "T x, T width",
    .out_params = "T y",
    .operation = "y = x < 0 ? 0 : x > width ? 1 : x / width",
    .name = "soft_step",
});

const cupola::ReductionKernel norm({
    .in_params = "T x",
    .out_params = "T y",
    .map = "x * x",
    .reduce = "a + b",
    .post_map = "y = sqrt(a)",
    .identity = "0",
    .name = "norm",
});

constexpr int kBlock = 128;

// The mean of each element and its two neighbours; those at the ends count twice.
const cupola::RawKernel smooth({.code = R"(
extern "C" __global__ void smooth(const float* in, float* out, long long count) {
  __shared__ float tile[130];
  const long long first = (long long)blockIdx.x * blockDim.x;
  for (int i = threadIdx.x; i < 130; i += blockDim.x) {
    const long long place = first + i - 1;
    tile[i] = in[place < 0 ? 0 : place < count ? place : count - 1];
  }
  __syncthreads();
  const long long place = first + threadIdx.x;
  if (place < count) {
    out[place] = (tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2]) / 3;
  }
}
)"},
                               "smooth");

Array smoothed(const Array& a) {
  const Array result = cupola::empty_like(a);
  smooth.launch({.grid = {(a.size() + kBlock - 1) / kBlock, 1, 1}, .block = {kBlock, 1, 1}},
                {a, result, Scalar(a.size())});
  return result;
}

double largest(const Array& a) { return cupola::absolute(a).max().item<double>(); }

}  // namespace

int main() try {
  const Array x = cupola::linspace(-1, 2, 7);
  std::cout << soft_step({x, 1.0})[0] << "\n";

  const Array wave = cupola::sin(cupola::arange(10'000) / 50).astype(cupola::DType::float32);
  const Array found = smoothed(wave);
  Array expected = found.copy();
  const cupola::Slice inner{1, -1};
  expected[inner] =
      (wave[cupola::Slice{.stop = -2}] + wave[inner] + wave[cupola::Slice{.start = 2}]) / 3;
  const double smooth_error = largest(found - expected);

  const Array length = norm({wave})[0];
  const double norm_error =
      std::abs(length.item<double>() - std::sqrt((wave * wave).sum().item<double>()));
  std::cout << length.device() << ": the wave's norm is " << length << ", errors " << smooth_error
            << " and " << norm_error << "\n";
  return smooth_error < 1e-6 && norm_error < 1e-3 ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const cupola::Error& error) {
  std::cerr << "own_kernel: " << error.what() << "\n";
  return EXIT_FAILURE;
}
