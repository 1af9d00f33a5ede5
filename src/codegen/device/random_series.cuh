// Zipf's distribution and that of the logarithmic series.
#ifndef CUPOLA_DEVICE_RANDOM_SERIES
#define CUPOLA_DEVICE_RANDOM_SERIES

#ifndef __CUDACC_RTC__
#include "codegen/device/random_streams.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

// Numbers up to 2^63. Source: L. Devroye, "Non-uniform random variate generation" (1986), X.6.1.
struct ZipfSampler {
  double exponent;
  double width;  // of the uniform numbers whose power is below 2^63
  double share;  // (2^exponent - 1) / 2^exponent
};
// Others than 1 have a probability below 2^-1000.
struct ZipfLimit {};
CUPOLA_FN bool is_zipf_limit(double a) { return a > 1000; }
CUPOLA_FN int64_t direct(const ZipfLimit&, uint64_t) { return 1; }
CUPOLA_FN ZipfSampler zipf_sampler(double a) {
  const double exponent = limited(a - 1, 0x1p-52, 1000);
  return {exponent, -expm1_of(exponent * -43.6682723752765541),
          -expm1_of(exponent * -0.693147180559945309417)};
}
CUPOLA_FN Proposal propose(const ZipfSampler& sampler, const PhiloxBlock& block) {
  const double logarithm = log1p_of(-(sampler.width * first_of(block)));
  const double k = floor(exp_of(limited(logarithm / -sampler.exponent, 0, 43.6682723752765541)));
  const double x = k > 1 ? k : 1;
  const double grown = expm1_of(sampler.exponent * log1p_of(1 / x));  // (1 + 1/x)^exponent - 1
  const double share = second_of(block) * x * grown / (1 + grown);
  return {x, sampler.share - share};
}
CUPOLA_FN int64_t value_of(const ZipfSampler&, uint64_t, double value) { return integer_of(value); }

// Source: A. W. Kemp, "Efficient generation of logarithmically distributed pseudo-random
// variables" (1981).
CUPOLA_FN int64_t logseries_of_stream(uint64_t stream, double p) {
  const PhiloxBlock block = block_of_stream(stream, 0);
  const double v = second_of(block);
  const double q = -expm1_of(log1p_of(-limited(p, 0, 1 - 0x1p-53)) * first_of(block));
  const double held = limited(q, 0x1p-1000, 1 - 0x1p-53);
  const double k = floor(1 + log_of_unit(v) / log_of_unit(held));
  const double small = v >= q ? 1 : 2;
  return integer_of(v >= p ? 1 : v <= q * q ? k : small);
}
CUPOLA_FN int64_t zipf_of_stream(uint64_t stream, double a) {
  return is_zipf_limit(a) ? direct(ZipfLimit{}, stream) : sampled(zipf_sampler(a), stream);
}

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
