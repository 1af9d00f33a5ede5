// Loops that look for elements by their rank: see select_tables.h.

#include "platforms/cpu/kernels/select_tables.h"
#include "platforms/cpu/kernels/word_vectors.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

template <typename T>
using Word = decltype(ordered_bits(T()));

template <typename T>
void keys(void* keys, const void* values, ::int64_t stride, ::int64_t count) {
  auto* to = static_cast<Word<T>*>(keys);
  const auto* from = static_cast<const T*>(values);
  if (stride == 1) {
    CUPOLA_CPU_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) to[i] = ordered_bits(from[i]);
    return;
  }
  for (int64_t i = 0; i < count; ++i) to[i] = ordered_bits(from[i * stride]);
}

template <typename Word>
void tally(const void* keys, ::int64_t count, const void* bounds, bool kept, bool* is_between,
           ::cupola::cpu::BoundCounts& counts) {
  constexpr int64_t kBlock = sizeof(Word) == 1 ? 128 : 2048;  // sums of it fit into a word
  const auto* from = static_cast<const Word*>(keys);
  const Word low = static_cast<const Word*>(bounds)[0], high = static_cast<const Word*>(bounds)[1];
  const Word width = high > low ? static_cast<Word>(high - low - 1) : Word(0);
  const Word first = static_cast<Word>(low + 1);
  auto* marks = reinterpret_cast<unsigned char*>(is_between);
  const auto mask = static_cast<unsigned char>(kept ? 1 : 0);
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = begin + kBlock < count ? begin + kBlock : count;
    Word below = 0, at_low = 0, between = 0, at_high = 0;
    CUPOLA_CPU_INDEPENDENT
    for (int64_t i = begin; i < end; ++i) {
      const Word key = from[i];
      const bool inside = static_cast<Word>(key - first) < width;
      below = static_cast<Word>(below + (key < low ? 1 : 0));
      at_low = static_cast<Word>(at_low + (key == low ? 1 : 0));
      between = static_cast<Word>(between + (inside ? 1 : 0));
      at_high = static_cast<Word>(at_high + (key == high ? 1 : 0));
    }
    CUPOLA_CPU_INDEPENDENT
    for (int64_t i = begin; i < end; ++i) {
      const bool inside = static_cast<Word>(from[i] - first) < width;
      marks[i] = static_cast<unsigned char>((marks[i] & mask) | (inside ? 1 : 0));
    }
    counts.below += static_cast<int64_t>(below);
    counts.at_low += static_cast<int64_t>(at_low);
    counts.between += static_cast<int64_t>(between);
    if (high > low) counts.at_high += static_cast<int64_t>(at_high);
  }
}

#ifdef CUPOLA_CPU_SELECTS_BY_VECTORS
// How many keys are below the bound and at it.
template <typename Word>
void count_around(const Word* keys, int64_t count, Word bound, int64_t& below, int64_t& at) {
  using Vectors = WordVectors<Word>;
  const auto bounds = Vectors::ordered(Vectors::all(bound));
  typename Vectors::Count less{}, equal{};
  for (int64_t i = 0; i < count; i += Vectors::kLanes) {
    const auto lanes = Vectors::first(count - i);
    const auto key = Vectors::ordered(Vectors::load(lanes, keys + i));
    less = Vectors::count(less, Vectors::less(lanes, key, bounds));
    equal = Vectors::count(equal, Vectors::equal(lanes, key, bounds));
  }
  below += Vectors::sum(less);
  at += Vectors::sum(equal);
}

template <typename Word>
::int64_t collect(const void* keys, ::int64_t count, const void* bounds, void* collected,
                  ::cupola::cpu::BoundCounts& counts) {
  using Vectors = WordVectors<Word>;
  const auto* from = static_cast<const Word*>(keys);
  const Word low = static_cast<const Word*>(bounds)[0], high = static_cast<const Word*>(bounds)[1];
  if (low == high) {
    count_around(from, count, low, counts.below, counts.at_low);
    return 0;
  }
  const auto lows = Vectors::ordered(Vectors::all(low));
  const auto highs = Vectors::ordered(Vectors::all(high));
  typename Vectors::Count below{}, at_low{}, at_high{};
  auto* to = static_cast<Word*>(collected);
  for (int64_t i = 0; i < count; i += Vectors::kLanes) {
    const auto lanes = Vectors::first(count - i);
    const auto word = Vectors::load(lanes, from + i);
    const auto key = Vectors::ordered(word);
    const auto is_below = Vectors::less(lanes, key, lows);
    const auto is_low = Vectors::equal(lanes, key, lows);
    const auto is_between = static_cast<typename Vectors::Mask>(Vectors::less(lanes, key, highs) &
                                                                ~(is_below | is_low));
    below = Vectors::count(below, is_below);
    at_low = Vectors::count(at_low, is_low);
    at_high = Vectors::count(at_high, Vectors::equal(lanes, key, highs));
    Vectors::store_all(to, is_between, word);
    to += __builtin_popcount(is_between);
  }
  const int64_t between = to - static_cast<Word*>(collected);
  counts.below += Vectors::sum(below);
  counts.at_low += Vectors::sum(at_low);
  counts.between += between;
  counts.at_high += Vectors::sum(at_high);
  return between;
}

template <typename Word>
void part_by_vectors(Word*& less, Word*& equal, Word*& greater, const Word* values,
                     const Word* keys, int64_t count, Word pivot) {
  using Vectors = WordVectors<Word>;
  typename Vectors::Targets targets(less, equal, greater);
  const auto pivots = Vectors::ordered(Vectors::all(pivot));
  for (int64_t i = 0; i < count; i += Vectors::kLanes) {
    const auto lanes = Vectors::first(count - i);
    const auto key = Vectors::ordered(Vectors::load(lanes, keys + i));
    const auto value = Vectors::load(lanes, values + i);
    const auto is_less = Vectors::less(lanes, key, pivots);
    const auto is_equal = Vectors::equal(lanes, key, pivots);
    targets.put(is_less, is_equal, lanes, value);
  }
  targets.finish();
}
#endif

template <typename Word>
void part(::cupola::cpu::PartTargets& targets, const void* values, const void* keys,
          ::int64_t count, const void* pivot) {
  auto* const to = static_cast<Word*>(targets.below);
  auto* at = static_cast<Word*>(targets.at);
  auto* above = static_cast<Word*>(targets.above);
  const auto* from = static_cast<const Word*>(values);
  const auto* key = static_cast<const Word*>(keys);
  const Word middle = *static_cast<const Word*>(pivot);
#ifdef CUPOLA_CPU_SELECTS_BY_VECTORS
  if constexpr (sizeof(Word) >= 4) {
    Word* below = to;
    part_by_vectors(below, at, above, from, key, count, middle);
    targets = {below, at, above};
    return;
  }
#endif
  using Address = ::uintptr_t;
  const auto address = [](Word* word) { return reinterpret_cast<Address>(word); };
  Address less = address(to), equal = address(at), greater = address(above);
  for (int64_t i = 0; i < count; ++i) {
    // By masks: a compiler's branches would be taken half of the time.
    const Address is_less = -Address{key[i] < middle}, is_greater = -Address{key[i] > middle};
    const Address is_equal = ~(is_less | is_greater);
    const Address next = (less & is_less) | (greater & is_greater) | (equal & is_equal);
    *reinterpret_cast<Word*>(next) = from[i];
    less += is_less & sizeof(Word);
    greater += is_greater & sizeof(Word);
    equal += is_equal & sizeof(Word);
  }
  targets = {reinterpret_cast<void*>(less), reinterpret_cast<void*>(equal),
             reinterpret_cast<void*>(greater)};
}

// Batcher's merge exchange (Knuth, "The Art of Computer Programming", volume 3, algorithm 5.2.2M):
// the same exchanges whatever the keys are, so that a vector has a column in each lane.
template <typename Word>
void sort_columns(void* keys, ::int64_t rows) {
  constexpr int64_t kLanes = ::cupola::cpu::kSortedTogether;
  using Compared = compared_t<Word>;
  auto* const rows_of = static_cast<Compared*>(keys);
  const auto turn = [&] {
    if constexpr (kIsTurned<Word>) {
      for (int64_t i = 0; i < rows * kLanes; ++i) rows_of[i] ^= lowest_value<Compared>();
    }
  };
  turn();
  const auto exchange = [rows_of](int64_t i, int64_t j) {
    Compared* const low = rows_of + i * kLanes;
    Compared* const high = rows_of + j * kLanes;
    CUPOLA_CPU_INDEPENDENT
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const Compared a = low[lane], b = high[lane];
      low[lane] = a < b ? a : b;
      high[lane] = a < b ? b : a;
    }
  };
  int64_t top = 1;
  while (2 * top < rows) top *= 2;
  for (int64_t p = rows > 1 ? top : 0; p > 0; p /= 2) {
    int64_t q = top, r = 0, d = p;
    for (;;) {
      for (int64_t first = r; first < rows - d; first += 2 * p) {  // those with (i & p) == r
        const int64_t end = first + p < rows - d ? first + p : rows - d;
        for (int64_t i = first; i < end; ++i) exchange(i, i + d);
      }
      if (q == p) break;
      d = q - p;
      q /= 2;
      r = p;
    }
  }
  turn();
}

// Of words that vectors select from.
#if defined(__AVX512BW__)
constexpr int64_t kLongestColumn = 95;
#elif defined(__AVX2__)
constexpr int64_t kLongestColumn = 512;
#else
constexpr int64_t kLongestColumn = 1024;
#endif

template <typename T>
void add_keys(::cupola::cpu::SelectFunctions& functions, ::cupola::DType dtype) {
  functions.keys[static_cast<std::size_t>(dtype)] = keys<T>;
}
template <typename Word>
void add_words(::cupola::cpu::SelectFunctions& functions, int item) {
  functions.tally[item] = tally<Word>;
  functions.part[item] = part<Word>;
#ifdef CUPOLA_CPU_SELECTS_BY_VECTORS
  if constexpr (sizeof(Word) >= 4) functions.collect[item] = collect<Word>;
#endif
  functions.sort_columns[item] = sort_columns<Word>;
  functions.longest_column[item] = sizeof(Word) >= 4 ? kLongestColumn : 1024;
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE

namespace cupola::cpu {

void CUPOLA_CPU_JOIN(add_select_kernels_, CUPOLA_CPU_TARGET)(SelectFunctions& functions) {
  using namespace CUPOLA_DEVICE_NAMESPACE;
  add_keys<bool>(functions, DType::bool_);
  add_keys<::int8_t>(functions, DType::int8);
  add_keys<::int16_t>(functions, DType::int16);
  add_keys<::int32_t>(functions, DType::int32);
  add_keys<::int64_t>(functions, DType::int64);
  add_keys<::uint8_t>(functions, DType::uint8);
  add_keys<::uint16_t>(functions, DType::uint16);
  add_keys<::uint32_t>(functions, DType::uint32);
  add_keys<::uint64_t>(functions, DType::uint64);
  add_keys<float16>(functions, DType::float16);
  add_keys<bfloat16>(functions, DType::bfloat16);
  add_keys<float>(functions, DType::float32);
  add_keys<double>(functions, DType::float64);
  add_words<::uint8_t>(functions, 0);
  add_words<::uint16_t>(functions, 1);
  add_words<::uint32_t>(functions, 2);
  add_words<::uint64_t>(functions, 3);
}

}  // namespace cupola::cpu
