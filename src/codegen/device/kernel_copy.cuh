#pragma once
// Bytes of pinned host memory, brought by a few threads of the device.
#include "kernel_support.cuh"

namespace cupola_device {

CUPOLA_KERNEL_FN void copy_from_host(const CopyArguments& p) {
  using Quad = Vector<unsigned int, 4>;
  constexpr int kUnroll = 4;
  constexpr unsigned long long kStep = kCopyBlocks * kCopyThreads;
  const Quad* const source = reinterpret_cast<const Quad*>(p.source);
  Quad* const target = reinterpret_cast<Quad*>(p.target);
  const unsigned long long quads = p.bytes / sizeof(Quad);
  unsigned long long i = blockIdx.x * kCopyThreads + threadIdx.x;
  for (; i + (kUnroll - 1) * kStep < quads; i += kUnroll * kStep) {
    Quad held[kUnroll];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) held[k] = source[i + k * kStep];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) target[i + k * kStep] = held[k];
  }
  for (; i < quads; i += kStep) target[i] = source[i];
  const unsigned long long last = quads * sizeof(Quad) + threadIdx.x;
  if (blockIdx.x == 0 && last < p.bytes) p.target[last] = p.source[last];
}

}  // namespace cupola_device
