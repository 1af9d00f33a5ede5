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

CUPOLA_FN PhiloxBlock philox_round(PhiloxBlock block, uint32_t key_x, uint32_t key_y) {
  const uint64_t a = uint64_t(0xD2511F53u) * block.x;
  const uint64_t b = uint64_t(0xCD9E8D57u) * block.z;
  return {static_cast<uint32_t>(b >> 32) ^ block.y ^ key_x, static_cast<uint32_t>(b),
          static_cast<uint32_t>(a >> 32) ^ block.w ^ key_y, static_cast<uint32_t>(a)};
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
