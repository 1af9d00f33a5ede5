// What the compiler calls for each access to memory where it was told to watch them
// (-fsanitize=thread): each goes to the library, with the place that it comes from.
#ifndef CUPOLA_DEVICE_SIMT_CHECKS
#define CUPOLA_DEVICE_SIMT_CHECKS

#include "codegen/device/simt/thread.cuh"

#define CUPOLA_UNCHECKED \
  extern "C" __attribute__((no_sanitize("thread"), visibility("hidden"), used, noinline))

namespace cupola_simt {
__attribute__((always_inline, no_sanitize("thread"))) inline void check(const volatile void* place,
                                                                        unsigned long bytes,
                                                                        Access access,
                                                                        const void* caller) {
  Thread* const thread = thread_of(__builtin_frame_address(0));
  thread->services->access(thread, const_cast<const void*>(place), bytes, access, caller);
}
}  // namespace cupola_simt

CUPOLA_UNCHECKED void __tsan_init() {}
CUPOLA_UNCHECKED void __tsan_func_entry(void*) {}
CUPOLA_UNCHECKED void __tsan_func_exit(void*) {}
CUPOLA_UNCHECKED void __tsan_vptr_update(void**, void*) {}
CUPOLA_UNCHECKED void __tsan_vptr_read(void**) {}
#define CUPOLA_CHECK(NAME, BYTES, ACCESS)                                                       \
  CUPOLA_UNCHECKED void __tsan_##NAME(void* place) {                                            \
    cupola_simt::check(place, BYTES, cupola_simt::Access::ACCESS, __builtin_return_address(0)); \
  }
#define CUPOLA_CHECK_SIZE(BYTES)                   \
  CUPOLA_CHECK(read##BYTES, BYTES, read)           \
  CUPOLA_CHECK(write##BYTES, BYTES, write)         \
  CUPOLA_CHECK(unaligned_read##BYTES, BYTES, read) \
  CUPOLA_CHECK(unaligned_write##BYTES, BYTES, write)
CUPOLA_CHECK_SIZE(1)
CUPOLA_CHECK_SIZE(2)
CUPOLA_CHECK_SIZE(4)
CUPOLA_CHECK_SIZE(8)
CUPOLA_CHECK_SIZE(16)
#undef CUPOLA_CHECK_SIZE
#undef CUPOLA_CHECK
CUPOLA_UNCHECKED void __tsan_read_range(void* place, unsigned long bytes) {
  cupola_simt::check(place, bytes, cupola_simt::Access::read, __builtin_return_address(0));
}
CUPOLA_UNCHECKED void __tsan_write_range(void* place, unsigned long bytes) {
  cupola_simt::check(place, bytes, cupola_simt::Access::write, __builtin_return_address(0));
}

#define CUPOLA_CHECK_ATOMIC                                              \
  cupola_simt::check(place, sizeof(*place), cupola_simt::Access::atomic, \
                     __builtin_return_address(0))
#define CUPOLA_CHECK_FETCH(T, BITS, NAME, BUILTIN)                                   \
  CUPOLA_UNCHECKED T __tsan_atomic##BITS##_##NAME(volatile T* place, T value, int) { \
    CUPOLA_CHECK_ATOMIC;                                                             \
    return BUILTIN(place, value, __ATOMIC_SEQ_CST);                                  \
  }
#define CUPOLA_CHECK_EXCHANGE(T, BITS, NAME)                                                      \
  CUPOLA_UNCHECKED int __tsan_atomic##BITS##_##NAME(volatile T* place, T* expected, T value, int, \
                                                    int) {                                        \
    CUPOLA_CHECK_ATOMIC;                                                                          \
    return __atomic_compare_exchange_n(place, expected, value, false, __ATOMIC_SEQ_CST,           \
                                       __ATOMIC_SEQ_CST);                                         \
  }
#define CUPOLA_CHECK_ATOMICS(T, BITS)                                                          \
  CUPOLA_UNCHECKED T __tsan_atomic##BITS##_load(const volatile T* place, int) {                \
    CUPOLA_CHECK_ATOMIC;                                                                       \
    return __atomic_load_n(place, __ATOMIC_SEQ_CST);                                           \
  }                                                                                            \
  CUPOLA_UNCHECKED void __tsan_atomic##BITS##_store(volatile T* place, T value, int) {         \
    CUPOLA_CHECK_ATOMIC;                                                                       \
    __atomic_store_n(place, value, __ATOMIC_SEQ_CST);                                          \
  }                                                                                            \
  CUPOLA_UNCHECKED T __tsan_atomic##BITS##_compare_exchange_val(volatile T* place, T expected, \
                                                                T value, int, int) {           \
    CUPOLA_CHECK_ATOMIC;                                                                       \
    __atomic_compare_exchange_n(place, &expected, value, false, __ATOMIC_SEQ_CST,              \
                                __ATOMIC_SEQ_CST);                                             \
    return expected;                                                                           \
  }                                                                                            \
  CUPOLA_CHECK_FETCH(T, BITS, exchange, __atomic_exchange_n)                                   \
  CUPOLA_CHECK_FETCH(T, BITS, fetch_add, __atomic_fetch_add)                                   \
  CUPOLA_CHECK_FETCH(T, BITS, fetch_sub, __atomic_fetch_sub)                                   \
  CUPOLA_CHECK_FETCH(T, BITS, fetch_and, __atomic_fetch_and)                                   \
  CUPOLA_CHECK_FETCH(T, BITS, fetch_or, __atomic_fetch_or)                                     \
  CUPOLA_CHECK_FETCH(T, BITS, fetch_xor, __atomic_fetch_xor)                                   \
  CUPOLA_CHECK_FETCH(T, BITS, fetch_nand, __atomic_fetch_nand)                                 \
  CUPOLA_CHECK_EXCHANGE(T, BITS, compare_exchange_strong)                                      \
  CUPOLA_CHECK_EXCHANGE(T, BITS, compare_exchange_weak)
CUPOLA_CHECK_ATOMICS(unsigned char, 8)
CUPOLA_CHECK_ATOMICS(unsigned short, 16)
CUPOLA_CHECK_ATOMICS(unsigned int, 32)
CUPOLA_CHECK_ATOMICS(unsigned long, 64)
#undef CUPOLA_CHECK_ATOMICS
#undef CUPOLA_CHECK_EXCHANGE
#undef CUPOLA_CHECK_FETCH
#undef CUPOLA_CHECK_ATOMIC
CUPOLA_UNCHECKED void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
CUPOLA_UNCHECKED void __tsan_atomic_signal_fence(int) {}
#undef CUPOLA_UNCHECKED

#endif
