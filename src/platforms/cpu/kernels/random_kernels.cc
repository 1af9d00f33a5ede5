// Random numbers of neighbours, block by block: the loops of ufunc_kernels.cc compute a block of
// Philox once for each of the elements that share it.

#include "platforms/cpu/kernels/target.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

using cupola::UfuncId;

constexpr uint32_t kChunk = 256;
// The numbers of a block are put so far from each other: g++ makes no vectors of loops that store
// neighbours.
constexpr uint32_t kBlocks = 128;

struct Bits32 {
  using Out = uint32_t;
  static constexpr UfuncId kId = UfuncId::random_uint32;
  static Out single(int64_t a, uint64_t b, uint64_t c) { return random_uint32(a, b, c); }
  [[gnu::always_inline]] static inline void fill(const PhiloxBlock& block, Out* out) {
    out[0] = block.x;
    out[1 * kBlocks] = block.y;
    out[2 * kBlocks] = block.z;
    out[3 * kBlocks] = block.w;
  }
};
struct Bits64 {
  using Out = uint64_t;
  static constexpr UfuncId kId = UfuncId::random_uint64;
  static Out single(int64_t a, uint64_t b, uint64_t c) { return random_uint64(a, b, c); }
  [[gnu::always_inline]] static inline void fill(const PhiloxBlock& block, Out* out) {
    out[0] = joined_words(block.x, block.y);
    out[1 * kBlocks] = joined_words(block.z, block.w);
  }
};
struct Uniform32 {
  using Out = float;
  static constexpr UfuncId kId = UfuncId::random_float32;
  static Out single(int64_t a, uint64_t b, uint64_t c) { return random_float32(a, b, c); }
  [[gnu::always_inline]] static inline void fill(const PhiloxBlock& block, Out* out) {
    out[0] = unit_interval(block.x);
    out[1 * kBlocks] = unit_interval(block.y);
    out[2 * kBlocks] = unit_interval(block.z);
    out[3 * kBlocks] = unit_interval(block.w);
  }
};
struct Uniform64 {
  using Out = double;
  static constexpr UfuncId kId = UfuncId::random_float64;
  static Out single(int64_t a, uint64_t b, uint64_t c) { return random_float64(a, b, c); }
  [[gnu::always_inline]] static inline void fill(const PhiloxBlock& block, Out* out) {
    out[0] = unit_interval(joined_words(block.x, block.y));
    out[1 * kBlocks] = unit_interval(joined_words(block.z, block.w));
  }
};
struct Normal32 {
  using Out = float;
  static constexpr UfuncId kId = UfuncId::normal_float32;
  static Out single(int64_t a, uint64_t b, uint64_t c) { return normal_float32(a, b, c); }
  [[gnu::always_inline]] static inline void fill(const PhiloxBlock& block, Out* out) {
    out[0] = normal_number(block.x, block.y, false);
    out[1 * kBlocks] = normal_number(block.x, block.y, true);
    out[2 * kBlocks] = normal_number(block.z, block.w, false);
    out[3 * kBlocks] = normal_number(block.z, block.w, true);
  }
};
struct Normal64 {
  using Out = double;
  static constexpr UfuncId kId = UfuncId::normal_float64;
  static Out single(int64_t a, uint64_t b, uint64_t c) { return normal_float64(a, b, c); }
  [[gnu::always_inline]] static inline void fill(const PhiloxBlock& block, Out* out) {
    const uint64_t radius = joined_words(block.x, block.y);
    const uint64_t turns = joined_words(block.z, block.w);
    out[0] = normal_number(radius, turns, false);
    out[1 * kBlocks] = normal_number(radius, turns, true);
  }
};
struct Exponential32 {
  using Out = float;
  static constexpr UfuncId kId = UfuncId::exponential_float32;
  static Out single(int64_t a, uint64_t b, uint64_t c) { return exponential_float32(a, b, c); }
  [[gnu::always_inline]] static inline void fill(const PhiloxBlock& block, Out* out) {
    out[0] = exponential_number(block.x);
    out[1 * kBlocks] = exponential_number(block.y);
    out[2 * kBlocks] = exponential_number(block.z);
    out[3 * kBlocks] = exponential_number(block.w);
  }
};
struct Exponential64 {
  using Out = double;
  static constexpr UfuncId kId = UfuncId::exponential_float64;
  static Out single(int64_t a, uint64_t b, uint64_t c) { return exponential_float64(a, b, c); }
  [[gnu::always_inline]] static inline void fill(const PhiloxBlock& block, Out* out) {
    out[0] = exponential_number(joined_words(block.x, block.y));
    out[1 * kBlocks] = exponential_number(joined_words(block.z, block.w));
  }
};

struct Inputs {
  const int64_t* positions;
  const uint64_t* keys;
  const uint64_t* draws;

  // Consecutive positions of one key and draw, whose blocks differ in the lower word alone.
  bool are_neighbours(int64_t begin, int64_t count, int shared) const {
    const int64_t first = positions[begin];
    bool same = true;
    for (int64_t i = 0; i < count; ++i) {
      same &= (positions[begin + i] == first + i) & (keys[begin + i] == keys[begin]) &
              (draws[begin + i] == draws[begin]);
    }
    const uint64_t block = static_cast<uint64_t>(first) / static_cast<uint64_t>(shared);
    return same && static_cast<uint32_t>(block) < 0xFFFFFF00u;
  }
};

template <typename Kind>
void fill_singly(const Inputs& in, typename Kind::Out* out, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    out[i] = Kind::single(in.positions[i], in.keys[i], in.draws[i]);
  }
}

// Flat, as it makes no vectors of loops that call functions either.
template <typename Kind>
[[gnu::flatten, gnu::noinline]] void fill_blocks(const PhiloxBlock& first, uint64_t key,
                                                 uint32_t blocks,
                                                 typename Kind::Out* __restrict out) {
  using Out = typename Kind::Out;
  constexpr uint32_t kShared = 16 / sizeof(Out);
  alignas(64) Out apart[kShared * kBlocks];
  const PhiloxBlock counter = first;
  CUPOLA_CPU_INDEPENDENT
  for (uint32_t i = 0; i < blocks; ++i) {
    Kind::fill(philox({counter.x + i, counter.y, counter.z, counter.w}, key), apart + i);
  }
  CUPOLA_CPU_INDEPENDENT
  for (uint32_t i = 0; i < blocks; ++i) {
    for (uint32_t k = 0; k < kShared; ++k) out[kShared * i + k] = apart[k * kBlocks + i];
  }
}

template <typename Kind>
void random_loop(const void* const* inputs, void* output, int64_t count) {
  constexpr int kShared = 16 / sizeof(typename Kind::Out);
  const Inputs in{static_cast<const int64_t*>(inputs[0]), static_cast<const uint64_t*>(inputs[1]),
                  static_cast<const uint64_t*>(inputs[2])};
  auto* out = static_cast<typename Kind::Out*>(output);
  for (int64_t begin = 0; begin < count; begin += kChunk) {
    const int64_t end = count - begin < int64_t{kChunk} ? count : begin + kChunk;
    const int64_t ahead = -in.positions[begin] & (kShared - 1);
    if (begin + ahead + kShared > end || !in.are_neighbours(begin, end - begin, kShared)) {
      fill_singly<Kind>(in, out, begin, end);
      continue;
    }
    const int64_t first = begin + ahead;
    const auto blocks = static_cast<uint32_t>((end - first) / kShared);
    const auto number = static_cast<uint64_t>(in.positions[first]) / kShared;
    const auto low = static_cast<uint32_t>(number);
    const auto high = static_cast<uint32_t>(number >> 32);
    const uint64_t key = in.keys[begin];
    const auto draw_low = static_cast<uint32_t>(in.draws[begin]);
    const auto draw_high = static_cast<uint32_t>(in.draws[begin] >> 32);
    fill_singly<Kind>(in, out, begin, first);
    fill_blocks<Kind>({low, high, draw_low, draw_high}, key, blocks, out + first);
    fill_singly<Kind>(in, out, first + static_cast<int64_t>(blocks) * kShared, end);
  }
}

template <typename... Kinds>
void replace_loops(cupola::cpu::KernelTables& tables) {
  ((tables.ufuncs[static_cast<int>(Kinds::kId)][0][0] = random_loop<Kinds>), ...);
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE

namespace cupola::cpu {

void CUPOLA_CPU_JOIN(add_random_kernels_, CUPOLA_CPU_TARGET)(KernelTables& tables) {
  using namespace CUPOLA_DEVICE_NAMESPACE;
  replace_loops<Bits32, Bits64, Uniform32, Uniform64, Normal32, Normal64, Exponential32,
                Exponential64>(tables);
}

}  // namespace cupola::cpu
