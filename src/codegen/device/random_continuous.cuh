// Gamma and von Mises distributions, by rejection.
#ifndef CUPOLA_DEVICE_RANDOM_CONTINUOUS
#define CUPOLA_DEVICE_RANDOM_CONTINUOUS

#ifndef __CUDACC_RTC__
#include "codegen/device/random_streams.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

// Source: G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables" (2000).
// A shape below 1 is raised by 1 and the number multiplied by u^(1 / shape), u uniform.
struct GammaSampler {
  double shape;
  double d, c;
  bool is_usual;  // finite and above zero
  bool is_small;
};
CUPOLA_FN GammaSampler gamma_sampler(double shape) {
  const bool is_usual = shape > 0 && shape < infinity<double>();
  const double usual = is_usual ? shape : 1;
  const bool is_small = usual < 1;
  const double d = (is_small ? usual + 1 : usual) - 1.0 / 3;
  return {shape, d, 1 / sqrt(9 * d), is_usual, is_small};
}
CUPOLA_FN Proposal propose(const GammaSampler& sampler, const PhiloxBlock& block) {
  const double normal =
      normal_number(joined_words(block.x, block.y), joined_words(0, block.z), false);
  const double square = normal * normal;
  const double root = 1 + sampler.c * normal;
  const double v = root * root * root;
  const double u = word_above_zero(block.w);
  const double bound = 0.5 * square + sampler.d * ((1 - v) + log_of_unit(root > 0 ? v : 1));
  const double sure = 1 - 0.0331 * (square * square) - u;
  const double surplus = sure > 0 ? sure : bound - log_of_unit(u);
  return {sampler.d * v, root > 0 ? surplus : -1};
}
// Where the shape is not a usual one.
CUPOLA_FN double gamma_limit(double shape) { return shape >= 0 ? shape : quiet_nan<double>(); }
CUPOLA_FN double value_of(const GammaSampler& sampler, uint64_t stream, double value) {
  if (!sampler.is_usual) return gamma_limit(sampler.shape);
  if (!sampler.is_small) return value;
  return value * exp_of(log_of_unit(above_zero(stream)) / sampler.shape);
}

// Of shape 1, the exponential distribution.
struct ExponentialLimit {};
CUPOLA_FN bool is_exponential(double shape) { return shape == 1; }
CUPOLA_FN double direct(const ExponentialLimit&, uint64_t stream) {
  return exponential_number(stream);
}

// The logarithm of a number, which small shapes have as well.
struct LogGammaSampler {
  GammaSampler gamma;
};
CUPOLA_FN LogGammaSampler log_gamma_sampler(double shape) { return {gamma_sampler(shape)}; }
CUPOLA_FN Proposal propose(const LogGammaSampler& sampler, const PhiloxBlock& block) {
  return propose(sampler.gamma, block);
}
CUPOLA_FN double value_of(const LogGammaSampler& sampler, uint64_t stream, double value) {
  const double shape = sampler.gamma.shape;
  if (!sampler.gamma.is_usual) return shape == 0 ? -infinity<double>() : gamma_limit(shape);
  const double logarithm = log_of_unit(value);
  if (!sampler.gamma.is_small) return logarithm;
  return logarithm + limited(log_of_unit(above_zero(stream)) / shape, -0x1p1000, 0);
}

// Source: D. J. Best, N. I. Fisher, "Efficient simulation of the von Mises distribution" (1979).
struct VonmisesSampler {
  double kappa;
  double s;
};
CUPOLA_FN VonmisesSampler vonmises_sampler(double kappa) {
  const double held = limited(kappa, 1e-8, 1e6);
  const double r = 1 + sqrt(1 + 4 * held * held);
  const double rho = (r - sqrt(2 * r)) / (2 * held);
  const double s = (1 + rho * rho) / (2 * rho);
  return {held, held < 1e-5 ? 1 / held + held : s};
}
CUPOLA_FN Proposal propose(const VonmisesSampler& sampler, const PhiloxBlock& block) {
  const double z = cosine_of_turns(joined_words(block.x, block.y), 0);
  const double w = limited((1 + sampler.s * z) / (sampler.s + z), -1, 1);
  const double difference = sampler.kappa * (sampler.s - w);
  const double y = difference > 0x1p-100 ? difference : 0x1p-100;
  const double u = word_above_zero(block.z);
  const double sure = y * (2 - y) - u;
  const double surplus = sure >= 0 ? sure : log_of_unit(y / u) + 1 - y;
  const double side = static_cast<double>(static_cast<int32_t>(block.w & 2)) - 1;
  return {side * arccos_of(w), surplus};
}
CUPOLA_FN double value_of(const VonmisesSampler&, uint64_t, double value) { return value; }

// Without rejection: uniform on the circle, and normal where that circle is a line.
struct VonmisesLimit {
  double kappa;
};
CUPOLA_FN bool is_vonmises_limit(double kappa) { return !(kappa >= 1e-8 && kappa <= 1e6); }
// Where `kappa` is large.
struct VonmisesLine {
  double kappa;
};
CUPOLA_FN double direct(const VonmisesLine& line, uint64_t stream) {
  const PhiloxBlock block = block_of_stream(stream, 0);
  return normal_number(joined_words(block.x, block.y), joined_words(block.z, block.w), false) /
         sqrt(line.kappa);
}
CUPOLA_FN double direct(const VonmisesLimit& limit, uint64_t stream) {
  if (limit.kappa != limit.kappa) return limit.kappa;
  if (limit.kappa < 1) return 6.283185307179586476925 * (above_zero(stream) - 0.5);
  return direct(VonmisesLine{limit.kappa}, stream);
}

// ---- the rows

CUPOLA_FN double gamma_of_stream(uint64_t stream, double shape) {
  return is_exponential(shape) ? direct(ExponentialLimit{}, stream)
                               : sampled(gamma_sampler(shape), stream);
}
CUPOLA_FN double log_gamma_of_stream(uint64_t stream, double shape) {
  return sampled(log_gamma_sampler(shape), stream);
}
CUPOLA_FN double vonmises_of_stream(uint64_t stream, double kappa) {
  return is_vonmises_limit(kappa) ? direct(VonmisesLimit{kappa}, stream)
                                  : sampled(vonmises_sampler(kappa), stream);
}

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
