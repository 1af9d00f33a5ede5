#pragma once
// Trigonometric and hyperbolic functions of complex numbers, by vectors of parts, where no value is
// a special one; others by the functions of codegen/device.

#include "platforms/cpu/kernels/vector_math.h"

#ifdef __FMA__

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

// The two parts of the hyperbolic functions.
struct HyperbolicParts {
  double sinh, cosh, sine, cosine;

  [[gnu::always_inline]] static bool are_plain(double re, double im) {
    return (absolute(re) < 22.0) & (absolute(im) <= SinDouble::kLargest) & (re != 0) & (im != 0);
  }
  [[gnu::always_inline]] HyperbolicParts(double re, double im) {
    const Exponential e = reduce_exponential(absolute(re));
    const double scale = power_of_two(e.n);
    const double beyond_one = fused(scale, e.fraction, scale - 1.0);
    const double exponential = fused(scale, e.fraction, scale);
    const double inverse = 1.0 / exponential;
    sinh = copysign(0.5 * fused(beyond_one, inverse, beyond_one), re);
    cosh = 0.5 * (exponential + inverse);
    const Quadrant quadrant = reduce_quadrant(im);
    const double of_sine = sine_polynomial(quadrant.r, quadrant.low);
    const double of_cosine = cosine_polynomial(quadrant.r, quadrant.low);
    const bool odd = (quadrant.n & 1) != 0;
    const double first = odd ? of_cosine : of_sine, second = odd ? of_sine : of_cosine;
    sine = bit_cast<double>(bit_cast<int64_t>(first) ^ ((quadrant.n & 2) << 62));
    cosine = bit_cast<double>(bit_cast<int64_t>(second) ^ (((quadrant.n + 1) & 2) << 62));
  }
};

struct ComplexSinh {
  [[gnu::always_inline]] static complex128 evaluate(const HyperbolicParts& parts) {
    return {parts.sinh * parts.cosine, parts.cosh * parts.sine};
  }
};
struct ComplexCosh {
  [[gnu::always_inline]] static complex128 evaluate(const HyperbolicParts& parts) {
    return {parts.cosh * parts.cosine, parts.sinh * parts.sine};
  }
};
// As tanh(): the tangent becomes large only where a cosine is close to zero, which none is exactly.
struct ComplexTanh {
  [[gnu::always_inline]] static complex128 evaluate(const HyperbolicParts& parts) {
    const double t = parts.sine / parts.cosine;
    const double beta = fused(t, t, 1.0);
    const double divisor = fused(beta * parts.sinh, parts.sinh, 1.0);
    return {beta * parts.cosh * parts.sinh / divisor, t / divisor};
  }
};

// How a function is made of a hyperbolic one.
struct Straight {
  [[gnu::always_inline]] static complex128 argument(complex128 a) { return a; }
  [[gnu::always_inline]] static complex128 result(complex128 a) { return a; }
};
struct Turned {  // f(a) = i conj(g(i conj(a)))
  [[gnu::always_inline]] static complex128 argument(complex128 a) { return {a.im, a.re}; }
  [[gnu::always_inline]] static complex128 result(complex128 a) { return {a.im, a.re}; }
};
struct QuarterTurn {  // f(a) = g(i a)
  [[gnu::always_inline]] static complex128 argument(complex128 a) { return {-a.im, a.re}; }
  [[gnu::always_inline]] static complex128 result(complex128 a) { return a; }
};

// Of numbers whose parts are of type T, in float64.
template <typename T, typename Function, typename Turn, complex<T> (*kOfOthers)(complex<T>)>
void complex_function_loop(const void* const* inputs, void* output, int64_t count) {
  constexpr int64_t kBlock = 64;
  const auto* in = static_cast<const complex<T>*>(inputs[0]);
  auto* out = static_cast<complex<T>*>(output);
  double re[kBlock], im[kBlock];
  for (; count > 0; count -= kBlock, in += kBlock, out += kBlock) {
    const int64_t size = count < kBlock ? count : kBlock;
    int64_t others = 0;
    for (int64_t i = 0; i < size; ++i) {
      const complex128 a = Turn::argument(complex128{in[i].re, in[i].im});
      re[i] = a.re;
      im[i] = a.im;
      others |= HyperbolicParts::are_plain(a.re, a.im) ? 0 : 1;
    }
    const auto value = [&](int64_t i) __attribute__((always_inline)) {
      return Turn::result(Function::evaluate(HyperbolicParts(re[i], im[i])));
    };
    if (others != 0) {  // each depends on its number alone, whatever stands beside it
      for (int64_t i = 0; i < size; ++i) {
        out[i] = HyperbolicParts::are_plain(re[i], im[i]) ? cast<complex<T>>(value(i))
                                                          : kOfOthers(in[i]);
      }
      continue;
    }
    CUPOLA_CPU_INDEPENDENT
    for (int64_t i = 0; i < size; ++i) {
      const complex128 result = value(i);
      re[i] = result.re;
      im[i] = result.im;
    }
    CUPOLA_CPU_INDEPENDENT
    for (int64_t i = 0; i < size; ++i) out[i] = {static_cast<T>(re[i]), static_cast<T>(im[i])};
  }
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
#endif
