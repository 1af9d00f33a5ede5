// Philox4x32-10: 128 random bits as a function of a counter of 128 bits and a key of 64.
// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).
#ifndef CUPOLA_DEVICE_PHILOX
#define CUPOLA_DEVICE_PHILOX

#ifndef __CUDACC_RTC__
#include "codegen/device/types.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

// Four words: a counter, or what becomes of it.
struct PhiloxBlock {
  uint32_t x, y, z, w;
};

struct WordProduct {
  uint32_t high, low;
};

CUPOLA_FN WordProduct product_of_words(uint32_t a, uint32_t b) {
#ifdef __CUDA_ARCH__
  return {__umulhi(a, b), a * b};  // of a product of 64 bits, the compiler makes more of them
#else
  const uint64_t product = uint64_t(a) * b;
  return {static_cast<uint32_t>(product >> 32), static_cast<uint32_t>(product)};
#endif
}

CUPOLA_FN PhiloxBlock philox_round(PhiloxBlock block, uint32_t key_x, uint32_t key_y) {
  const WordProduct a = product_of_words(0xD2511F53u, block.x);
  const WordProduct b = product_of_words(0xCD9E8D57u, block.z);
  return {b.high ^ block.y ^ key_x, b.low, a.high ^ block.w ^ key_y, a.low};
}

// The key's lower word is the first one.
CUPOLA_FN PhiloxBlock philox(PhiloxBlock counter, uint64_t key) {
  auto key_x = static_cast<uint32_t>(key);
  auto key_y = static_cast<uint32_t>(key >> 32);
  PhiloxBlock block = philox_round(counter, key_x, key_y);
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#pragma unroll
#else
#pragma GCC unroll 9
#endif
  for (int round = 1; round < 10; ++round) {
    key_x += 0x9E3779B9u;
    key_y += 0xBB67AE85u;
    block = philox_round(block, key_x, key_y);
  }
  return block;
}

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
