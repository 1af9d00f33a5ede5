// Fourier transforms of lanes: see fft_lanes.h.

#include <utility>

#include "platforms/cpu/kernels/fft_tables.h"
#include "platforms/cpu/kernels/target.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

using cupola::cpu::FftFunctions;
using cupola::cpu::FftParts;
using cupola::cpu::FftPass;
using cupola::cpu::kLanes;

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <typename T>
struct Vector {
  typedef T Type __attribute__((vector_size(kVectorBytes)));
};

// A vector of numbers, or one number, and the same of imaginary parts.
template <typename V>
struct Complex {
  V re, im;

  friend Complex operator+(const Complex& a, const Complex& b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend Complex operator-(const Complex& a, const Complex& b) {
    return {a.re - b.re, a.im - b.im};
  }
  // times -i
  Complex turned() const { return {im, -re}; }
  template <typename T>
  [[gnu::always_inline]] Complex times(T real, T imaginary) const {
    return {re * real - im * imaginary, re * imaginary + im * real};
  }
};

// The vector `part` of an element: of its real parts, and its imaginary parts.
template <typename T>
[[gnu::always_inline]] inline auto load(const T* element, int part) {
  constexpr int kCount = kVectorBytes / static_cast<int>(sizeof(T));
  Complex<typename Vector<T>::Type> value;
  __builtin_memcpy(&value.re, element + part * kCount, kVectorBytes);
  __builtin_memcpy(&value.im, element + kLanes<T> + part * kCount, kVectorBytes);
  return value;
}
template <typename T, typename V>
[[gnu::always_inline]] inline void store(T* element, int part, const Complex<V>& value) {
  constexpr int kCount = kVectorBytes / static_cast<int>(sizeof(T));
  __builtin_memcpy(element + part * kCount, &value.re, kVectorBytes);
  __builtin_memcpy(element + kLanes<T> + part * kCount, &value.im, kVectorBytes);
}

template <int kRadix, typename T>
struct Butterfly;

template <typename T>
struct Butterfly<2, T> {
  template <typename V>
  [[gnu::always_inline]] static void run(Complex<V>* a) {
    const Complex<V> sum = a[0] + a[1];
    a[1] = a[0] - a[1];
    a[0] = sum;
  }
};

template <typename T>
struct Butterfly<4, T> {
  template <typename V>
  [[gnu::always_inline]] static void run(Complex<V>* a) {
    const Complex<V> even = a[0] + a[2], even_difference = a[0] - a[2];
    const Complex<V> odd = a[1] + a[3], odd_difference = (a[1] - a[3]).turned();
    a[0] = even + odd;
    a[1] = even_difference + odd_difference;
    a[2] = even - odd;
    a[3] = even_difference - odd_difference;
  }
};

// cos and sin of 2 pi k / radix, k = 1 .. (radix - 1) / 2
template <int kRadix>
struct Angles;
template <>
struct Angles<3> {
  static constexpr double kCos[] = {1, -0.5};
  static constexpr double kSin[] = {0, 0.86602540378443864676};
};
template <>
struct Angles<5> {
  static constexpr double kCos[] = {1, 0.30901699437494742410, -0.80901699437494742410};
  static constexpr double kSin[] = {0, 0.95105651629515357212, 0.58778525229247312917};
};
template <>
struct Angles<7> {
  static constexpr double kCos[] = {1, 0.62348980185873353053, -0.22252093395631440429,
                                    -0.90096886790241912624};
  static constexpr double kSin[] = {0, 0.78183148246802980871, 0.97492791218182360702,
                                    0.43388373911755812048};
};
template <>
struct Angles<11> {
  static constexpr double kCos[] = {1,
                                    0.84125353283118116886,
                                    0.41541501300188642553,
                                    -0.14231483827328514044,
                                    -0.65486073394528506406,
                                    -0.95949297361449738989};
  static constexpr double kSin[] = {0,
                                    0.54064081745559758211,
                                    0.90963199535451837141,
                                    0.98982144188093273238,
                                    0.75574957435425828377,
                                    0.28173255684142969771};
};
template <>
struct Angles<13> {
  static constexpr double kCos[] = {1,
                                    0.88545602565320989590,
                                    0.56806474673115580251,
                                    0.12053668025532305335,
                                    -0.35460488704253562597,
                                    -0.74851074817110109863,
                                    -0.97094181742605202716};
  static constexpr double kSin[] = {0,
                                    0.46472317204376854566,
                                    0.82298386589365639458,
                                    0.99270887409805399280,
                                    0.93501624268541482344,
                                    0.66312265824079520238,
                                    0.23931566428755776715};
};

// Odd radices: results k and radix - k have the same sums of pairs.
template <int kRadix, typename T>
struct Butterfly {
  static constexpr int kHalf = kRadix / 2;

  static constexpr T cosine(int turns) {
    const int k = turns % kRadix;
    return static_cast<T>(Angles<kRadix>::kCos[k <= kHalf ? k : kRadix - k]);
  }
  static constexpr T sine(int turns) {
    const int k = turns % kRadix;
    return static_cast<T>(k <= kHalf ? Angles<kRadix>::kSin[k] : -Angles<kRadix>::kSin[kRadix - k]);
  }

  template <typename V>
  [[gnu::always_inline]] static void run(Complex<V>* a) {
    Complex<V> sums[kHalf + 1], differences[kHalf + 1], results[kRadix];
#pragma GCC unroll 16
    for (int j = 1; j <= kHalf; ++j) {
      sums[j] = a[j] + a[kRadix - j];
      differences[j] = (a[j] - a[kRadix - j]).turned();
    }
    results[0] = a[0];
#pragma GCC unroll 16
    for (int j = 1; j <= kHalf; ++j) results[0] = results[0] + sums[j];
#pragma GCC unroll 16
    for (int k = 1; k <= kHalf; ++k) {
      Complex<V> even = a[0], odd = {differences[1].re * sine(k), differences[1].im * sine(k)};
#pragma GCC unroll 16
      for (int j = 1; j <= kHalf; ++j) {
        even.re += sums[j].re * cosine(j * k);
        even.im += sums[j].im * cosine(j * k);
        if (j == 1) continue;
        odd.re += differences[j].re * sine(j * k);
        odd.im += differences[j].im * sine(j * k);
      }
      results[k] = even + odd;
      results[kRadix - k] = even - odd;
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRadix; ++r) a[r] = results[r];
  }
};

template <int kRadix, typename T>
void run_pass(const FftPass<T>& pass, const T* in, T* out) {
  constexpr int64_t kElement = 2 * kLanes<T>;
  constexpr int kParts = 64 / kVectorBytes;
  const int64_t in_step = pass.groups * pass.stride * kElement;
  const int64_t out_step = pass.stride * kElement;
  for (int64_t p = 0; p < pass.groups; ++p) {
    const T* const roots = pass.roots + 2 * (kRadix - 1) * p;
    for (int64_t q = 0; q < pass.stride; ++q) {
      const T* const from = in + (p * pass.stride + q) * kElement;
      T* const to = out + (p * kRadix * pass.stride + q) * kElement;
      for (int part = 0; part < kParts; ++part) {
        Complex<typename Vector<T>::Type> a[kRadix];
#pragma GCC unroll 16
        for (int r = 0; r < kRadix; ++r) a[r] = load(from + r * in_step, part);
        Butterfly<kRadix, T>::run(a);
        store(to, part, a[0]);
        if (p == 0) {  // the roots are 1, and 0 times infinity is none
#pragma GCC unroll 16
          for (int r = 1; r < kRadix; ++r) store(to + r * out_step, part, a[r]);
          continue;
        }
#pragma GCC unroll 16
        for (int r = 1; r < kRadix; ++r) {
          store(to + r * out_step, part, a[r].times(roots[2 * r - 2], roots[2 * r - 1]));
        }
      }
    }
  }
}

template <typename T>
void run_pass(const FftPass<T>& pass, const T* in, T* out) {
  switch (pass.radix) {
    case 2:
      return run_pass<2>(pass, in, out);
    case 3:
      return run_pass<3>(pass, in, out);
    case 4:
      return run_pass<4>(pass, in, out);
    case 5:
      return run_pass<5>(pass, in, out);
    case 7:
      return run_pass<7>(pass, in, out);
    case 11:
      return run_pass<11>(pass, in, out);
    case 13:
      return run_pass<13>(pass, in, out);
  }
}

template <typename T>
T* transform(const FftPass<T>* passes, int count, T* values, T* work) {
  T* const memories[] = {values, work};
  for (int i = 0; i < count; ++i) run_pass(passes[i], memories[i % 2], memories[(i + 1) % 2]);
  return memories[count % 2];
}

template <typename T>
void multiply(T* values, int64_t length, const T* bases, const T* steps) {
  constexpr int kParts = 64 / kVectorBytes;
  for (int64_t j = 0; j < length; ++j) {
    T* const element = values + j * 2 * kLanes<T>;
    for (int part = 0; part < kParts; ++part) {
      const auto step = load(steps + j * 2 * kLanes<T>, part);
      const auto factor = step.times(bases[2 * j], bases[2 * j + 1]);
      store(element, part, load(element, part).times(factor.re, factor.im));
    }
  }
}

template <typename T>
void scale(const T* values, int64_t length, const T* factors, T* out, int64_t out_step) {
  for (int64_t j = 0; j < length; ++j) {
    for (int part = 0; part < 64 / kVectorBytes; ++part) {
      const auto value = load(values + j * 2 * kLanes<T>, part);
      store(out + j * out_step, part, value.times(factors[2 * j], factors[2 * j + 1]));
    }
  }
}

// Value k of real rows' transform and the conjugate of its mirror image, from values of pairs'.
template <typename V>
struct Mirrored {
  Complex<V> low, high;
};
template <typename T, typename V>
[[gnu::always_inline]] inline Mirrored<V> unfolded(const Complex<V>& a, const Complex<V>& b, T root,
                                                   T root_im) {
  const Complex<V> even = {(a.re + b.re) * T(0.5), (a.im - b.im) * T(0.5)};
  const Complex<V> odd = {(a.im + b.im) * T(0.5), (b.re - a.re) * T(0.5)};
  const Complex<V> turned = odd.times(root, root_im);
  return {even + turned, {even.re - turned.re, turned.im - even.im}};
}
template <typename T, typename V>
[[gnu::always_inline]] inline Mirrored<V> folded(const Complex<V>& a, const Complex<V>& b, T root,
                                                 T root_im) {
  const Complex<V> even = {a.re + b.re, a.im - b.im};
  const Complex<V> odd = {a.re - b.re, a.im + b.im};
  const V re = odd.re * root + odd.im * root_im, im = odd.im * root - odd.re * root_im;
  return {{even.re - im, even.im + re}, {even.re + im, re - even.im}};
}

template <typename T>
void unfold_lanes(T* values, int64_t half, const T* roots) {
  constexpr int64_t kElement = 2 * kLanes<T>;
  using V = typename Vector<T>::Type;
  for (int part = 0; part < 64 / kVectorBytes; ++part) {
    const Complex<V> first = load(values, part);
    store(values, part, Complex<V>{first.re + first.im, V{}});
    store(values + half * kElement, part, Complex<V>{first.re - first.im, V{}});
    for (int64_t k = 1; 2 * k <= half; ++k) {
      T* const low = values + k * kElement;
      T* const high = values + (half - k) * kElement;
      const auto both = unfolded(load(low, part), load(high, part), roots[2 * k], roots[2 * k + 1]);
      store(low, part, both.low);
      store(high, part, both.high);
    }
  }
}

template <typename T>
void fold_lanes(T* values, int64_t half, const T* roots) {
  constexpr int64_t kElement = 2 * kLanes<T>;
  using V = typename Vector<T>::Type;
  const auto exchanged = [](const Complex<V>& value) { return Complex<V>{value.im, value.re}; };
  for (int part = 0; part < 64 / kVectorBytes; ++part) {
    const V first = load(values, part).re, last = load(values + half * kElement, part).re;
    store(values, part, exchanged({first + last, first - last}));
    for (int64_t k = 1; 2 * k <= half; ++k) {
      T* const low = values + k * kElement;
      T* const high = values + (half - k) * kElement;
      const auto both = folded(load(low, part), load(high, part), roots[2 * k], roots[2 * k + 1]);
      store(low, part, exchanged(both.low));
      store(high, part, exchanged(both.high));
    }
  }
}

// Pairs as rows of parts, which the compiler makes vectors of.
template <typename T>
struct Pairs {
  T re[cupola::cpu::kFoldBlock], im[cupola::cpu::kFoldBlock];

  // `step`: 1 or, for mirror images, -1.
  template <int step>
  [[gnu::always_inline]] void load(const T* pairs, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      re[i] = pairs[2 * step * i];
      im[i] = pairs[2 * step * i + 1];
    }
  }
  template <int step>
  [[gnu::always_inline]] void store(T* pairs, int64_t count) const {
    for (int64_t i = 0; i < count; ++i) {
      pairs[2 * step * i] = re[i];
      pairs[2 * step * i + 1] = im[i];
    }
  }
};

template <typename T, bool kUnfolds>
[[gnu::always_inline]] inline void fold_block(const T* in, T* row, int64_t half, int64_t first,
                                              int64_t count, const T* roots) {
  Pairs<T> a, b, root, low, high;
  a.template load<1>(in + 2 * first, count);
  b.template load<-1>(in + 2 * (half - first), count);
  root.template load<1>(roots, count);
  for (int64_t i = 0; i < count; ++i) {
    const Complex<T> left = {a.re[i], a.im[i]}, right = {b.re[i], b.im[i]};
    const auto both = kUnfolds ? unfolded(left, right, root.re[i], root.im[i])
                               : folded(left, right, root.re[i], root.im[i]);
    low.re[i] = both.low.re;
    low.im[i] = both.low.im;
    high.re[i] = both.high.re;
    high.im[i] = both.high.im;
  }
  low.template store<1>(row + 2 * first, count);
  high.template store<-1>(row + 2 * (half - first), count);
}

template <typename T>
void unfold(T* row, int64_t half, int64_t first, int64_t count, const T* roots) {
  if (count == cupola::cpu::kFoldBlock) {  // loops of a known length
    return fold_block<T, true>(row, row, half, first, cupola::cpu::kFoldBlock, roots);
  }
  fold_block<T, true>(row, row, half, first, count, roots);
}
template <typename T>
void fold(const T* in, T* row, int64_t half, int64_t first, int64_t count, const T* roots) {
  if (count == cupola::cpu::kFoldBlock) {
    return fold_block<T, false>(in, row, half, first, cupola::cpu::kFoldBlock, roots);
  }
  fold_block<T, false>(in, row, half, first, count, roots);
}

#ifdef __AVX2__
template <typename T>
constexpr int kInVector = kVectorBytes / static_cast<int>(sizeof(T));

// Chooses among the numbers of two vectors, by constants.
template <typename T, int... I>
struct Shuffles {
  using V = typename Vector<T>::Type;
  static constexpr int kCount = sizeof...(I);

  static V real_parts(V a, V b) { return __builtin_shufflevector(a, b, (2 * I)...); }
  static V imaginary_parts(V a, V b) { return __builtin_shufflevector(a, b, (2 * I + 1)...); }
  static V first_pairs(V re, V im) {
    return __builtin_shufflevector(re, im, (I / 2 + I % 2 * kCount)...);
  }
  static V last_pairs(V re, V im) {
    return __builtin_shufflevector(re, im, ((kCount + I) / 2 + I % 2 * kCount)...);
  }
  // Blocks of Size by Size numbers change places across the diagonal of twice as many.
  template <int Size>
  static void exchange(V* rows) {
#pragma GCC unroll 16
    for (int r = 0; r < kCount; ++r) {
      if ((r & Size) != 0) continue;
      const V a = rows[r], b = rows[r + Size];
      rows[r] = __builtin_shufflevector(a, b, ((I & Size) != 0 ? kCount + I - Size : I)...);
      rows[r + Size] = __builtin_shufflevector(a, b, ((I & Size) != 0 ? kCount + I : I + Size)...);
    }
  }
};

template <typename T, int... I>
Shuffles<T, I...> shuffles_of(std::integer_sequence<int, I...>);
template <typename T>
using ShufflesOf = decltype(shuffles_of<T>(std::make_integer_sequence<int, kInVector<T>>{}));

template <typename T>
[[gnu::always_inline]] inline auto load_vector(const T* from) {
  typename Vector<T>::Type value;
  __builtin_memcpy(&value, from, kVectorBytes);
  return value;
}

template <typename T>
void gather(const T* in, int64_t step, int64_t length, FftParts<T> parts, T* values) {
  for (int64_t j = 0; j < length; ++j) {
    T* const element = values + j * 2 * kLanes<T>;
    for (int first = 0; first < kLanes<T>; first += kInVector<T>) {
      const T* const from = in + j * step + 2 * first;
      const auto a = load_vector(from), b = load_vector(from + kInVector<T>);
      const auto real = ShufflesOf<T>::real_parts(a, b);
      const auto imaginary = ShufflesOf<T>::imaginary_parts(a, b);
      __builtin_memcpy(element + parts.real + first, &real, kVectorBytes);
      __builtin_memcpy(element + parts.imaginary + first, &imaginary, kVectorBytes);
    }
  }
}

template <typename T>
void scatter(const T* values, int64_t length, FftParts<T> parts, T* out, int64_t step) {
  for (int64_t j = 0; j < length; ++j) {
    const T* const element = values + j * 2 * kLanes<T>;
    for (int begin = 0; begin < kLanes<T>; begin += kInVector<T>) {
      T* const to = out + j * step + 2 * begin;
      const auto real = load_vector(element + parts.real + begin);
      const auto imaginary = load_vector(element + parts.imaginary + begin);
      const auto first = ShufflesOf<T>::first_pairs(real, imaginary);
      const auto last = ShufflesOf<T>::last_pairs(real, imaginary);
      __builtin_memcpy(to, &first, kVectorBytes);
      __builtin_memcpy(to + kInVector<T>, &last, kVectorBytes);
    }
  }
}
#else
template <typename T>
void gather(const T* in, int64_t step, int64_t length, FftParts<T> parts, T* values) {
  for (int64_t j = 0; j < length; ++j) {
    const T* const from = in + j * step;
    T* const element = values + j * 2 * kLanes<T>;
    for (int i = 0; i < kLanes<T>; ++i) element[parts.real + i] = from[2 * i];
    for (int i = 0; i < kLanes<T>; ++i) element[parts.imaginary + i] = from[2 * i + 1];
  }
}

template <typename T>
void scatter(const T* values, int64_t length, FftParts<T> parts, T* out, int64_t step) {
  for (int64_t j = 0; j < length; ++j) {
    const T* const element = values + j * 2 * kLanes<T>;
    T* const to = out + j * step;
    for (int i = 0; i < kLanes<T>; ++i) {
      to[2 * i] = element[parts.real + i];
      to[2 * i + 1] = element[parts.imaginary + i];
    }
  }
}
#endif

#ifdef __AVX512F__
template <typename T>
void transpose(const T* from, T* to) {
  for (int part = 0; part < 2; ++part) {
    typename Vector<T>::Type rows[kLanes<T>];
#pragma GCC unroll 16
    for (int r = 0; r < kLanes<T>; ++r) rows[r] = load_vector(from + (2 * r + part) * kLanes<T>);
    ShufflesOf<T>::template exchange<1>(rows);
    ShufflesOf<T>::template exchange<2>(rows);
    ShufflesOf<T>::template exchange<4>(rows);
    if constexpr (kLanes < T >> 8) ShufflesOf<T>::template exchange<8>(rows);
#pragma GCC unroll 16
    for (int r = 0; r < kLanes<T>; ++r) {
      __builtin_memcpy(to + (2 * r + part) * kLanes<T>, &rows[r], kVectorBytes);
    }
  }
}
#else
template <typename T>
void transpose(const T* from, T* to) {
  for (int lane = 0; lane < kLanes<T>; ++lane) {
    T* const element = to + lane * 2 * kLanes<T>;
    for (int i = 0; i < kLanes<T>; ++i) {
      element[i] = from[i * 2 * kLanes<T> + lane];
      element[kLanes<T> + i] = from[(i * 2 + 1) * kLanes<T> + lane];
    }
  }
}
#endif

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE

namespace cupola::cpu {

void CUPOLA_CPU_JOIN(add_fft_kernels_, CUPOLA_CPU_TARGET)(FftTables& tables) {
  using namespace CUPOLA_DEVICE_NAMESPACE;
  tables.singles = {transform<float>, multiply<float>, gather<float>,       scatter<float>,
                    transpose<float>, scale<float>,    unfold_lanes<float>, fold_lanes<float>,
                    unfold<float>,    fold<float>};
  tables.doubles = {transform<double>, multiply<double>, gather<double>,       scatter<double>,
                    transpose<double>, scale<double>,    unfold_lanes<double>, fold_lanes<double>,
                    unfold<double>,    fold<double>};
}

}  // namespace cupola::cpu
