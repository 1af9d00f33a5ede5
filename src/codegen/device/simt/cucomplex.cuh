// <cuComplex.h> for kernels on the host.
#ifndef CUPOLA_DEVICE_SIMT_CUCOMPLEX
#define CUPOLA_DEVICE_SIMT_CUCOMPLEX

#include "codegen/device/host/vector_types.cuh"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

// The quotient is scaled by the larger part of the divisor (Smith 1962), and so is the length.
#define CUPOLA_CUCOMPLEX(C, T, SUFFIX)                                                         \
  inline T cuCreal##SUFFIX(C a) { return a.x; }                                                \
  inline T cuCimag##SUFFIX(C a) { return a.y; }                                                \
  inline C cuConj##SUFFIX(C a) { return {a.x, -a.y}; }                                         \
  inline C cuCadd##SUFFIX(C a, C b) { return {a.x + b.x, a.y + b.y}; }                         \
  inline C cuCsub##SUFFIX(C a, C b) { return {a.x - b.x, a.y - b.y}; }                         \
  inline C cuCmul##SUFFIX(C a, C b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; } \
  inline C cuCdiv##SUFFIX(C a, C b) {                                                          \
    const T scale = T(1) / (fabs(b.x) + fabs(b.y));                                            \
    const T ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale;            \
    const T factor = T(1) / (br * br + bi * bi);                                               \
    return {(ar * br + ai * bi) * factor, (ai * br - ar * bi) * factor};                       \
  }                                                                                            \
  inline T cuCabs##SUFFIX(C a) { return static_cast<T>(hypot(double(a.x), double(a.y))); }     \
  inline C cuCfma##SUFFIX(C a, C b, C c) { return cuCadd##SUFFIX(cuCmul##SUFFIX(a, b), c); }
CUPOLA_CUCOMPLEX(cuDoubleComplex, double, )
CUPOLA_CUCOMPLEX(cuFloatComplex, float, f)
#undef CUPOLA_CUCOMPLEX
inline cuDoubleComplex make_cuDoubleComplex(double a, double b) { return {a, b}; }
inline cuFloatComplex make_cuFloatComplex(float a, float b) { return {a, b}; }
inline cuComplex make_cuComplex(float a, float b) { return {a, b}; }
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {a.x, a.y}; }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return {static_cast<float>(a.x), static_cast<float>(a.y)};
}

#endif
