#include "platforms/cpu/streams/stream_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace cupola::cpu {

#ifdef __SSE2__

void stream_copy(void* target, const void* source, std::size_t bytes) noexcept {
  constexpr std::size_t kLine = 64;
  auto* to = static_cast<char*>(target);
  const auto* from = static_cast<const char*>(source);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(to) % kLine;
  const std::size_t head = past == 0 ? 0 : std::min(bytes, kLine - past);
  std::memcpy(to, from, head);
  std::size_t done = head;
  for (; done + kLine <= bytes; done += kLine) {
    for (std::size_t i = done; i < done + kLine; i += sizeof(__m128i)) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    }
  }
  std::memcpy(to + done, from + done, bytes - done);
}

void finish_stream_copies() noexcept { _mm_sfence(); }

#else

void stream_copy(void* target, const void* source, std::size_t bytes) noexcept {
  std::memcpy(target, source, bytes);
}

void finish_stream_copies() noexcept {}

#endif

}  // namespace cupola::cpu
