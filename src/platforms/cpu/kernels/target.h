#pragma once
// What every file of this folder starts with. The files are compiled once for each instruction
// set, with CUPOLA_CPU_TARGET its name; nothing in them may have external linkage but the
// functions that kernels.h declares.

// Expressions and device functions of this instruction set get a namespace of their own.
#define CUPOLA_CPU_JOIN_(A, B) A##B
#define CUPOLA_CPU_JOIN(A, B) CUPOLA_CPU_JOIN_(A, B)
#define CUPOLA_DEVICE_NAMESPACE CUPOLA_CPU_JOIN(cupola_device_, CUPOLA_CPU_TARGET)

#include "codegen/device/device.cuh"
#include "platforms/cpu/kernels/kernels.h"

#ifdef __clang__
#define CUPOLA_CPU_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define CUPOLA_CPU_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

// What values are compared as: vectors of 8 bytes without signs have no comparison but AVX-512's.
#ifdef __AVX512BW__
template <typename T>
using compared_t = T;
#else
template <typename T>
using compared_t = select_t<is_same<T, uint64_t>, int64_t, T>;
#endif
// Whether the first bit is turned for it.
template <typename T>
constexpr bool kIsTurned = !is_same<compared_t<T>, T>;

// An element as loops read it: bools as the bytes that they are, since compilers make no vectors of
// loads of bool.
template <typename T>
[[gnu::always_inline]] inline T element(const T* values, int64_t i) {
  if constexpr (is_same<T, bool>) {
    return reinterpret_cast<const unsigned char*>(values)[i] != 0;
  } else {
    return values[i];
  }
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
