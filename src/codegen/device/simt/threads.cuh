// CUDA's threads for the host compiler: indices, barriers, votes and shuffles.
#ifndef CUPOLA_DEVICE_SIMT_THREADS
#define CUPOLA_DEVICE_SIMT_THREADS

#include "codegen/device/host/vector_types.cuh"
#include "codegen/device/simt/thread.cuh"

#define CUPOLA_SIMT_FN __attribute__((always_inline)) inline

namespace cupola_simt {

CUPOLA_SIMT_FN Thread* self() { return thread_of(__builtin_frame_address(0)); }
CUPOLA_SIMT_FN uint3 as_uint3(const Extents& a) { return {a.x, a.y, a.z}; }
CUPOLA_SIMT_FN dim3 as_dim3(const Extents& a) { return {a.x, a.y, a.z}; }
CUPOLA_SIMT_FN unsigned int lane() { return self()->number % kWarp; }
CUPOLA_SIMT_FN int block(BlockOp op, int value) {
  Thread* const thread = self();
  return thread->services->block(thread, op, value);
}
CUPOLA_SIMT_FN unsigned long long warp(WarpOp op, unsigned int mask, unsigned long long value = 0,
                                       unsigned int source = 0) {
  Thread* const thread = self();
  return thread->services->warp(thread, op, mask, value, source);
}

template <typename T>
CUPOLA_SIMT_FN T shuffle(unsigned int mask, T value, unsigned int source) {
  constexpr int kWords = (sizeof(T) + 7) / 8;
  unsigned long long words[kWords] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (int i = 0; i < kWords; ++i) words[i] = warp(WarpOp::shuffle, mask, words[i], source);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
template <typename T>
CUPOLA_SIMT_FN unsigned long long bits_of(T value) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

// One that waits for what others write leaves them a turn.
CUPOLA_SIMT_FN void spend_patience() {
  Thread* const thread = self();
  if (--thread->patience < 0) thread->services->yield(thread);
}

// In the condition of a loop of a text that reads memory which others write.
CUPOLA_SIMT_FN constexpr bool turn() {
  if (!__builtin_is_constant_evaluated()) spend_patience();
  return true;
}

template <auto Kernel, typename Type>
struct KernelCall;
template <auto Kernel, typename... Parameters>
struct KernelCall<Kernel, void (*)(Parameters...)> {
  static constexpr unsigned long long kSizes[] = {sizeof(Parameters)..., 0};
  template <unsigned long... I>
  __attribute__((no_sanitize("thread"))) static void call(
      void* const* arguments, std::integer_sequence<unsigned long, I...>) {
    Kernel(*static_cast<std::remove_cvref_t<Parameters>*>(arguments[I])...);
  }
  __attribute__((no_sanitize("thread"))) static void run(void* const* arguments) {
    call(arguments, std::make_integer_sequence<unsigned long, sizeof...(Parameters)>());
  }
  static constexpr KernelEntry entry(const char* name) {
    return {name, run, kSizes, sizeof...(Parameters)};
  }
};
template <auto Kernel>
struct KernelOf : KernelCall<Kernel, decltype(Kernel)> {};

}  // namespace cupola_simt

#define threadIdx (cupola_simt::as_uint3(cupola_simt::self()->thread_index))
#define blockIdx (cupola_simt::as_uint3(cupola_simt::self()->block_index))
#define blockDim (cupola_simt::as_dim3(cupola_simt::self()->block_extent))
#define gridDim (cupola_simt::as_dim3(cupola_simt::self()->grid_extent))
constexpr int warpSize = 32;
#define CUPOLA_HOST_FN CUPOLA_SIMT_FN
#define CUPOLA_HOST_BEFORE_ATOMIC() cupola_simt::spend_patience()

CUPOLA_SIMT_FN void __syncthreads() { cupola_simt::block(cupola_simt::BlockOp::sync, 0); }
CUPOLA_SIMT_FN int __syncthreads_count(int vote) {
  return cupola_simt::block(cupola_simt::BlockOp::count, vote);
}
CUPOLA_SIMT_FN int __syncthreads_and(int vote) {
  return cupola_simt::block(cupola_simt::BlockOp::all, vote);
}
CUPOLA_SIMT_FN int __syncthreads_or(int vote) {
  return cupola_simt::block(cupola_simt::BlockOp::any, vote);
}
CUPOLA_SIMT_FN void __syncwarp(unsigned int mask = 0xFFFFFFFFu) {
  cupola_simt::warp(cupola_simt::WarpOp::sync, mask);
}

CUPOLA_SIMT_FN unsigned int __ballot_sync(unsigned int mask, int vote) {
  return static_cast<unsigned int>(cupola_simt::warp(cupola_simt::WarpOp::ballot, mask, vote != 0));
}
CUPOLA_SIMT_FN int __any_sync(unsigned int mask, int vote) {
  return __ballot_sync(mask, vote) != 0;
}
CUPOLA_SIMT_FN int __all_sync(unsigned int mask, int vote) {
  return __ballot_sync(mask, !vote) == 0;
}
CUPOLA_SIMT_FN int __uni_sync(unsigned int mask, int vote) {
  const unsigned int votes = __ballot_sync(mask, vote);
  return votes == 0 || __all_sync(mask, vote);
}
CUPOLA_SIMT_FN unsigned int __activemask() {
  return static_cast<unsigned int>(cupola_simt::warp(cupola_simt::WarpOp::active, 0));
}
template <typename T>
CUPOLA_SIMT_FN unsigned int __match_any_sync(unsigned int mask, T value) {
  return static_cast<unsigned int>(
      cupola_simt::warp(cupola_simt::WarpOp::match, mask, cupola_simt::bits_of(value)));
}
template <typename T>
CUPOLA_SIMT_FN unsigned int __match_all_sync(unsigned int mask, T value, int* is_same) {
  const unsigned int same = __match_any_sync(mask, value);
  *is_same = __all_sync(mask, same == __ballot_sync(mask, 1));
  return *is_same ? same : 0;
}

template <typename T>
CUPOLA_SIMT_FN T __shfl_sync(unsigned int mask, T value, int source, int width = 32) {
  const unsigned int first = cupola_simt::lane() & ~static_cast<unsigned int>(width - 1);
  return cupola_simt::shuffle(
      mask, value,
      first + (static_cast<unsigned int>(source) & static_cast<unsigned int>(width - 1)));
}
template <typename T>
CUPOLA_SIMT_FN T __shfl_up_sync(unsigned int mask, T value, unsigned int distance, int width = 32) {
  const unsigned int lane = cupola_simt::lane(),
                     first = lane & ~static_cast<unsigned int>(width - 1);
  return cupola_simt::shuffle(mask, value, lane - first >= distance ? lane - distance : lane);
}
template <typename T>
CUPOLA_SIMT_FN T __shfl_down_sync(unsigned int mask, T value, unsigned int distance,
                                  int width = 32) {
  const unsigned int lane = cupola_simt::lane(),
                     first = lane & ~static_cast<unsigned int>(width - 1);
  const bool is_inside = lane - first + distance < static_cast<unsigned int>(width);
  return cupola_simt::shuffle(mask, value, is_inside ? lane + distance : lane);
}
template <typename T>
CUPOLA_SIMT_FN T __shfl_xor_sync(unsigned int mask, T value, int bits, int width = 32) {
  const unsigned int lane = cupola_simt::lane(), other = lane ^ static_cast<unsigned int>(bits);
  // A lane of a group before may be read, one of a group behind may not.
  const bool is_behind =
      other >= (lane & ~static_cast<unsigned int>(width - 1)) + static_cast<unsigned int>(width);
  return cupola_simt::shuffle(mask, value, is_behind ? lane : other);
}

#define CUPOLA_SIMT_REDUCE(NAME, T, OP)                                                            \
  CUPOLA_SIMT_FN T NAME(unsigned int mask, T value) {                                              \
    return static_cast<T>(                                                                         \
        cupola_simt::warp(cupola_simt::WarpOp::OP, mask, static_cast<unsigned long long>(value))); \
  }
CUPOLA_SIMT_REDUCE(__reduce_add_sync, int, sum)
CUPOLA_SIMT_REDUCE(__reduce_add_sync, unsigned int, sum)
CUPOLA_SIMT_REDUCE(__reduce_min_sync, int, least)
CUPOLA_SIMT_REDUCE(__reduce_min_sync, unsigned int, least_unsigned)
CUPOLA_SIMT_REDUCE(__reduce_max_sync, int, greatest)
CUPOLA_SIMT_REDUCE(__reduce_max_sync, unsigned int, greatest_unsigned)
CUPOLA_SIMT_REDUCE(__reduce_and_sync, unsigned int, bits_and)
CUPOLA_SIMT_REDUCE(__reduce_or_sync, unsigned int, bits_or)
CUPOLA_SIMT_REDUCE(__reduce_xor_sync, unsigned int, bits_xor)
#undef CUPOLA_SIMT_REDUCE

CUPOLA_SIMT_FN void __nanosleep(unsigned int) {
  cupola_simt::self()->services->yield(cupola_simt::self());
}
CUPOLA_SIMT_FN void __trap() {
  cupola_simt::self()->services->fail(cupola_simt::self(), "__trap() was called");
}
#define assert(CONDITION)                                                 \
  ((CONDITION) ? void()                                                   \
               : cupola_simt::self()->services->fail(cupola_simt::self(), \
                                                     "assertion " #CONDITION " failed"))

CUPOLA_SIMT_FN long long clock64() {
#if defined(__x86_64__)
  return static_cast<long long>(__builtin_ia32_rdtsc());
#else
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
#endif
}
#define clock() clock64()

#endif
