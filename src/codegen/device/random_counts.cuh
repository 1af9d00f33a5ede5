// Poisson, binomial and hypergeometric distributions. Where numbers are small, the sum of
// probabilities from zero on is inverted (`direct`); elsewhere numbers are proposed and rejected.
// Source: W. Hoermann, "The transformed rejection method for generating Poisson random variables"
// (PTRS, 1993) and "The generation of binomial random variates" (BTRS, 1993); E. Stadlober, "The
// ratio of uniforms approach for generating discrete random variates" (HRUA, 1990). Probabilities
// are compared by their deviances, as differences of logarithms of factorials lose all places
// where numbers are large.
#ifndef CUPOLA_DEVICE_RANDOM_COUNTS
#define CUPOLA_DEVICE_RANDOM_COUNTS

#ifndef __CUDACC_RTC__
#include "codegen/device/random_streams.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

// Of means below kInvertedMean no number is larger, but with a probability below 2^-200.
inline constexpr double kInvertedMean = 10;
inline constexpr double kMostInverted = 120;

struct PoissonInversion {
  double mean, none;
};
CUPOLA_FN bool inverts_poisson(double mean) { return !(mean >= kInvertedMean); }
CUPOLA_FN PoissonInversion poisson_inversion(double mean) {
  const double held = limited(mean, 0, kInvertedMean);
  return {held, exp_of(-held)};
}
CUPOLA_FN int64_t direct(const PoissonInversion& inversion, uint64_t stream) {
  double rest = above_zero(stream);
  double probability = inversion.none;
  double k = 0;
  while (rest > probability && k < kMostInverted) {
    rest -= probability;
    k += 1;
    probability *= inversion.mean / k;
  }
  return static_cast<int64_t>(k);
}

struct PoissonSampler {
  double mean, a, b, inverse_alpha, sure, constant;
};
CUPOLA_FN PoissonSampler poisson_sampler(double mean) {
  const double held = limited(mean, kInvertedMean, 0x1p63);
  const double b = 0.931 + 2.53 * sqrt(held);
  return {held,
          -0.059 + 0.02483 * b,
          b,
          1.1239 + 1.1328 / (b - 3.4),
          0.9277 - 3.6224 / (b - 2),
          log_of_unit(held) + 0.918938533204672741780};
}
CUPOLA_FN Proposal propose(const PoissonSampler& sampler, const PhiloxBlock& block) {
  const double u = first_of(block) - 0.5;
  const double v = second_of(block);
  const double distance = 0.5 - absolute(u);
  const double edge = distance > 0x1p-54 ? distance : 0x1p-54;
  const double k = floor((2 * sampler.a / edge + sampler.b) * u + sampler.mean + 0.43);
  const double x = (k > 0 ? k : 0) + 1;  // k itself may be zero
  const double logarithm =
      0.5 * log_of_unit(x) - stirling_rest(x) - deviance(x, sampler.mean) - sampler.constant;
  const double hat = v * sampler.inverse_alpha / (sampler.a / (edge * edge) + sampler.b);
  const double sure = edge >= 0.07 ? sampler.sure - v : -1;
  const double surplus = sure >= 0 ? sure : logarithm - log_of_unit(hat);
  return {k, k >= 0 ? surplus : -1};
}
CUPOLA_FN int64_t value_of(const PoissonSampler&, uint64_t, double value) {
  return integer_of(value);
}

// Of the less likely outcome, whose probability is `p`.
struct BinomialTrials {
  int64_t n;
  double count;
  double p;
  bool is_turned;  // the other one was asked for
};
CUPOLA_FN BinomialTrials binomial_trials(int64_t n, double p) {
  const bool is_turned = p > 0.5;
  const int64_t held = n > 0 ? n : 0;
  return {held, static_cast<double>(held), limited(is_turned ? 1 - p : p, 0, 0.5), is_turned};
}
CUPOLA_FN int64_t outcome(const BinomialTrials& trials, double k) {
  const int64_t found = integer_of(k);
  const int64_t held = found < trials.n ? found : trials.n;
  return trials.is_turned ? trials.n - held : held;
}

struct BinomialInversion {
  BinomialTrials trials;
  double none, odds;
};
CUPOLA_FN bool inverts_binomial(int64_t n, double p) {
  const BinomialTrials trials = binomial_trials(n, p);
  return trials.count * trials.p < kInvertedMean;
}
CUPOLA_FN BinomialInversion binomial_inversion(int64_t n, double p) {
  const BinomialTrials trials = binomial_trials(n, p);
  return {trials, exp_of(trials.count * log1p_of(-trials.p)), trials.p / (1 - trials.p)};
}
CUPOLA_FN int64_t direct(const BinomialInversion& inversion, uint64_t stream) {
  const double count = inversion.trials.count;
  const double most = count < kMostInverted ? count : kMostInverted;
  const double step = (count + 1) * inversion.odds;
  double rest = above_zero(stream);
  double probability = inversion.none;
  double k = 0;
  while (rest > probability && k < most) {
    rest -= probability;
    k += 1;
    probability *= step / k - inversion.odds;
  }
  return outcome(inversion.trials, k);
}

struct BinomialSampler {
  BinomialTrials trials;
  double a, b, center, alpha, sure, mean, other_mean, most_likely;
};
// The logarithm of the probability, without what does not depend on k.
CUPOLA_FN double binomial_logarithm(double count, double k, double mean, double other_mean) {
  const double x = k + 1;
  const double y = count - k + 1;
  return 0.5 * log_of_unit(x * y) - stirling_rest(x) - stirling_rest(y) - deviance(x, mean) -
         deviance(y, other_mean);
}
CUPOLA_FN BinomialSampler binomial_sampler(int64_t n, double p) {
  const BinomialTrials trials = binomial_trials(n, p);
  const double spread = sqrt(trials.count * trials.p * (1 - trials.p));
  const double b = 1.15 + 2.53 * spread;
  const double mean = (trials.count + 2) * trials.p;
  const double other_mean = (trials.count + 2) * (1 - trials.p);
  const double mode = floor((trials.count + 1) * trials.p);
  return {trials,
          -0.0873 + 0.0248 * b + 0.01 * trials.p,
          b,
          trials.count * trials.p + 0.5,
          (2.83 + 5.1 / b) * spread,
          0.92 - 4.2 / b,
          mean,
          other_mean,
          binomial_logarithm(trials.count, mode, mean, other_mean)};
}
CUPOLA_FN Proposal propose(const BinomialSampler& sampler, const PhiloxBlock& block) {
  const double u = first_of(block) - 0.5;
  const double v = second_of(block);
  const double distance = 0.5 - absolute(u);
  const double edge = distance > 0x1p-54 ? distance : 0x1p-54;
  const double k = floor((2 * sampler.a / edge + sampler.b) * u + sampler.center);
  const double inside = limited(k, 0, sampler.trials.count);
  const double logarithm =
      binomial_logarithm(sampler.trials.count, inside, sampler.mean, sampler.other_mean) -
      sampler.most_likely;
  const double hat = v * sampler.alpha / (sampler.a / (edge * edge) + sampler.b);
  const double sure = edge >= 0.07 ? sampler.sure - v : -1;
  const double surplus = sure >= 0 ? sure : logarithm - log_of_unit(hat);
  return {k, k == inside ? surplus : -1};
}
CUPOLA_FN int64_t value_of(const BinomialSampler& sampler, uint64_t, double value) {
  return outcome(sampler.trials, value);
}

// An urn of `few` and `many` balls, of which `drawn` are taken, at most half of all.
struct Urn {
  int64_t good, drawn;
  double few, many, total, taken;
  bool is_good_many, is_rest_asked;
};
// The numbers of good and of bad balls, below 2^32, are the upper and the lower half of `balls`.
CUPOLA_FN Urn urn_of(uint64_t balls, int64_t sample) {
  const auto good = static_cast<int64_t>(balls >> 32);
  const auto bad = static_cast<int64_t>(balls & 0xFFFFFFFFu);
  const int64_t total = good + bad;
  const int64_t held = sample < 0 ? 0 : sample < total ? sample : total;
  const int64_t drawn = held < total - held ? held : total - held;
  return {good,
          drawn,
          static_cast<double>(good < bad ? good : bad),
          static_cast<double>(good < bad ? bad : good),
          static_cast<double>(total),
          static_cast<double>(drawn),
          good > bad,
          drawn != held};
}
// How many good balls are in the sample, of k of the few.
CUPOLA_FN int64_t outcome(const Urn& urn, double k) {
  const int64_t few = integer_of(k);
  const int64_t good = urn.is_good_many ? urn.drawn - few : few;
  return urn.is_rest_asked ? urn.good - good : good;
}

struct HypergeometricInversion {
  Urn urn;
  double none, most;
};
CUPOLA_FN bool inverts_hypergeometric(uint64_t balls, int64_t sample) {
  const Urn urn = urn_of(balls, sample);
  return urn.taken < kInvertedMean || urn.few < kInvertedMean;
}
CUPOLA_FN HypergeometricInversion hypergeometric_inversion(uint64_t balls, int64_t sample) {
  const Urn urn = urn_of(balls, sample);
  const double most = urn.taken < urn.few ? urn.taken : urn.few;
  const double others = urn.total - (urn.taken < urn.few ? urn.few : urn.taken);
  double none = 1;
  for (double i = 0; i < most; i += 1) none *= (others - i) / (urn.total - i);
  return {urn, none, most};
}
CUPOLA_FN int64_t direct(const HypergeometricInversion& inversion, uint64_t stream) {
  const Urn& urn = inversion.urn;
  double rest = above_zero(stream);
  double probability = inversion.none;
  double k = 0;
  while (rest > probability && k < inversion.most) {
    rest -= probability;
    const double left = (urn.taken - k) * (urn.few - k);
    k += 1;
    probability *= left / (k * (urn.many - urn.taken + k));
  }
  return outcome(urn, k);
}

struct HypergeometricSampler {
  Urn urn;
  double center, width, bound, most_likely;
};
CUPOLA_FN double hypergeometric_logarithm(const Urn& urn, double k) {
  return 0 - log_factorial(k) - log_factorial(urn.few - k) - log_factorial(urn.taken - k) -
         log_factorial(urn.many - urn.taken + k);
}
CUPOLA_FN HypergeometricSampler hypergeometric_sampler(uint64_t balls, int64_t sample) {
  const Urn urn = urn_of(balls, sample);
  const double share = urn.few / urn.total;
  const double center = urn.taken * share + 0.5;
  const double variance =
      (urn.total - urn.taken) * urn.taken * share * (urn.many / urn.total) / (urn.total - 1);
  const double deviation = sqrt(variance + 0.5);
  const double mode = floor((urn.taken + 1) * (urn.few + 1) / (urn.total + 2));
  const double most = (urn.taken < urn.few ? urn.taken : urn.few) + 1;
  const double far = floor(center + 16 * deviation);
  return {urn, center, 1.7155277699214135 * deviation + 0.8989161620588988, most < far ? most : far,
          hypergeometric_logarithm(urn, mode)};
}
CUPOLA_FN Proposal propose(const HypergeometricSampler& sampler, const PhiloxBlock& block) {
  const double u = first_of(block);
  const double place = sampler.center + sampler.width * (second_of(block) - 0.5) / u;
  const double k = floor(place);
  const double inside = limited(k, 0, sampler.bound - 1);
  const double logarithm = hypergeometric_logarithm(sampler.urn, inside) - sampler.most_likely;
  return {k, k == inside ? logarithm - 2 * log_of_unit(u) : -1};
}
CUPOLA_FN int64_t value_of(const HypergeometricSampler& sampler, uint64_t, double value) {
  return outcome(sampler.urn, value);
}

// ---- the rows

CUPOLA_FN int64_t poisson_of_stream(uint64_t stream, double mean) {
  return inverts_poisson(mean) ? direct(poisson_inversion(mean), stream)
                               : sampled(poisson_sampler(mean), stream);
}
CUPOLA_FN int64_t binomial_of_stream(uint64_t stream, int64_t n, double p) {
  return inverts_binomial(n, p) ? direct(binomial_inversion(n, p), stream)
                                : sampled(binomial_sampler(n, p), stream);
}
CUPOLA_FN int64_t hypergeometric_of_stream(uint64_t stream, uint64_t balls, int64_t sample) {
  return inverts_hypergeometric(balls, sample)
             ? direct(hypergeometric_inversion(balls, sample), stream)
             : sampled(hypergeometric_sampler(balls, sample), stream);
}

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
