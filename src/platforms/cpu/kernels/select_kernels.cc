// Loops that look for elements by their rank: see select_tables.h.

#include "platforms/cpu/kernels/select_tables.h"
#include "platforms/cpu/kernels/target.h"

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

// Batcher's merge exchange (Knuth, "The Art of Computer Programming", volume 3, algorithm 5.2.2M):
// the same exchanges whatever the keys are, so that a vector has a column in each lane.
template <typename Word>
void sort_columns(void* keys, ::int64_t rows) {
  constexpr int64_t kLanes = ::cupola::cpu::kSortedTogether;
  auto* const rows_of = static_cast<Word*>(keys);
  const auto exchange = [rows_of](int64_t i, int64_t j) {
    Word* const low = rows_of + i * kLanes;
    Word* const high = rows_of + j * kLanes;
    CUPOLA_CPU_INDEPENDENT
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const Word a = low[lane], b = high[lane];
      low[lane] = a < b ? a : b;
      high[lane] = a < b ? b : a;
    }
  };
  int64_t top = 1;
  while (2 * top < rows) top *= 2;
  for (int64_t p = rows > 1 ? top : 0; p > 0; p /= 2) {
    int64_t q = top, r = 0, d = p;
    for (;;) {
      for (int64_t i = 0; i < rows - d; ++i) {
        if ((i & p) == r) exchange(i, i + d);
      }
      if (q == p) break;
      d = q - p;
      q /= 2;
      r = p;
    }
  }
}

template <typename T>
void add_keys(::cupola::cpu::SelectFunctions& functions, ::cupola::DType dtype) {
  functions.keys[static_cast<std::size_t>(dtype)] = keys<T>;
}
template <typename Word>
void add_words(::cupola::cpu::SelectFunctions& functions, int item) {
  functions.tally[item] = tally<Word>;
  functions.sort_columns[item] = sort_columns<Word>;
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
