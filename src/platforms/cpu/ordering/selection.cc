#include "platforms/cpu/ordering/selection.h"

#include <array>
#include <cstring>

#include "platforms/cpu/interpreter/strided.h"
#include "platforms/cpu/kernels/sort_tables.h"
#include "platforms/cpu/ordering/complex_selection.h"
#include "platforms/cpu/ordering/key_selection.h"
#include "platforms/cpu/ordering/row_ranks.h"
#include "platforms/cpu/ordering/shared_row.h"
#include "platforms/cpu/reductions/reduction.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

constexpr std::int64_t kShared = 4 * kSharedChunk;  // rows that several threads share
constexpr std::int64_t kBlock = kSortedTogether;    // rows that one thread takes together
// Rows of so many elements are sorted by vectors, one by one, where these sort keys and the rows
// are not sorted together. Longer ones are selected from.
constexpr std::int64_t kShortestOfVectors = 96;
constexpr std::int64_t kLongestOfVectors = 256;
constexpr std::int64_t kFewRows = 8;  // beside which most of a block would be empty

template <typename Word>
class Selection {
 public:
  explicit Selection(const SelectProblem& problem)
      : problem_(problem), keys_(problem.dtype), length_(problem.length()), rows_(problem.rows()) {}

  void run() const {
    if (length_ >= kShared && (rows_ == 1 || length_ >= kShared * 16)) {
      for (std::int64_t row = 0; row < rows_; ++row) share(row);
      return;
    }
    const std::int64_t blocks = (rows_ + kBlock - 1) / kBlock;
    parallel_for(blocks, grain_for(kBlock * length_ * kStepsOfSelection),
                 [&](std::int64_t first, std::int64_t last) {
                   Block block(*this);
                   for (std::int64_t number = first; number < last; ++number) {
                     block.run(number * kBlock, std::min(rows_, (number + 1) * kBlock));
                   }
                 });
  }

 private:
  RowRanks ranks_of(std::int64_t row) const { return ranks_of_row(problem_, row); }

  RowValues values_of(std::int64_t row) const {
    return {first_of_row(problem_, row), problem_.strides.back(), length_};
  }

  // `place` tells where an element is whose key has several values.
  template <typename Place>
  void store(std::int64_t row, const RowRanks& ranks, const std::vector<FoundKey<Word>>& found,
             const RowValues& values, const Place& place) const {
    auto* const out = static_cast<Word*>(problem_.out);
    for (std::size_t i = 0; i < found.size(); ++i) {
      Word value = keys_.value(found[i].key);
      if (!keys_.has_one_value(found[i].key)) {
        std::memcpy(&value, keys_.at(values, place(found[i])), sizeof(Word));
      }
      out[ranks.numbers[i] * rows_ + row] = value;
    }
  }

  void share(std::int64_t row) const {
    const RowRanks ranks = ranks_of(row);
    const RowValues values = values_of(row);
    SharedRow<Word> keys(keys_, values);
    std::vector<FoundKey<Word>> found(ranks.places.size());
    find_keys<Word>(keys, ranks.places, found.data());
    store(row, ranks, found, values, [&](const FoundKey<Word>& key) { return keys.place_of(key); });
    if (problem_.parted != nullptr) {
      keys.part(found.front(), static_cast<Word*>(problem_.parted) + row * length_);
    }
  }

  // One thread's work: some neighbouring rows at a time.
  class Block {
   public:
    explicit Block(const Selection& of)
        : of_(of),
          sort_(is_short() ? nullptr : vector_sort(of.length_)),
          keys_(make_words<Word>(of.length_ * (is_short() ? kBlock : 1))),
          of_rows_(make_words<Word>(is_short()     ? of.length_ * kBlock
                                    : keeps_keys() ? of.length_
                                                   : 0)) {
      if (of.problem_.parted != nullptr) {
        in_order_ = make_words<Word>(of.length_);
        above_ = make_words<Word>(of.length_);
      }
      if (of.problem_.ranks_of_all) ranks_ = of.ranks_of(0);
      found_.resize(static_cast<std::size_t>(of.problem_.rank_count));
    }

    // Rows `first` to `end - 1`, at most kBlock of them.
    void run(std::int64_t first, std::int64_t end) {
      const std::array<RowValues, kBlock> rows = values_of(first, end);
      if (is_short()) sort_columns(rows, end - first);
      for (std::int64_t row = first; row < end; ++row) {
        if (!of_.problem_.ranks_of_all) ranks_ = of_.ranks_of(row);
        const RowValues& values = rows[static_cast<std::size_t>(row - first)];
        is_short() ? find_in_column(row - first) : find(values);
        of_.store(row, ranks_, found_, values,
                  [&](const FoundKey<Word>& key) { return place_of(values, key); });
        if (of_.problem_.parted != nullptr) part(row, values);
      }
    }

   private:
    // Sorts keys; null: there is none, or something else is as quick.
    static auto vector_sort(std::int64_t length) -> void (*)(void*, std::int64_t) {
      if (length < kShortestOfVectors || length > kLongestOfVectors || sizeof(Word) < 4) return {};
      return sort_functions(sizeof(Word) == 4 ? DType::uint32 : DType::uint64).sort;
    }
    bool is_short() const {
      return of_.rows_ >= kFewRows &&
             of_.length_ <= select_functions().longest_column[kWordNumber<Word>];
    }

    // Whether a row that is parted is sorted where its keys are.
    bool keeps_keys() const { return sort_ != nullptr && of_.problem_.parted != nullptr; }

    // Rows whose elements lie far apart, and near those of the next row, are brought together.
    std::array<RowValues, kBlock> values_of(std::int64_t first, std::int64_t end) {
      std::array<RowValues, kBlock> rows{};
      const std::int64_t count = end - first, length = of_.length_;
      for (std::int64_t row = first; row < end; ++row) {
        rows[static_cast<std::size_t>(row - first)] = of_.values_of(row);
      }
      constexpr auto kItem = static_cast<std::int64_t>(sizeof(Word));
      const std::int64_t step = count > 1 ? (rows[1].first - rows[0].first) / kItem : 0;
      const RowValues& last = rows[static_cast<std::size_t>(count - 1)];
      const bool is_even = last.first - rows[0].first == (count - 1) * step * kItem;
      const std::int64_t stride = rows[0].stride;
      if (stride == 1 || !is_even || std::abs(step) >= std::abs(stride)) return rows;
      if (!near_) near_ = make_words<Word>(kBlock * length);
      transpose_block(near_.get(), length * kItem, rows[0].first, step, stride, count, length,
                      sizeof(Word));
      for (std::int64_t i = 0; i < count; ++i) {
        rows[static_cast<std::size_t>(i)] = {
            reinterpret_cast<const char*>(near_.get() + i * length), 1, length};
      }
      return rows;
    }

    void find(const RowValues& values) {
      of_.keys_.read(values, 0, of_.length_, keys_.get());
      if (sort_ != nullptr) {
        if (keeps_keys()) std::copy_n(keys_.get(), of_.length_, row_keys(0));
        sort_(keys_.get(), of_.length_);
        return find_sorted<Word>(keys_.get(), of_.length_, ranks_.places, found_.data());
      }
      const KeySpan<Word> keys(keys_.get(), of_.length_);
      find_keys<Word>(keys, ranks_.places, found_.data());
    }

    void sort_columns(const std::array<RowValues, kBlock>& rows, std::int64_t count) {
      const std::int64_t length = of_.length_;
      for (std::int64_t i = 0; i < count; ++i) {
        of_.keys_.read(rows[static_cast<std::size_t>(i)], 0, length, row_keys(i));
      }
      constexpr auto kItem = static_cast<std::int64_t>(sizeof(Word));
      transpose_block(keys_.get(), kBlock * kItem, of_rows_.get(), 1, length, length, kBlock,
                      sizeof(Word));
      select_functions().sort_columns[kWordNumber<Word>](keys_.get(), length);
    }

    // Around the element that was found, of this row or the one that was read last. Its keys are
    // those that were selected from, whatever others write meanwhile.
    void part(std::int64_t row, const RowValues& values) {
      const std::int64_t length = of_.length_;
      const Word* keys = keys_.get();
      if (is_short()) keys = row_keys(row % kBlock);
      if (keeps_keys()) keys = row_keys(0);
      const Word* in_row = reinterpret_cast<const Word*>(values.first);
      if (values.stride != 1) {
        gather_row(in_order_.get(), values.first, values.stride, length, sizeof(Word));
        in_row = in_order_.get();
      }
      const FoundKey<Word>& found = found_.front();
      Word* const parted = static_cast<Word*>(of_.problem_.parted) + row * length;
      // What is above goes behind all that equal the key, however many these are.
      PartTargets targets{parted, parted + ranks_.places.front() - found.among, above_.get()};
      select_functions().part[kWordNumber<Word>](targets, in_row, keys, length, &found.key);
      std::copy(above_.get(), static_cast<Word*>(targets.above), static_cast<Word*>(targets.at));
    }

    void find_in_column(std::int64_t column) {
      const auto key_at = [&](std::int64_t i) { return keys_[i * kBlock + column]; };
      for (std::size_t i = 0; i < found_.size(); ++i) {
        const std::int64_t rank = ranks_.places[i];
        const Word key = key_at(rank);
        std::int64_t among = 0;
        while (among < rank && key_at(rank - among - 1) == key) ++among;
        found_[i] = {key, among};
      }
    }

    Word* row_keys(std::int64_t i) const { return of_rows_.get() + i * of_.length_; }

    std::int64_t place_of(const RowValues& values, const FoundKey<Word>& found) const {
      std::int64_t left = found.among, place = 0;
      for (std::int64_t i = 0; i < values.count; ++i) {
        Word key;
        of_.keys_.read(values, i, 1, &key);
        if (key != found.key) continue;
        place = i;
        if (left-- == 0) break;
      }
      return place;
    }

    const Selection& of_;
    void (*const sort_)(void*, std::int64_t);
    const std::unique_ptr<Word[]> keys_;
    // Keys in the order of elements: of all rows of a block that is sorted together, or of one that
    // is parted.
    const std::unique_ptr<Word[]> of_rows_;
    std::unique_ptr<Word[]> in_order_, above_;  // elements of a row that is parted
    std::unique_ptr<Word[]> near_;
    RowRanks ranks_;
    std::vector<FoundKey<Word>> found_;
  };

  const SelectProblem problem_;
  const Keys<Word> keys_;
  const std::int64_t length_;
  const std::int64_t rows_;
};

}  // namespace

void run_select(const SelectProblem& problem) {
  if (is_complex(problem.dtype)) return run_complex_select(problem);
  switch (item_size(problem.dtype)) {
    case 1:
      return Selection<std::uint8_t>(problem).run();
    case 2:
      return Selection<std::uint16_t>(problem).run();
    case 4:
      return Selection<std::uint32_t>(problem).run();
    default:
      return Selection<std::uint64_t>(problem).run();
  }
}

}  // namespace cupola::cpu
