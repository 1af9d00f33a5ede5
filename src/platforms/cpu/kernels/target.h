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

// DType -> the type of device/*.cuh.
template <cupola::DType D>
struct DeviceType;
#define CUPOLA_CPU_DEVICE_TYPE(DTYPE, TYPE) \
  template <>                               \
  struct DeviceType<cupola::DType::DTYPE> { \
    using type = TYPE;                      \
  };
CUPOLA_CPU_DEVICE_TYPE(bool_, bool)
CUPOLA_CPU_DEVICE_TYPE(int8, int8_t)
CUPOLA_CPU_DEVICE_TYPE(uint8, uint8_t)
CUPOLA_CPU_DEVICE_TYPE(int16, int16_t)
CUPOLA_CPU_DEVICE_TYPE(uint16, uint16_t)
CUPOLA_CPU_DEVICE_TYPE(int32, int32_t)
CUPOLA_CPU_DEVICE_TYPE(uint32, uint32_t)
CUPOLA_CPU_DEVICE_TYPE(int64, int64_t)
CUPOLA_CPU_DEVICE_TYPE(uint64, uint64_t)
CUPOLA_CPU_DEVICE_TYPE(float16, float16)
CUPOLA_CPU_DEVICE_TYPE(bfloat16, bfloat16)
CUPOLA_CPU_DEVICE_TYPE(float32, float)
CUPOLA_CPU_DEVICE_TYPE(float64, double)
CUPOLA_CPU_DEVICE_TYPE(complex64, complex64)
CUPOLA_CPU_DEVICE_TYPE(complex128, complex128)
#undef CUPOLA_CPU_DEVICE_TYPE

template <cupola::DType D>
using device_t = typename DeviceType<D>::type;

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
