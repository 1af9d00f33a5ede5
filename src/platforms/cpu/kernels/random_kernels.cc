// Random numbers of neighbours, block by block: the loops of ufunc_kernels.cc compute a block of
// Philox once for each of the elements that share it.

#include "platforms/cpu/kernels/target.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

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
    uint64_t differences = 0;  // in bits, which vectors join
    for (int64_t i = begin; i < begin + count; ++i) {
      differences |= static_cast<uint64_t>(positions[i] ^ (first + (i - begin))) |
                     (keys[i] ^ keys[begin]) | (draws[i] ^ draws[begin]);
    }
    const uint64_t block = static_cast<uint64_t>(first) / static_cast<uint64_t>(shared);
    return differences == 0 && static_cast<uint32_t>(block) < 0xFFFFFF00u;
  }
};

template <typename Kind>
void fill_singly(const Inputs& in, typename Kind::Out* out, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    out[i] = Kind::single(in.positions[i], in.keys[i], in.draws[i]);
  }
}

// Words of a vector, and vectors side by side: as many as registers hold.
#if defined(__AVX512F__)
constexpr uint32_t kWide = 8;
constexpr uint32_t kPhiloxVectors = 4;
#elif defined(__AVX2__)
constexpr uint32_t kWide = 4;
constexpr uint32_t kPhiloxVectors = 2;
#else
constexpr uint32_t kWide = 2;
constexpr uint32_t kPhiloxVectors = 2;
#endif
typedef uint64_t WideWords __attribute__((vector_size(8 * kWide)));
typedef uint32_t NarrowWords __attribute__((vector_size(4 * kWide)));

// Of the lower words: all but those of the operands are ignored.
[[gnu::always_inline]] inline WideWords wide_products(WideWords a, WideWords b) {
#if defined(__AVX512F__)
  // g++ 12 warns of the form without a mask, which reads an undefined register.
  return (WideWords)_mm512_maskz_mul_epu32(0xFF, (__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (WideWords)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__x86_64__)
  return (WideWords)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu);
#endif
}

[[gnu::always_inline]] inline void store_narrow(const WideWords& words, uint32_t* to) {
  const auto narrow = __builtin_convertvector(words, NarrowWords);
  __builtin_memcpy(to, &narrow, sizeof narrow);
}

static_assert(kBlocks % (kPhiloxVectors * kWide) == 0);
struct BlockWords {
  alignas(64) uint32_t x[kBlocks], y[kBlocks], z[kBlocks], w[kBlocks];
};

// philox() of neighbouring counters. A word takes 64 bits, of which the upper half is anything:
// products need no words to be spread out and gathered then. Vectors go side by side, since each
// round waits for its products.
[[gnu::noinline]] void wide_philox(const PhiloxBlock& first, uint64_t key, uint32_t blocks,
                                   BlockWords& words) {
  WideWords steps{};
  for (uint32_t i = 0; i < kWide; ++i) steps[i] = i;
  for (uint32_t at = 0; at < blocks; at += kPhiloxVectors * kWide) {
    WideWords x[kPhiloxVectors], y[kPhiloxVectors], z[kPhiloxVectors], w[kPhiloxVectors];
#pragma GCC unroll 4
    for (uint32_t v = 0; v < kPhiloxVectors; ++v) {
      x[v] = steps + (first.x + at + v * kWide);
      y[v] = first.y - WideWords{};
      z[v] = first.z - WideWords{};
      w[v] = first.w - WideWords{};
    }
    auto key_x = static_cast<uint32_t>(key), key_y = static_cast<uint32_t>(key >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 4
      for (uint32_t v = 0; v < kPhiloxVectors; ++v) {
        const WideWords a = wide_products(x[v], 0xD2511F53u - WideWords{});
        const WideWords b = wide_products(z[v], 0xCD9E8D57u - WideWords{});
        x[v] = (b >> 32) ^ y[v] ^ key_x;
        z[v] = (a >> 32) ^ w[v] ^ key_y;
        y[v] = b;
        w[v] = a;
      }
      key_x += 0x9E3779B9u;
      key_y += 0xBB67AE85u;
    }
#pragma GCC unroll 4
    for (uint32_t v = 0; v < kPhiloxVectors; ++v) {
      const uint32_t to = at + v * kWide;
      store_narrow(x[v], words.x + to);
      store_narrow(y[v], words.y + to);
      store_narrow(z[v], words.z + to);
      store_narrow(w[v], words.w + to);
    }
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
  BlockWords words;
  wide_philox(first, key, blocks, words);
  CUPOLA_CPU_INDEPENDENT
  for (uint32_t i = 0; i < blocks; ++i) {
    Kind::fill({words.x[i], words.y[i], words.z[i], words.w[i]}, apart + i);
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
