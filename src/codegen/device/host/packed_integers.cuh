// CUDA's functions of two or four integers in a word: __vadd4, __vcmpgtu2, ...
#ifndef CUPOLA_DEVICE_HOST_PACKED_INTEGERS
#define CUPOLA_DEVICE_HOST_PACKED_INTEGERS

namespace cupola_host {

// In each place of the words what `function` makes of theirs.
template <typename Lane, typename Function>
inline unsigned int in_lanes(unsigned int a, unsigned int b, unsigned int c, Function function) {
  constexpr int kBits = 8 * sizeof(Lane);
  unsigned int result = 0;
  for (int at = 0; at < 32; at += kBits) {
    const int value = function(static_cast<Lane>(a >> at), static_cast<Lane>(b >> at),
                               static_cast<Lane>(c >> at));
    result |= (static_cast<unsigned int>(value) & ((1u << kBits) - 1)) << at;
  }
  return result;
}

template <typename Lane>
inline int saturated(int value) {
  constexpr bool kIsSigned = Lane(-1) < Lane(0);
  constexpr int kHighest = (1 << (8 * sizeof(Lane) - kIsSigned)) - 1;
  constexpr int kLowest = kIsSigned ? -kHighest - 1 : 0;
  return value < kLowest ? kLowest : value > kHighest ? kHighest : value;
}

inline int distance(int a, int b) { return a < b ? b - a : a - b; }

}  // namespace cupola_host

// EXPRESSION is of x, y and z, the values in one place of the arguments.
#define CUPOLA_HOST_LANES(NAME, LANE, EXPRESSION, a, b, c) \
  cupola_host::in_lanes<LANE>(a, b, c,                     \
                              [](LANE x, LANE y, LANE z) { return static_cast<int>(EXPRESSION); })
#define CUPOLA_HOST_PACKED1(NAME, LANE, EXPRESSION)            \
  inline unsigned int NAME(unsigned int a) {                   \
    return CUPOLA_HOST_LANES(NAME, LANE, EXPRESSION, a, 0, 0); \
  }
#define CUPOLA_HOST_PACKED2(NAME, LANE, EXPRESSION)            \
  inline unsigned int NAME(unsigned int a, unsigned int b) {   \
    return CUPOLA_HOST_LANES(NAME, LANE, EXPRESSION, a, b, 0); \
  }
#define CUPOLA_HOST_COMPARED(SUFFIX, LANE, COMPARISON)            \
  CUPOLA_HOST_PACKED2(__vcmp##SUFFIX, LANE, -int(x COMPARISON y)) \
  CUPOLA_HOST_PACKED2(__vset##SUFFIX, LANE, x COMPARISON y)
#define CUPOLA_HOST_ORDERED(SIGN, N, LANE)                                                  \
  CUPOLA_HOST_PACKED2(__vadd##SIGN##s##N, LANE, cupola_host::saturated<LANE>(x + y))        \
  CUPOLA_HOST_PACKED2(__vsub##SIGN##s##N, LANE, cupola_host::saturated<LANE>(x - y))        \
  CUPOLA_HOST_PACKED2(__vmin##SIGN##N, LANE, x < y ? x : y)                                 \
  CUPOLA_HOST_PACKED2(__vmax##SIGN##N, LANE, x < y ? y : x)                                 \
  CUPOLA_HOST_PACKED2(__vavg##SIGN##N, LANE, (x + y + (x + y >= 0)) >> 1)                   \
  CUPOLA_HOST_PACKED2(__vabsdiff##SIGN##N, LANE, cupola_host::distance(x, y))               \
  CUPOLA_HOST_COMPARED(ge##SIGN##N, LANE, >=)                                               \
  CUPOLA_HOST_COMPARED(gt##SIGN##N, LANE, >)                                                \
  CUPOLA_HOST_COMPARED(le##SIGN##N, LANE, <=)                                               \
  CUPOLA_HOST_COMPARED(lt##SIGN##N, LANE, <)                                                \
  inline unsigned int __vsad##SIGN##N(unsigned int a, unsigned int b) {                     \
    unsigned int sum = 0;                                                                   \
    for (int at = 0; at < 32; at += 8 * sizeof(LANE)) {                                     \
      sum += cupola_host::distance(static_cast<LANE>(a >> at), static_cast<LANE>(b >> at)); \
    }                                                                                       \
    return sum;                                                                             \
  }
#define CUPOLA_HOST_PACKED(N, SIGNED, UNSIGNED)                                            \
  CUPOLA_HOST_PACKED2(__vadd##N, UNSIGNED, x + y)                                          \
  CUPOLA_HOST_PACKED2(__vsub##N, UNSIGNED, x - y)                                          \
  CUPOLA_HOST_PACKED2(__vhaddu##N, UNSIGNED, (x + y) >> 1)                                 \
  CUPOLA_HOST_PACKED1(__vneg##N, SIGNED, -x)                                               \
  CUPOLA_HOST_PACKED1(__vabs##N, SIGNED, x < 0 ? -x : x)                                   \
  CUPOLA_HOST_PACKED1(__vnegss##N, SIGNED, cupola_host::saturated<SIGNED>(-x))             \
  CUPOLA_HOST_PACKED1(__vabsss##N, SIGNED, cupola_host::saturated<SIGNED>(x < 0 ? -x : x)) \
  CUPOLA_HOST_COMPARED(eq##N, UNSIGNED, ==)                                                \
  CUPOLA_HOST_COMPARED(ne##N, UNSIGNED, !=)                                                \
  CUPOLA_HOST_ORDERED(s, N, SIGNED)                                                        \
  CUPOLA_HOST_ORDERED(u, N, UNSIGNED)
CUPOLA_HOST_PACKED(2, short, unsigned short)
CUPOLA_HOST_PACKED(4, signed char, unsigned char)
#undef CUPOLA_HOST_PACKED
#undef CUPOLA_HOST_ORDERED
#undef CUPOLA_HOST_COMPARED
#undef CUPOLA_HOST_PACKED2
#undef CUPOLA_HOST_PACKED1

// Of three integers, or of two pairs with what they were (Hopper's DPX).
#define CUPOLA_HOST_EXTREMES(WORD, SUFFIX, T, PER_LANE)                 \
  PER_LANE(__vimax3_##SUFFIX, T, WORD, max(max(x, y), z))               \
  PER_LANE(__vimin3_##SUFFIX, T, WORD, min(min(x, y), z))               \
  PER_LANE(__viaddmax_##SUFFIX, T, WORD, max(static_cast<T>(x + y), z)) \
  PER_LANE(__viaddmin_##SUFFIX, T, WORD, min(static_cast<T>(x + y), z))
#define CUPOLA_HOST_EXTREMES_ABOVE_ZERO(WORD, SUFFIX, T, PER_LANE)                        \
  PER_LANE(__vimax3_##SUFFIX##_relu, T, WORD, max(max(max(x, y), z), T(0)))               \
  PER_LANE(__vimin3_##SUFFIX##_relu, T, WORD, max(min(min(x, y), z), T(0)))               \
  PER_LANE(__viaddmax_##SUFFIX##_relu, T, WORD, max(max(static_cast<T>(x + y), z), T(0))) \
  PER_LANE(__viaddmin_##SUFFIX##_relu, T, WORD, max(min(static_cast<T>(x + y), z), T(0)))
#define CUPOLA_HOST_OF_WORDS(NAME, T, WORD, EXPRESSION) \
  inline WORD NAME(WORD x, WORD y, WORD z) { return EXPRESSION; }
#define CUPOLA_HOST_OF_LANES(NAME, T, WORD, EXPRESSION)     \
  inline WORD NAME(WORD a, WORD b, WORD c) {                \
    return CUPOLA_HOST_LANES(NAME, T, EXPRESSION, a, b, c); \
  }
CUPOLA_HOST_EXTREMES(int, s32, int, CUPOLA_HOST_OF_WORDS)
CUPOLA_HOST_EXTREMES(unsigned int, u32, unsigned int, CUPOLA_HOST_OF_WORDS)
CUPOLA_HOST_EXTREMES(unsigned int, s16x2, short, CUPOLA_HOST_OF_LANES)
CUPOLA_HOST_EXTREMES(unsigned int, u16x2, unsigned short, CUPOLA_HOST_OF_LANES)
CUPOLA_HOST_EXTREMES_ABOVE_ZERO(int, s32, int, CUPOLA_HOST_OF_WORDS)
CUPOLA_HOST_EXTREMES_ABOVE_ZERO(unsigned int, s16x2, short, CUPOLA_HOST_OF_LANES)
#undef CUPOLA_HOST_OF_LANES
#undef CUPOLA_HOST_OF_WORDS
#undef CUPOLA_HOST_EXTREMES_ABOVE_ZERO
#undef CUPOLA_HOST_EXTREMES
#undef CUPOLA_HOST_LANES

inline int __vimax_s32_relu(int a, int b) { return __vimax3_s32(a, b, 0); }
inline int __vimin_s32_relu(int a, int b) { return __vimin3_s32_relu(a, b, b); }
inline unsigned int __vimax_s16x2_relu(unsigned int a, unsigned int b) {
  return __vimax3_s16x2(a, b, 0);
}
inline unsigned int __vimin_s16x2_relu(unsigned int a, unsigned int b) {
  return __vimin3_s16x2_relu(a, b, b);
}

// With whether the first argument is the result.
#define CUPOLA_HOST_CHOSEN(NAME, WORD, LANE, COMPARISON, EXTREME)                         \
  inline WORD NAME##32(WORD a, WORD b, bool* first) {                                     \
    *first = a COMPARISON b;                                                              \
    return *first ? a : b;                                                                \
  }                                                                                       \
  inline unsigned int NAME##16x2(unsigned int a, unsigned int b, bool* high, bool* low) { \
    *high = static_cast<LANE>(a >> 16) COMPARISON static_cast<LANE>(b >> 16);             \
    *low = static_cast<LANE>(a) COMPARISON static_cast<LANE>(b);                          \
    return EXTREME(a, b);                                                                 \
  }
CUPOLA_HOST_CHOSEN(__vibmax_s, int, short, >=, __vmaxs2)
CUPOLA_HOST_CHOSEN(__vibmin_s, int, short, <=, __vmins2)
CUPOLA_HOST_CHOSEN(__vibmax_u, unsigned int, unsigned short, >=, __vmaxu2)
CUPOLA_HOST_CHOSEN(__vibmin_u, unsigned int, unsigned short, <=, __vminu2)
#undef CUPOLA_HOST_CHOSEN

#endif
