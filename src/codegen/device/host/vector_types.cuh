// CUDA's short vectors: float2, make_int4, dim3, with their alignment on devices.
#ifndef CUPOLA_DEVICE_HOST_VECTOR_TYPES
#define CUPOLA_DEVICE_HOST_VECTOR_TYPES

#define CUPOLA_HOST_VECTOR2(NAME, T, ALIGNMENT) \
  struct alignas(ALIGNMENT) NAME {              \
    T x, y;                                     \
  };                                            \
  inline NAME make_##NAME(T x, T y) { return {x, y}; }
#define CUPOLA_HOST_VECTOR4(NAME, T, ALIGNMENT) \
  struct alignas(ALIGNMENT) NAME {              \
    T x, y, z, w;                               \
  };                                            \
  inline NAME make_##NAME(T x, T y, T z, T w) { return {x, y, z, w}; }
#define CUPOLA_HOST_VECTORS(NAME, T, OF_TWO, OF_FOUR)                \
  struct NAME##1 {                                                   \
    T x;                                                             \
  };                                                                 \
  inline NAME##1 make_##NAME##1(T x) { return {x}; }                 \
  struct NAME##3 {                                                   \
    T x, y, z;                                                       \
  };                                                                 \
  inline NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; } \
  CUPOLA_HOST_VECTOR2(NAME##2, T, OF_TWO)                            \
  CUPOLA_HOST_VECTOR4(NAME##4, T, OF_FOUR)
#define CUPOLA_HOST_WIDE_VECTORS(NAME, T) \
  CUPOLA_HOST_VECTORS(NAME, T, 16, 16)    \
  CUPOLA_HOST_VECTOR4(NAME##4_16a, T, 16) \
  CUPOLA_HOST_VECTOR4(NAME##4_32a, T, 32)
CUPOLA_HOST_VECTORS(char, signed char, 2, 4)
CUPOLA_HOST_VECTORS(uchar, unsigned char, 2, 4)
CUPOLA_HOST_VECTORS(short, short, 4, 8)
CUPOLA_HOST_VECTORS(ushort, unsigned short, 4, 8)
CUPOLA_HOST_VECTORS(int, int, 8, 16)
CUPOLA_HOST_VECTORS(uint, unsigned int, 8, 16)
CUPOLA_HOST_VECTORS(float, float, 8, 16)
CUPOLA_HOST_WIDE_VECTORS(long, long)
CUPOLA_HOST_WIDE_VECTORS(ulong, unsigned long)
CUPOLA_HOST_WIDE_VECTORS(longlong, long long)
CUPOLA_HOST_WIDE_VECTORS(ulonglong, unsigned long long)
CUPOLA_HOST_WIDE_VECTORS(double, double)
#undef CUPOLA_HOST_WIDE_VECTORS
#undef CUPOLA_HOST_VECTORS
#undef CUPOLA_HOST_VECTOR4
#undef CUPOLA_HOST_VECTOR2

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int a = 1, unsigned int b = 1, unsigned int c = 1) : x(a), y(b), z(c) {}
  constexpr dim3(uint3 a) : x(a.x), y(a.y), z(a.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

#endif
