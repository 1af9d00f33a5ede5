// Complex elements are selected by one key after the other: by their real parts, and those of one
// real part by their imaginary ones. Behind all numbers are the elements with a NaN, by which parts
// are NaN first and by the other part then.

#include "platforms/cpu/ordering/complex_selection.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <span>
#include <type_traits>

#include "platforms/cpu/interpreter/strided.h"
#include "platforms/cpu/ordering/key_selection.h"
#include "platforms/cpu/ordering/row_ranks.h"
#include "platforms/cpu/ordering/selection.h"
#include "platforms/cpu/reductions/reduction.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

enum class Level { real, imag, nan_kind, beside_nan, none };

template <typename Real>
class ComplexKeys {
 public:
  using Word = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  using Element = std::complex<Real>;
  static constexpr Word kNan = ~Word{0};  // what is no number has the largest key

  static void read(Level level, const Element* from, std::int64_t count, Word* keys) {
    switch (level) {
      case Level::real:
        read_part(from, 0, count, keys);
        for (std::int64_t i = 0; i < count; ++i) {
          keys[i] |= from[i].imag() == from[i].imag() ? 0 : kNan;
        }
        return;
      case Level::imag:
        return read_part(from, 1, count, keys);
      case Level::nan_kind:
        for (std::int64_t i = 0; i < count; ++i) {
          keys[i] = (std::isnan(from[i].real()) ? 2 : 0) + (std::isnan(from[i].imag()) ? 1 : 0);
        }
        return;
      case Level::beside_nan:  // of elements of one kind
        return read_part(from, std::isnan(from->real()) ? 1 : 0, count, keys);
      case Level::none:
        return;
    }
  }

  // What tells elements of one key apart, if anything does.
  static Level next(Level level, Word key) {
    if (level == Level::real) return key == kNan ? Level::nan_kind : Level::imag;
    if (level == Level::nan_kind) return Level::beside_nan;
    return Level::none;
  }

 private:
  static void read_part(const Element* from, int part, std::int64_t count, Word* keys) {
    constexpr auto kNumber = static_cast<std::size_t>(dtype_of<Real>);
    select_functions().keys[kNumber](keys, reinterpret_cast<const Real*>(from) + part, 2, count);
  }
};

// One thread's work, row by row.
template <typename Real>
class ComplexRow {
 public:
  using Keys = ComplexKeys<Real>;
  using Word = typename Keys::Word;
  using Element = typename Keys::Element;

  explicit ComplexRow(std::int64_t length)
      : keys_(make_words<Word>(length)), spare_(make_elements(length)) {}

  // Into `found`, the elements of ranks, which ascend.
  void find(const Element* from, std::int64_t count, std::span<const std::int64_t> ranks,
            Element* found, Level level = Level::real) {
    const auto keys = make_words<Word>(count);
    Keys::read(level, from, count, keys.get());
    std::vector<FoundKey<Word>> at(ranks.size());
    find_keys<Word>(KeySpan<Word>(keys.get(), count), ranks, at.data());
    for (std::size_t i = 0; i < ranks.size();) {
      const Word key = at[i].key;
      std::vector<std::int64_t> among;
      for (std::size_t k = i; k < ranks.size() && at[k].key == key; ++k) {
        among.push_back(at[k].among);
      }
      find_tied(keys.get(), key, from, count, among, found + i, Keys::next(level, key));
      i += among.size();
    }
  }

  // Into `to`, which is apart, around the elements of ranks, which ascend and differ.
  void part(const Element* from, Element* to, std::int64_t count,
            std::span<const std::int64_t> ranks) {
    const std::size_t middle = ranks.size() / 2;
    const std::int64_t rank = ranks[middle];
    part_around(from, to, count, rank, Level::real);
    part_again(to, rank, ranks.first(middle), 0);
    part_again(to + rank + 1, count - rank - 1, ranks.subspan(middle + 1), rank + 1);
  }

 private:
  static std::unique_ptr<Element[]> make_elements(std::int64_t count) {
    return std::make_unique_for_overwrite<Element[]>(static_cast<std::size_t>(count));
  }

  // Of the key, so many.
  static std::vector<Element> elements_of(const Word* keys, Word key, const Element* from,
                                          std::int64_t count, std::int64_t ties) {
    constexpr std::int64_t kRare = 32;  // one of so many: a branch is predicted
    // One more, which elements of other keys are written to.
    std::vector<Element> found(static_cast<std::size_t>(ties) + 1);
    Element* end = found.data();
    if (ties * kRare < count) {
      for (std::int64_t i = 0; end - found.data() < ties; ++i) {
        if (keys[i] == key) *end++ = from[i];
      }
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        *end = from[i];
        end += keys[i] == key ? 1 : 0;
      }
    }
    found.pop_back();
    return found;
  }

  // Of the elements of a key.
  void find_tied(const Word* keys, Word key, const Element* from, std::int64_t count,
                 std::span<const std::int64_t> ranks, Element* found, Level next) {
    BoundCounts counts;
    count_around(keys, count, key, counts);
    if (counts.at_low == count && next != Level::none) return find(from, count, ranks, found, next);
    const std::vector<Element> ties = elements_of(keys, key, from, count, counts.at_low);
    if (counts.at_low > 1 && next != Level::none)
      return find(ties.data(), counts.at_low, ranks, found, next);
    for (std::size_t k = 0; k < ranks.size(); ++k) {
      found[k] = ties[static_cast<std::size_t>(ranks[k])];
    }
  }

  // Elements that begin at place `begin` of the row, around those of ranks.
  void part_again(Element* elements, std::int64_t count, std::span<const std::int64_t> ranks,
                  std::int64_t begin) {
    if (ranks.empty()) return;
    std::vector<std::int64_t> within(ranks.begin(), ranks.end());
    for (std::int64_t& rank : within) rank -= begin;
    const std::vector<Element> from(elements, elements + count);
    part(from.data(), elements, count, within);
  }

  void part_around(const Element* from, Element* to, std::int64_t count, std::int64_t rank,
                   Level level) {
    Keys::read(level, from, count, keys_.get());
    FoundKey<Word> found;
    find_keys<Word>(KeySpan<Word>(keys_.get(), count), {&rank, 1}, &found);
    BoundCounts counts;
    count_around(keys_.get(), count, found.key, counts);
    const Level next = Keys::next(level, found.key);
    if (counts.at_low == count && next != Level::none)
      return part_around(from, to, count, rank, next);
    Element* const ties = to + counts.below;
    Element* targets[] = {to, ties, ties + counts.at_low};
    for (std::int64_t i = 0; i < count; ++i) {
      const Word key = keys_[i];
      *targets[(key >= found.key) + (key > found.key)]++ = from[i];
    }
    if (counts.at_low == 1 || next == Level::none) return;
    // At the next level `from` is the copy of before, which is no longer needed.
    std::copy_n(ties, counts.at_low, spare_.get());
    part_around(spare_.get(), ties, counts.at_low, found.among, next);
  }

  const std::unique_ptr<Word[]> keys_;
  const std::unique_ptr<Element[]> spare_;  // elements of one key
};

template <typename Real>
void select_elements(const SelectProblem& problem) {
  using Element = std::complex<Real>;
  const std::int64_t length = problem.length(), rows = problem.rows();
  const std::int64_t stride = problem.strides.back();
  auto* const out = static_cast<Element*>(problem.out);
  auto* const parted = static_cast<Element*>(problem.parted);
  parallel_for(rows, grain_for(length * kStepsOfSelection),
               [&](std::int64_t first, std::int64_t last) {
                 ComplexRow<Real> worker(length);
                 std::vector<Element> in_order(stride == 1 ? 0 : static_cast<std::size_t>(length));
                 for (std::int64_t row = first; row < last; ++row) {
                   const char* const begin = first_of_row(problem, row);
                   const auto* from = reinterpret_cast<const Element*>(begin);
                   if (stride != 1) {
                     gather_row(in_order.data(), begin, stride, length, sizeof(Element));
                     from = in_order.data();
                   }
                   const RowRanks ranks = ranks_of_row(problem, row);
                   std::vector<Element> found(ranks.places.size());
                   if (parted == nullptr) {
                     worker.find(from, length, ranks.places, found.data());
                   } else {
                     Element* const to = parted + row * length;
                     worker.part(from, to, length, ranks.places);
                     for (std::size_t i = 0; i < found.size(); ++i) found[i] = to[ranks.places[i]];
                   }
                   for (std::size_t i = 0; i < found.size(); ++i)
                     out[ranks.numbers[i] * rows + row] = found[i];
                 }
               });
}

}  // namespace

std::int64_t shortest_complex_row(DType dtype) { return dtype == DType::complex64 ? 1024 : 256; }

void run_complex_select(const SelectProblem& problem) {
  problem.dtype == DType::complex64 ? select_elements<float>(problem)
                                    : select_elements<double>(problem);
}

}  // namespace cupola::cpu
