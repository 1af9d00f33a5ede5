#include "base/copy_apart.h"

#include <cstdint>
#include <cstring>

namespace cupola {
namespace {

#ifdef __x86_64__

using Vector = unsigned char __attribute__((vector_size(16), aligned(1), may_alias));
constexpr int kVectors = 8;

// The C library copies thousands of bytes by `rep movsb`. Processors of AMD take 25 times as long
// for that where the target, but for whole pages, begins a few bytes after the source.
bool is_slow_by_string(const void* target, const void* source, std::size_t bytes) {
  constexpr std::uintptr_t kPage = 4096, kSlow = 32;
  constexpr std::size_t kFewest = 2048;  // the C library copies fewer by vectors
  const std::uintptr_t apart =
      reinterpret_cast<std::uintptr_t>(target) - reinterpret_cast<std::uintptr_t>(source);
  return bytes >= kFewest && apart % kPage != 0 && apart % kPage < kSlow;
}

// All vectors are loaded before the first is stored: processors take a load for one of what was
// stored just before where the addresses agree in their last 12 bits, and wait.
void copy_vectors(char* target, const char* source) {
  Vector held[kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kVectors; ++i) held[i] = reinterpret_cast<const Vector*>(source)[i];
  asm volatile("" ::: "memory");
#pragma GCC unroll 8
  for (int i = 0; i < kVectors; ++i) reinterpret_cast<Vector*>(target)[i] = held[i];
}

// How many bytes it copied, from the first one on.
std::size_t copy_slow_ones(char* target, const char* source, std::size_t bytes) {
  constexpr std::size_t kStep = kVectors * sizeof(Vector);
  std::size_t done = 0;
  if (!is_slow_by_string(target, source, bytes)) return done;
  for (; done + kStep <= bytes; done += kStep) copy_vectors(target + done, source + done);
  return done;
}

#else

std::size_t copy_slow_ones(char*, const char*, std::size_t) { return 0; }

#endif

}  // namespace

void copy_apart(void* target, const void* source, std::size_t bytes) noexcept {
  auto* const to = static_cast<char*>(target);
  const auto* const from = static_cast<const char*>(source);
  const std::size_t done = copy_slow_ones(to, from, bytes);
  std::memcpy(to + done, from + done, bytes - done);
}

}  // namespace cupola
