#pragma once
// Strips of operands whose elements along a strip are in two pieces, as those of rolled arrays are.
#include "kernel_strided.cuh"

namespace cupola_device {

// N elements with a stride between them; those from the element `before` on lie `jump` elements
// further. No piece ends in the strip unless 0 < before < N.
template <int N, class T>
CUPOLA_KERNEL_FN Vector<T, N> load_turned(const T* place, long long stride, long long before,
                                          long long jump) {
  if (before <= 0 || before >= N) return load_along<N>(place, stride);
  Vector<T, N> result;
#pragma unroll
  for (int e = 0; e < N; ++e) result.at[e] = place[e * stride + (e < before ? 0 : jump)];
  return result;
}

}  // namespace cupola_device
