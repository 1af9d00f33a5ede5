// CUDA's functions of integers: bits, bytes, high halves of products, averages.
#ifndef CUPOLA_DEVICE_HOST_INTEGERS
#define CUPOLA_DEVICE_HOST_INTEGERS

#include "codegen/device/host/vector_types.cuh"

inline int __popc(unsigned int a) { return __builtin_popcount(a); }
inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
inline int __clz(int a) { return a ? __builtin_clz(static_cast<unsigned int>(a)) : 32; }
inline int __clzll(long long a) {
  return a ? __builtin_clzll(static_cast<unsigned long long>(a)) : 64;
}
inline int __ffs(int a) { return __builtin_ffs(a); }
inline int __ffsll(long long a) { return __builtin_ffsll(a); }
// The place of a set bit, counted from `base` upward or downward.
inline unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  const int step = offset < 0 ? -1 : 1;
  int left = offset == 0 ? 1 : offset * step;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) != 0 && --left == 0) return static_cast<unsigned int>(at);
    if (offset == 0) break;
  }
  return ~0u;
}

inline unsigned short __nv_bswap16(unsigned short a) { return __builtin_bswap16(a); }
inline unsigned int __nv_bswap32(unsigned int a) { return __builtin_bswap32(a); }
inline unsigned long long __nv_bswap64(unsigned long long a) { return __builtin_bswap64(a); }
inline unsigned long long __brevll(unsigned long long a) {
  a = (a >> 1 & 0x5555555555555555ull) | (a & 0x5555555555555555ull) << 1;
  a = (a >> 2 & 0x3333333333333333ull) | (a & 0x3333333333333333ull) << 2;
  a = (a >> 4 & 0x0F0F0F0F0F0F0F0Full) | (a & 0x0F0F0F0F0F0F0F0Full) << 4;
  return __builtin_bswap64(a);
}
inline unsigned int __brev(unsigned int a) { return static_cast<unsigned int>(__brevll(a) >> 32); }
inline unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned int at = selector >> 4 * i & 7;
    result |= static_cast<unsigned int>(bytes >> 8 * at & 255) << 8 * i;
  }
  return result;
}

// Shifts of a pair: modulo 32, or (c) by 32 at most.
inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned int>(
      (static_cast<unsigned long long>(high) << 32 | low) << (shift & 31) >> 32);
}
inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) >>
                                   (shift & 31));
}
inline unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
inline unsigned int __umulhi(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b >> 32);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
inline unsigned int __umul24(unsigned int a, unsigned int b) {
  return (a & 0xFFFFFFu) * (b & 0xFFFFFFu);
}

inline int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
inline int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
inline unsigned int __uhadd(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b) >> 1);
}
inline unsigned int __urhadd(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}
inline unsigned int __sad(int a, int b, unsigned int c) {
  return (a < b ? static_cast<unsigned int>(b) - static_cast<unsigned int>(a)
                : static_cast<unsigned int>(a) - static_cast<unsigned int>(b)) +
         c;
}
inline unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
  return (a < b ? b - a : a - b) + c;
}

// Sums of four or two products.
inline int __dp4a(char4 a, char4 b, int c) {
  return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
inline unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return c + static_cast<unsigned int>(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
}
inline int __dp4a(int a, int b, int c) {
  return __dp4a(__builtin_bit_cast(char4, a), __builtin_bit_cast(char4, b), c);
}
inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  return __dp4a(__builtin_bit_cast(uchar4, a), __builtin_bit_cast(uchar4, b), c);
}
inline int __dp2a_lo(short2 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y; }
inline int __dp2a_hi(short2 a, char4 b, int c) { return c + a.x * b.z + a.y * b.w; }
inline unsigned int __dp2a_lo(ushort2 a, uchar4 b, unsigned int c) {
  return c + static_cast<unsigned int>(a.x * b.x + a.y * b.y);
}
inline unsigned int __dp2a_hi(ushort2 a, uchar4 b, unsigned int c) {
  return c + static_cast<unsigned int>(a.x * b.z + a.y * b.w);
}
inline int __dp2a_lo(int a, int b, int c) {
  return __dp2a_lo(__builtin_bit_cast(short2, a), __builtin_bit_cast(char4, b), c);
}
inline int __dp2a_hi(int a, int b, int c) {
  return __dp2a_hi(__builtin_bit_cast(short2, a), __builtin_bit_cast(char4, b), c);
}
inline unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c) {
  return __dp2a_lo(__builtin_bit_cast(ushort2, a), __builtin_bit_cast(uchar4, b), c);
}
inline unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c) {
  return __dp2a_hi(__builtin_bit_cast(ushort2, a), __builtin_bit_cast(uchar4, b), c);
}

#endif
