// All that stands in front of a user's kernel without complex numbers.
#ifndef CUPOLA_DEVICE_USER_KERNEL
#define CUPOLA_DEVICE_USER_KERNEL

#include "codegen/device/user_arrays.cuh"
#include "codegen/device/user_atomics.cuh"
#include "codegen/device/user_half.cuh"

using cupola_user::CArray;
using cupola_user::CIndexer;

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
#ifndef M_E
#define M_E 2.7182818284590452354
#endif
#ifndef INFINITY
#define INFINITY (__builtin_bit_cast(float, 0x7F800000))
#endif
#ifndef NAN
#define NAN (__builtin_bit_cast(float, 0x7FC00000))
#endif

#endif
