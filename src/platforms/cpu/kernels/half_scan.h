#pragma once
// Running sums and products of float16, rounded after each of them, with the conversions of the
// instruction set: their latency is all the time that it takes.

#include "platforms/cpu/kernels/half_blocks.h"
#include "platforms/cpu/kernels/rows.h"

#ifdef __F16C__

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

template <typename Row>
void half_scan_loop(const void* values, int64_t count, void* accumulator, void* prefixes) {
  constexpr int64_t kBlock = 256;
  float wide[kBlock];
  float result = to_float(*static_cast<const float16*>(accumulator));
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t size = count - begin < kBlock ? count - begin : kBlock;
    widen_block(static_cast<const float16*>(values) + begin, wide, size);
    auto* out = static_cast<float16*>(prefixes) + begin;
    for (int64_t i = 0; i < size; ++i) {
      const __m128 exact = _mm_set_ss(Row::Expression::first(result, wide[i]));
      const __m128i rounded = _mm_cvtps_ph(exact, _MM_FROUND_TO_NEAREST_INT);
      out[i].bits = static_cast<uint16_t>(_mm_cvtsi128_si32(rounded));
      result = _mm_cvtss_f32(_mm_cvtph_ps(rounded));
    }
  }
  *static_cast<float16*>(accumulator) = to_float16(result);
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
