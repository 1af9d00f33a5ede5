// All of CUDA's vocabulary that has a meaning on a host, in front of users' kernels there.
#ifndef CUPOLA_DEVICE_HOST_VOCABULARY
#define CUPOLA_DEVICE_HOST_VOCABULARY

#include "codegen/device/host/bessel.cuh"
#include "codegen/device/host/conversions.cuh"
#include "codegen/device/host/integers.cuh"
#include "codegen/device/host/language.cuh"
#include "codegen/device/host/normal_distribution.cuh"
#include "codegen/device/host/packed_integers.cuh"
#include "codegen/device/host/real_functions.cuh"
#include "codegen/device/host/rounded_arithmetic.cuh"
#include "codegen/device/host/vector_types.cuh"

#endif
