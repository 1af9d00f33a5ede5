// Loops that move elements: see move_tables.h.

#include "platforms/cpu/kernels/move_tables.h"
#include "platforms/cpu/kernels/transpose_loops.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

typedef unsigned char Vector __attribute__((vector_size(kVectorBytes)));
// An element of 16 bytes, of any alignment that numbers have.
typedef ::uint64_t Pair __attribute__((vector_size(16), aligned(8), may_alias));

[[gnu::always_inline]] inline Vector load_vector(const char* from) {
  Vector vector;
  __builtin_memcpy(&vector, from, sizeof(Vector));
  return vector;
}
[[gnu::always_inline]] inline void store_vector(char* to, Vector vector) {
  __builtin_memcpy(to, &vector, sizeof(Vector));
}

void copy(void* target, const void* source, std::size_t bytes) {
  constexpr int64_t kLine = 64, kBlock = 4 * kVectorBytes;
  auto* to = static_cast<char*>(target);
  const auto* from = static_cast<const char*>(source);
  auto left = static_cast<int64_t>(bytes);
  const int64_t past = static_cast<int64_t>(reinterpret_cast<::uintptr_t>(to) % kLine);
  const int64_t head = past == 0 || left < kLine ? 0 : kLine - past;
  __builtin_memcpy(to, from, static_cast<std::size_t>(head));
  to += head;
  from += head;
  left -= head;
  for (; left >= kBlock; left -= kBlock, to += kBlock, from += kBlock) {
    const Vector a = load_vector(from), b = load_vector(from + kVectorBytes),
                 c = load_vector(from + 2 * kVectorBytes), d = load_vector(from + 3 * kVectorBytes);
    // Compilers would otherwise pair each load with its store.
    asm volatile("" ::: "memory");
    store_vector(to, a);
    store_vector(to + kVectorBytes, b);
    store_vector(to + 2 * kVectorBytes, c);
    store_vector(to + 3 * kVectorBytes, d);
  }
  __builtin_memcpy(to, from, static_cast<std::size_t>(left));
}

template <typename T>
void fill(void* target, const void* value, int64_t count) {
  if constexpr (sizeof(T) == 1) {
    __builtin_memset(target, *static_cast<const T*>(value), static_cast<std::size_t>(count));
    return;
  }
  constexpr int64_t kItems = kVectorBytes / static_cast<int64_t>(sizeof(T));
  auto* to = static_cast<char*>(target);
  Vector vector;
  for (int64_t i = 0; i < kItems; ++i) {
    __builtin_memcpy(reinterpret_cast<char*>(&vector) + i * sizeof(T), value, sizeof(T));
  }
  for (; count >= kItems; count -= kItems, to += kVectorBytes) store_vector(to, vector);
  __builtin_memcpy(to, &vector, static_cast<std::size_t>(count) * sizeof(T));
}

// As many elements of 16 bytes as fit into a vector: those of two vectors with even numbers.
typedef ::uint64_t Words __attribute__((vector_size(kVectorBytes)));
constexpr int64_t kPairs = kVectorBytes / 16;

[[gnu::always_inline]] inline Words even_ones(Words a, [[maybe_unused]] Words b) {
#if defined(__AVX512F__)
  return __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13);
#elif defined(__AVX2__)
  return __builtin_shufflevector(a, b, 0, 1, 4, 5);
#else
  return a;
#endif
}

void every_other_pair(void* target, const void* source, int64_t count) {
  auto* to = static_cast<Pair*>(target);
  const auto* from = static_cast<const Pair*>(source);
  int64_t i = 0;
  for (; i + kPairs < count; i += kPairs) {  // behind the last one there is nothing to read
    Words a, b;
    __builtin_memcpy(&a, from + 2 * i, sizeof(Words));
    __builtin_memcpy(&b, from + 2 * i + kPairs, sizeof(Words));
    a = even_ones(a, b);
    __builtin_memcpy(to + i, &a, sizeof(Words));
  }
  for (; i < count; ++i) to[i] = from[2 * i];
}

template <typename T>
void reverse(void* target, const void* source, int64_t count) {
  auto* to = static_cast<T*>(target);
  const auto* from = static_cast<const T*>(source);
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) to[i] = from[-i];
}

template <typename T>
void every_other(void* target, const void* source, int64_t count) {
  auto* to = static_cast<T*>(target);
  const auto* from = static_cast<const T*>(source);
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) to[i] = from[2 * i];
}

// index(i) is where element i comes from.
template <typename T, typename Index>
[[gnu::always_inline]] inline void gather_from(void* target, const void* source, int64_t count,
                                               const Index& index) {
  auto* to = static_cast<T*>(target);
  const auto* from = static_cast<const T*>(source);
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const T a = from[index(i)], b = from[index(i + 1)], c = from[index(i + 2)],
            d = from[index(i + 3)];
    to[i] = a;
    to[i + 1] = b;
    to[i + 2] = c;
    to[i + 3] = d;
  }
  for (; i < count; ++i) to[i] = from[index(i)];
}

template <typename T>
void gather(void* target, const void* source, const ::int64_t* indices, int64_t count) {
  gather_from<T>(target, source, count, [indices](int64_t i) { return indices[i]; });
}

template <typename T>
void gather_counted(void* target, const void* source, const ::int64_t* indices, int64_t zero,
                    int64_t extent, int64_t count) {
  gather_from<T>(target, source, count, [=](int64_t i) {
    const int64_t index = indices[i];
    return index + (index < zero ? extent : 0);
  });
}

// The numbers of a block are counted on, without a product for each; that wraps as a conversion
// does.
template <typename T>
void number(void* target, int64_t first, int64_t step, int64_t count) {
  typedef T Numbers __attribute__((vector_size(kVectorBytes)));
  constexpr int kVectors = 4, kLanes = kVectorBytes / sizeof(T);
  constexpr int64_t kBlock = kVectors * kLanes;
  auto* to = static_cast<T*>(target);
  T block[kBlock];
  for (int64_t i = 0; i < kBlock; ++i) {
    block[i] = static_cast<T>(static_cast<::uint64_t>(first) +
                              static_cast<::uint64_t>(i) * static_cast<::uint64_t>(step));
  }
  const auto next = static_cast<T>(kBlock * static_cast<::uint64_t>(step));
  Numbers numbers[kVectors];
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) {
    __builtin_memcpy(&numbers[k], block + k * kLanes, sizeof(Numbers));
  }
  for (; count >= kBlock; count -= kBlock, to += kBlock) {
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) {
      __builtin_memcpy(to + k * kLanes, &numbers[k], sizeof(Numbers));
      numbers[k] += next;
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) {
    __builtin_memcpy(block + k * kLanes, &numbers[k], sizeof(Numbers));
  }
  __builtin_memcpy(to, block, static_cast<std::size_t>(count) * sizeof(T));
}

int64_t count_true(const bool* mask, int64_t count) {
  constexpr int64_t kMaxAdded = 255;  // that bytes hold
  const auto* bytes = reinterpret_cast<const char*>(mask);
  int64_t total = 0, i = 0;
  while (i + kVectorBytes <= count) {
    Vector sums{};
    for (int64_t added = 0; added < kMaxAdded && i + kVectorBytes <= count; ++added) {
      sums -= reinterpret_cast<Vector>(load_vector(bytes + i) != 0);
      i += kVectorBytes;
    }
    for (int64_t k = 0; k < kVectorBytes; ++k) total += sums[k];
  }
  for (; i < count; ++i) total += element(mask, i) ? 1 : 0;
  return total;
}

#ifdef __AVX2__
constexpr int64_t kGroup = kVectorBytes;  // elements whose mask is one vector

// Bit i: the mask holds for element i of a group.
[[gnu::always_inline]] inline ::uint64_t bits_of(const bool* mask) {
#ifdef __AVX512F__
  const __m512i bytes = _mm512_loadu_si512(mask);
  return _mm512_test_epi8_mask(bytes, bytes);
#else
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask));
  const __m256i is_false = _mm256_cmpeq_epi8(bytes, _mm256_setzero_si256());
  return ~static_cast<::uint32_t>(_mm256_movemask_epi8(is_false));
#endif
}

template <typename T>
constexpr bool kGoesByVectors = sizeof(T) >= 4;
template <typename T>
constexpr int64_t kLanes = kVectorBytes / static_cast<int64_t>(sizeof(T));
// The bits of a vector's elements, the first of which is `from`.
template <typename T>
unsigned part_of(::uint64_t bits, int64_t from) {
  return static_cast<unsigned>(bits >> from) & ((1U << kLanes<T>)-1);
}
#endif

#ifdef __AVX512F__
// Of the words of 8 bytes that elements of 16 have.
template <typename T>
unsigned bits_of_words(unsigned bits) {
  return sizeof(T) == 16 ? _pdep_u32(bits, 0x55) * 3 : bits;
}
template <typename T>
void compress_vector(T* to, const T* from, unsigned bits) {
  const __m512i values = _mm512_loadu_si512(from);
  const unsigned words = bits_of_words<T>(bits);
  _mm512_storeu_si512(to, sizeof(T) == 4
                              ? _mm512_maskz_compress_epi32(static_cast<__mmask16>(words), values)
                              : _mm512_maskz_compress_epi64(static_cast<__mmask8>(words), values));
}
template <typename T>
void expand_vector(T* to, const T* from, unsigned bits) {
  const __m512i values = _mm512_loadu_si512(from);
  const unsigned words = bits_of_words<T>(bits);
  if constexpr (sizeof(T) == 4) {
    const auto set = static_cast<__mmask16>(words);
    _mm512_mask_storeu_epi32(to, set, _mm512_maskz_expand_epi32(set, values));
  } else {
    const auto set = static_cast<__mmask8>(words);
    _mm512_mask_storeu_epi64(to, set, _mm512_maskz_expand_epi64(set, values));
  }
}
#elif defined(__AVX2__)
// For each set of `Lanes` elements of 32 bytes, which words of 4 bytes they are, in order; and for
// each word of the vector, if its element is in the set, which word of those that come in order it
// is, below zero by kTaken.
template <int Lanes>
struct WordOrders {
  static constexpr int kTaken = -128;
  constexpr WordOrders() {
    constexpr int kWords = 8 / Lanes;
    for (int set = 0; set < 1 << Lanes; ++set) {
      int found = 0;
      for (int word = 0; word < 8; ++word) {
        if ((set >> (word / kWords) & 1) == 0) continue;
        compressed[set][found] = static_cast<::int8_t>(word);
        expanded[set][word] = static_cast<::int8_t>(kTaken + found++);
      }
    }
  }
  ::int8_t compressed[1 << Lanes][8] = {};
  ::int8_t expanded[1 << Lanes][8] = {};
};
inline __m256i wide_order(const ::int8_t* order) {
  return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(order)));
}
template <typename T>
constexpr WordOrders<kLanes<T>> kWordOrders;

template <typename T>
void compress_vector(T* to, const T* from, unsigned bits) {
  const __m256i values = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  const __m256i order = wide_order(kWordOrders<T>.compressed[bits]);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(values, order));
}
template <typename T>
void expand_vector(T* to, const T* from, unsigned bits) {
  const __m256i values = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  const __m256i order = wide_order(kWordOrders<T>.expanded[bits]);
  _mm256_maskstore_epi32(reinterpret_cast<int*>(to), order,
                         _mm256_permutevar8x32_epi32(values, order));
}
#endif

#ifdef __AVX2__
// Of all elements of a group: masks have long runs.
template <typename T>
void copy_group(T* to, const T* from) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {  // a vector's bytes, times those of an element
    const auto at = static_cast<int64_t>(i) * kLanes<T>;
    store_vector(reinterpret_cast<char*>(to + at),
                 load_vector(reinterpret_cast<const char*>(from + at)));
  }
}
#endif

// Elements that leave gaps behind.
template <typename T>
struct Picked {
  T* to;
  const T* from;

  void move(int64_t i) { *to++ = from[i]; }
  void move_if(int64_t i, bool holds) {
    *to = from[i];
    to += holds ? 1 : 0;
  }
#ifdef __AVX2__
  void move_group(int64_t i) {
    copy_group(to, from + i);
    to += kGroup;
  }
  void move_vector(int64_t i, unsigned bits) {
    compress_vector(to, from + i, bits);
    to += __builtin_popcount(bits);
  }
#endif
};

// Elements that find gaps.
template <typename T>
struct Expanded {
  T* to;
  const T* from;

  void move(int64_t i) { to[i] = *from++; }
  void move_if(int64_t i, bool holds) {
    to[i] = holds ? *from : to[i];
    from += holds ? 1 : 0;
  }
#ifdef __AVX2__
  void move_group(int64_t i) {
    copy_group(to + i, from);
    from += kGroup;
  }
  void move_vector(int64_t i, unsigned bits) {
    expand_vector(to + i, from, bits);
    from += __builtin_popcount(bits);
  }
#endif
};

// The first `most` elements for which the mask holds, which there is room for; how many there were.
// By groups as far as these are whole, then without branches but for the end.
template <typename T, typename Mover>
int64_t move_where(Mover mover, const bool* mask, int64_t count, int64_t most) {
  int64_t left = most, done = 0;
#ifdef __AVX2__
  for (; done + kGroup <= count; done += kGroup) {
    ::uint64_t bits = bits_of(mask + done);
    const int found = __builtin_popcountll(bits);
    if (found > left) break;
    const bool has_room = left >= kGroup;  // for whole vectors
    left -= found;
    if (found == kGroup) {
      mover.move_group(done);
      continue;
    }
    if constexpr (kGoesByVectors<T>) {
      if (bits != 0 && has_room) {
        for (int64_t i = 0; i < kGroup; i += kLanes<T>) {
          mover.move_vector(done + i, part_of<T>(bits, i));
        }
        continue;
      }
    }
    for (; bits != 0; bits &= bits - 1) mover.move(done + __builtin_ctzll(bits));
  }
#endif
  for (; done < count && left > 0; ++done) {
    const bool holds = element(mask, done);
    mover.move_if(done, holds);
    left -= holds ? 1 : 0;
  }
  return most - left;
}

template <typename T>
void pick(void* target, const void* source, const bool* mask, int64_t count, int64_t wanted) {
  const Picked<T> picked{static_cast<T*>(target), static_cast<const T*>(source)};
  move_where<T>(picked, mask, count, wanted);
}

template <typename T>
int64_t expand(void* target, const void* source, const bool* mask, int64_t count, int64_t length) {
  const Expanded<T> expanded{static_cast<T*>(target), static_cast<const T*>(source)};
  return move_where<T>(expanded, mask, count, length);
}

template <typename T>
void add_functions(cupola::cpu::MoveFunctions& functions, int item) {
  functions.fill[item] = fill<T>;
  functions.reverse[item] = reverse<T>;
  functions.every_other[item] = every_other<T>;
  functions.gather[item] = gather<T>;
  functions.gather_counted[item] = gather_counted<T>;
  functions.pick[item] = pick<T>;
  functions.expand[item] = expand<T>;
  functions.transpose[item] = transpose<T>;
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE

namespace cupola::cpu {

void CUPOLA_CPU_JOIN(add_move_kernels_, CUPOLA_CPU_TARGET)(MoveFunctions& functions) {
  using namespace CUPOLA_DEVICE_NAMESPACE;
  functions.copy = copy;
  functions.count_true = count_true;
  add_functions<::uint8_t>(functions, 0);
  add_functions<::uint16_t>(functions, 1);
  add_functions<::uint32_t>(functions, 2);
  add_functions<::uint64_t>(functions, 3);
  add_functions<Pair>(functions, 4);
  functions.number[1] = number<::uint16_t>;
  functions.number[2] = number<::uint32_t>;
  functions.number[3] = number<::uint64_t>;
  functions.every_other[4] = every_other_pair;
#ifdef __AVX2__
  functions.transpose[3] = transpose_words;
#endif
}

}  // namespace cupola::cpu
