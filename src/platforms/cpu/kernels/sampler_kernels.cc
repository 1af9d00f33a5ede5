// Distributions by rejection: proposals of many elements at once, in vectors, and again those of
// the elements whose proposals were refused. Parameters that are the same all over a block are
// prepared once.

#include "platforms/cpu/kernels/target.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

using cupola::UfuncId;

// Rows: the types of the parameters, the sampler, and what is computed without rejection.
struct OneParameter {
  using First = double;
  using Second = double;  // there is none
  static constexpr int kParameters = 1;
};
struct Gamma : OneParameter {
  static constexpr UfuncId kId = UfuncId::random_gamma;
  using Out = double;
  static bool is_direct(double shape, double) { return is_exponential(shape); }
  static ExponentialLimit prepare_direct(double, double) { return {}; }
  static GammaSampler prepare(double shape, double) { return gamma_sampler(shape); }
};
struct LogGamma : OneParameter {
  static constexpr UfuncId kId = UfuncId::random_log_gamma;
  using Out = double;
  static bool is_direct(double, double) { return false; }
  static ExponentialLimit prepare_direct(double, double) { return {}; }
  static LogGammaSampler prepare(double shape, double) { return log_gamma_sampler(shape); }
};
struct Zipf : OneParameter {
  static constexpr UfuncId kId = UfuncId::random_zipf;
  using Out = int64_t;
  static bool is_direct(double a, double) { return is_zipf_limit(a); }
  static ZipfLimit prepare_direct(double, double) { return {}; }
  static ZipfSampler prepare(double a, double) { return zipf_sampler(a); }
};
struct Vonmises : OneParameter {
  static constexpr UfuncId kId = UfuncId::random_vonmises;
  using Out = double;
  static bool is_direct(double kappa, double) { return is_vonmises_limit(kappa); }
  static VonmisesLimit prepare_direct(double kappa, double) { return {kappa}; }
  static VonmisesSampler prepare(double kappa, double) { return vonmises_sampler(kappa); }
};
struct Poisson : OneParameter {
  static constexpr UfuncId kId = UfuncId::random_poisson;
  using Out = int64_t;
  static bool is_direct(double mean, double) { return inverts_poisson(mean); }
  static PoissonInversion prepare_direct(double mean, double) { return poisson_inversion(mean); }
  static PoissonSampler prepare(double mean, double) { return poisson_sampler(mean); }
};
struct Binomial {
  static constexpr UfuncId kId = UfuncId::random_binomial;
  using Out = int64_t;
  using First = int64_t;
  using Second = double;
  static constexpr int kParameters = 2;
  static bool is_direct(int64_t n, double p) { return inverts_binomial(n, p); }
  static BinomialInversion prepare_direct(int64_t n, double p) { return binomial_inversion(n, p); }
  static BinomialSampler prepare(int64_t n, double p) { return binomial_sampler(n, p); }
};
struct Hypergeometric {
  static constexpr UfuncId kId = UfuncId::random_hypergeometric;
  using Out = int64_t;
  using First = uint64_t;
  using Second = int64_t;
  static constexpr int kParameters = 2;
  static bool is_direct(uint64_t balls, int64_t sample) {
    return inverts_hypergeometric(balls, sample);
  }
  static HypergeometricInversion prepare_direct(uint64_t balls, int64_t sample) {
    return hypergeometric_inversion(balls, sample);
  }
  static HypergeometricSampler prepare(uint64_t balls, int64_t sample) {
    return hypergeometric_sampler(balls, sample);
  }
};

constexpr int kBlock = 256;

// The elements of a block for which proposals are made, packed.
template <typename Row>
struct Waiting {
  int count = 0;
  int places[kBlock];
  uint64_t streams[kBlock];
  typename Row::First first[kBlock];
  typename Row::Second second[kBlock];
  double values[kBlock];
  double surpluses[kBlock];

  void add(int place, uint64_t stream, typename Row::First a, typename Row::Second b) {
    places[count] = place;
    streams[count] = stream;
    first[count] = a;
    second[count++] = b;
  }
};

template <typename Sampler>
[[gnu::flatten, gnu::noinline]] void propose_uniform(const Sampler& same, uint32_t number,
                                                     const uint64_t* __restrict streams, int count,
                                                     double* __restrict values,
                                                     double* __restrict surpluses) {
  const Sampler sampler = same;
  CUPOLA_CPU_INDEPENDENT
  for (int i = 0; i < count; ++i) {
    const Proposal made = propose(sampler, block_of_stream(streams[i], number));
    values[i] = made.value;
    surpluses[i] = made.surplus;
  }
}
template <typename Row>
[[gnu::flatten, gnu::noinline]] void propose_each(uint32_t number,
                                                  const typename Row::First* __restrict first,
                                                  const typename Row::Second* __restrict second,
                                                  const uint64_t* __restrict streams, int count,
                                                  double* __restrict values,
                                                  double* __restrict surpluses) {
  CUPOLA_CPU_INDEPENDENT
  for (int i = 0; i < count; ++i) {
    const auto sampler = Row::prepare(first[i], second[i]);
    const Proposal made = propose(sampler, block_of_stream(streams[i], number));
    values[i] = made.value;
    surpluses[i] = made.surplus;
  }
}

// The values that are accepted go to their places; the other elements move up.
template <typename Row>
void sort_out(Waiting<Row>& waiting, double* values, bool is_last) {
  int left = 0;
  for (int i = 0; i < waiting.count; ++i) {
    values[waiting.places[i]] = waiting.values[i];
    waiting.places[left] = waiting.places[i];
    waiting.streams[left] = waiting.streams[i];
    waiting.first[left] = waiting.first[i];
    waiting.second[left] = waiting.second[i];
    left += waiting.surpluses[i] >= 0 ? 0 : 1;
  }
  waiting.count = is_last ? 0 : left;
}

template <typename Row, typename Sampler>
[[gnu::flatten, gnu::noinline]] void finish_uniform(const Sampler& same, const uint64_t* streams,
                                                    const double* values, typename Row::Out* out,
                                                    int count) {
  const Sampler sampler = same;
  CUPOLA_CPU_INDEPENDENT
  for (int i = 0; i < count; ++i) out[i] = value_of(sampler, streams[i], values[i]);
}

// Small shapes as constants, so that there is no choice left in the loop.
struct SmallGamma {
  GammaSampler gamma;
};
double value_of(const SmallGamma& sampler, uint64_t stream, double value) {
  const GammaSampler& given = sampler.gamma;
  return value_of(GammaSampler{given.shape, given.d, given.c, true, true}, stream, value);
}
struct SmallLogGamma {
  GammaSampler gamma;
};
double value_of(const SmallLogGamma& sampler, uint64_t stream, double value) {
  const GammaSampler& given = sampler.gamma;
  return value_of(LogGammaSampler{{given.shape, given.d, given.c, true, true}}, stream, value);
}

template <typename Row, typename Sampler>
void finish(const Sampler& sampler, const uint64_t* streams, const double* values,
            typename Row::Out* out, int count) {
  if constexpr (is_same<Sampler, GammaSampler>) {
    if (sampler.is_usual && sampler.is_small) {
      return finish_uniform<Row>(SmallGamma{sampler}, streams, values, out, count);
    }
  } else if constexpr (is_same<Sampler, LogGammaSampler>) {
    if (sampler.gamma.is_usual && sampler.gamma.is_small) {
      return finish_uniform<Row>(SmallLogGamma{sampler.gamma}, streams, values, out, count);
    }
  }
  finish_uniform<Row>(sampler, streams, values, out, count);
}

template <typename Row, typename Prepared>
[[gnu::flatten, gnu::noinline]] void fill_prepared(const Prepared& same, const uint64_t* streams,
                                                   typename Row::Out* out, int count) {
  const Prepared prepared = same;
  CUPOLA_CPU_INDEPENDENT
  for (int i = 0; i < count; ++i)
    out[i] = static_cast<typename Row::Out>(direct(prepared, streams[i]));
}

template <typename Row>
void fill_directly(const uint64_t* streams, typename Row::First a, typename Row::Second b,
                   typename Row::Out* out, int count) {
  if constexpr (is_same<Row, Vonmises>) {
    // A choice in each number would keep vectors away.
    if (a > 1) return fill_prepared<Row>(VonmisesLine{a}, streams, out, count);
  }
  fill_prepared<Row>(Row::prepare_direct(a, b), streams, out, count);
}

template <typename Row>
struct Inputs {
  const uint64_t* streams;
  const typename Row::First* first;
  const typename Row::Second* second;  // null: no such parameter
  typename Row::Second second_at(int i) const {
    return second != nullptr ? second[i] : typename Row::Second{};
  }
  bool are_uniform(int count) const {
    bool same = true;
    for (int i = 1; i < count; ++i) same &= first[i] == first[0];
    for (int i = 1; second != nullptr && i < count; ++i) same &= second[i] == second[0];
    return same;
  }
};

template <typename Row>
void fill_uniform(const Inputs<Row>& in, typename Row::Out* out, int count) {
  const auto a = in.first[0];
  const auto b = in.second_at(0);
  if (Row::is_direct(a, b)) return fill_directly<Row>(in.streams, a, b, out, count);
  Waiting<Row> waiting;
  double values[kBlock];
  for (int i = 0; i < count; ++i) waiting.add(i, in.streams[i], a, b);
  const auto sampler = Row::prepare(a, b);
  for (uint32_t number = 0; waiting.count != 0; ++number) {
    propose_uniform(sampler, number, waiting.streams, waiting.count, waiting.values,
                    waiting.surpluses);
    sort_out(waiting, values, number + 1 == kMostProposals);
  }
  finish<Row>(sampler, in.streams, values, out, count);
}

template <typename Row>
void fill_each(const Inputs<Row>& in, typename Row::Out* out, int count) {
  Waiting<Row> waiting;
  double values[kBlock];
  for (int i = 0; i < count; ++i) {
    const auto a = in.first[i];
    const auto b = in.second_at(i);
    if (Row::is_direct(a, b)) {
      fill_directly<Row>(in.streams + i, a, b, out + i, 1);
    } else {
      waiting.add(i, in.streams[i], a, b);
    }
  }
  for (uint32_t number = 0; waiting.count != 0; ++number) {
    propose_each<Row>(number, waiting.first, waiting.second, waiting.streams, waiting.count,
                      waiting.values, waiting.surpluses);
    sort_out(waiting, values, number + 1 == kMostProposals);
  }
  for (int i = 0; i < count; ++i) {
    const auto a = in.first[i];
    const auto b = in.second_at(i);
    if (Row::is_direct(a, b)) continue;
    out[i] = value_of(Row::prepare(a, b), in.streams[i], values[i]);
  }
}

template <typename Row>
void sampler_loop(const void* const* inputs, void* output, int64_t count) {
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int size = count - begin < kBlock ? static_cast<int>(count - begin) : kBlock;
    const Inputs<Row> in{static_cast<const uint64_t*>(inputs[0]) + begin,
                         static_cast<const typename Row::First*>(inputs[1]) + begin,
                         Row::kParameters == 1
                             ? nullptr
                             : static_cast<const typename Row::Second*>(inputs[2]) + begin};
    auto* const out = static_cast<typename Row::Out*>(output) + begin;
    if (in.are_uniform(size)) {
      fill_uniform(in, out, size);
    } else {
      fill_each(in, out, size);
    }
  }
}

[[gnu::flatten, gnu::noinline]] void second_numbers(const uint64_t* __restrict streams, int count,
                                                    double* __restrict numbers) {
  CUPOLA_CPU_INDEPENDENT
  for (int i = 0; i < count; ++i) numbers[i] = second_of(block_of_stream(streams[i], 0));
}
[[gnu::flatten, gnu::noinline]] void logseries_each(const uint64_t* __restrict streams,
                                                    const double* __restrict p, int count,
                                                    int64_t* __restrict results) {
  CUPOLA_CPU_INDEPENDENT
  for (int i = 0; i < count; ++i) results[i] = logseries_of_stream(streams[i], p[i]);
}
// Where the second number of a stream is not below p, the result is 1: for small p almost always.
void logseries_loop(const void* const* inputs, void* output, int64_t count) {
  const auto* const streams = static_cast<const uint64_t*>(inputs[0]);
  const auto* const p = static_cast<const double*>(inputs[1]);
  auto* const out = static_cast<int64_t*>(output);
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int size = count - begin < kBlock ? static_cast<int>(count - begin) : kBlock;
    double numbers[kBlock], shares[kBlock];
    uint64_t left[kBlock];
    int64_t places[kBlock], results[kBlock];
    second_numbers(streams + begin, size, numbers);
    int waiting = 0;
    for (int i = 0; i < size; ++i) {
      out[begin + i] = 1;
      left[waiting] = streams[begin + i];
      shares[waiting] = p[begin + i];
      places[waiting] = begin + i;
      waiting += numbers[i] >= p[begin + i] ? 0 : 1;
    }
    logseries_each(left, shares, waiting, results);
    for (int i = 0; i < waiting; ++i) out[places[i]] = results[i];
  }
}

template <typename... Rows>
void replace_loops(cupola::cpu::KernelTables& tables) {
  ((tables.ufuncs[static_cast<int>(Rows::kId)][0][0] = sampler_loop<Rows>), ...);
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE

namespace cupola::cpu {

void CUPOLA_CPU_JOIN(add_sampler_kernels_, CUPOLA_CPU_TARGET)(KernelTables& tables) {
  using namespace CUPOLA_DEVICE_NAMESPACE;
  replace_loops<Gamma, LogGamma, Zipf, Vonmises, Poisson, Binomial, Hypergeometric>(tables);
  tables.ufuncs[static_cast<int>(UfuncId::random_logseries)][0][0] = logseries_loop;
}

}  // namespace cupola::cpu
