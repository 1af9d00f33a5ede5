// How the CPU platform combines elements, with a user's function (src/codegen/user/host_loops.h).
#ifndef CUPOLA_DEVICE_HOST_REDUCTION
#define CUPOLA_DEVICE_HOST_REDUCTION

namespace cupola_host {

constexpr ptrdiff_t kLanes = 64;  // of the platform's tree

template <typename T, typename Function>
inline void tree(const void* elements, ptrdiff_t count, void* result, Function function) {
  const T* const values = static_cast<const T*>(elements);
  if (count < kLanes) {
    T sum = values[0];
    for (ptrdiff_t i = 1; i < count; ++i) sum = function(sum, values[i]);
    *static_cast<T*>(result) = sum;
    return;
  }
  T lanes[kLanes];
  for (ptrdiff_t lane = 0; lane < kLanes; ++lane) lanes[lane] = values[lane];
  ptrdiff_t i = kLanes;
  for (; i + kLanes <= count; i += kLanes) {
    for (ptrdiff_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = function(lanes[lane], values[i + lane]);
    }
  }
  for (ptrdiff_t lane = 0; i + lane < count; ++lane) {
    lanes[lane] = function(lanes[lane], values[i + lane]);
  }
  for (ptrdiff_t half = kLanes / 2; half > 0; half /= 2) {
    for (ptrdiff_t lane = 0; lane < half; ++lane) {
      lanes[lane] = function(lanes[lane], lanes[lane + half]);
    }
  }
  *static_cast<T*>(result) = lanes[0];
}

template <typename T, typename Function>
inline void rows(const void* first, ptrdiff_t row_stride, ptrdiff_t row_count, ptrdiff_t count,
                 void* accumulators, Function function) {
  T* const sums = static_cast<T*>(accumulators);
  for (ptrdiff_t r = 0; r < row_count; ++r) {
    const T* const row = static_cast<const T*>(first) + r * row_stride;
    for (ptrdiff_t i = 0; i < count; ++i) sums[i] = function(sums[i], row[i]);
  }
}

}  // namespace cupola_host

#endif
