// Methods of rejection. An element has a stream of its own: 64 random bits, the key of blocks that
// are counted from zero. A sampler is what its parameters give; it makes a proposal of every block
// and takes the first that is accepted. The same for all elements of a call or not, the loops of
// the CPU compute proposals of many elements at once (platforms/cpu/kernels/sampler_loop.h).
//
// A sampler S has
//   Proposal propose(const S&, const PhiloxBlock&)       without branches
//   value_of(const S&, stream, value)                     what is made of the accepted value
#ifndef CUPOLA_DEVICE_RANDOM_STREAMS
#define CUPOLA_DEVICE_RANDOM_STREAMS

#ifndef __CUDACC_RTC__
#include "codegen/device/random_math.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

// A number and whether it is accepted, as one that is not negative: compilers make vectors of
// choices between doubles.
struct Proposal {
  double value;
  double surplus;
};
CUPOLA_FN bool is_accepted(const Proposal& made) { return made.surplus >= 0; }

// Of proposals half are accepted at least, so that these are never refused together; parameters
// that are not numbers must not keep a device busy.
inline constexpr uint32_t kMostProposals = 200;

CUPOLA_FN PhiloxBlock block_of_stream(uint64_t stream, uint32_t number) {
  return philox({number, 0, 0, 0}, stream);
}

// (bits + 1/2) / 2^32, exact.
CUPOLA_FN double word_above_zero(uint32_t bits) {
  const auto high = static_cast<double>(static_cast<int32_t>(bits >> 1));
  const auto low = static_cast<double>(static_cast<int32_t>(bits & 1));
  return high * 0x1p-31 + (low * 0x1p-32 + 0x1p-33);
}
CUPOLA_FN double first_of(const PhiloxBlock& block) {
  return above_zero(joined_words(block.x, block.y));
}
CUPOLA_FN double second_of(const PhiloxBlock& block) {
  return above_zero(joined_words(block.z, block.w));
}

// A double as an integer of 64 bits, the nearest one that there is. NaN gives 0.
CUPOLA_FN int64_t integer_of(double x) {
  return x == x ? static_cast<int64_t>(limited(x, -0x1p63, 0x1.fffffffffffffp62)) : 0;
}

template <typename Sampler>
CUPOLA_FN auto sampled(const Sampler& sampler, uint64_t stream) {
  uint32_t number = 0;
  Proposal made = propose(sampler, block_of_stream(stream, number));
  while (!is_accepted(made) && ++number < kMostProposals) {
    made = propose(sampler, block_of_stream(stream, number));
  }
  return value_of(sampler, stream, made.value);
}

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
