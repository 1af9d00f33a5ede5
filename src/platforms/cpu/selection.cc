#include "platforms/cpu/selection.h"

#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "platforms/cpu/kernels/sort_tables.h"
#include "platforms/cpu/key_selection.h"
#include "platforms/cpu/reduction.h"
#include "platforms/cpu/strided.h"
#include "platforms/cpu/thread_pool.h"

namespace cupola::cpu {
namespace {

constexpr std::int64_t kChunk = 64 * 1024;        // elements that are worth a thread
constexpr std::int64_t kShared = 4 * kChunk;      // rows that several threads share
constexpr std::int64_t kBlock = kSortedTogether;  // rows that one thread takes together
// Rows of at most so many elements are sorted whole, kBlock of them together.
constexpr std::int64_t kShort = 1024;
// Rows of so many elements are sorted by vectors, one by one, where these sort keys. Longer ones
// are selected from.
constexpr std::int64_t kShortestOfVectors = 96;
constexpr std::int64_t kLongestOfVectors = 256;
constexpr std::int64_t kFewRows = 8;  // beside which most of a block would be empty

// The elements of a row, where they lie.
struct RowValues {
  const char* first;
  std::int64_t stride;  // elements
  std::int64_t count;
};

// How keys and values of one dtype become each other.
template <typename Word>
class Keys {
 public:
  explicit Keys(DType dtype) : dtype_(dtype) {}

  void read(const RowValues& row, std::int64_t begin, std::int64_t count, Word* keys) const {
    select_functions().keys[static_cast<std::size_t>(dtype_)](keys, at(row, begin), row.stride,
                                                              count);
  }
  const char* at(const RowValues& row, std::int64_t i) const {
    return row.first + i * row.stride * static_cast<std::int64_t>(sizeof(Word));
  }
  // Zeros of both signs, and NaNs, have one key each.
  bool has_one_value(Word key) const {
    return !is_inexact(dtype_) || (key != kTop && key != static_cast<Word>(~Word(0)));
  }
  Word value(Word key) const {
    if (is_inexact(dtype_)) return static_cast<Word>((key & kTop) != 0 ? key ^ kTop : ~key);
    return static_cast<Word>(is_signed_integer() ? key ^ kTop : key);
  }

 private:
  static constexpr Word kTop = static_cast<Word>(Word(1) << (8 * sizeof(Word) - 1));
  bool is_signed_integer() const {
    return dtype_ == DType::int8 || dtype_ == DType::int16 || dtype_ == DType::int32 ||
           dtype_ == DType::int64;
  }
  const DType dtype_;
};

// The keys of a row that all threads share.
template <typename Word>
class SharedRow {
 public:
  SharedRow(const Keys<Word>& keys, const RowValues& row)
      : keys_(keys), row_(row), chunks_((row.count + kChunk - 1) / kChunk) {}

  std::int64_t size() const { return row_.count; }
  Word at(std::int64_t i) const {
    Word key;
    keys_.read(row_, i, 1, &key);
    return key;
  }
  void copy(Word* keys) const { keys_.read(row_, 0, row_.count, keys); }

  std::int64_t collect(std::span<KeyBounds<Word>> bounds, Word* collected) const {
    const std::size_t count = bounds.size();
    std::vector<KeyBounds<Word>> of_chunks;
    of_chunks.reserve(static_cast<std::size_t>(chunks_) * count);
    for (std::int64_t chunk = 0; chunk < chunks_; ++chunk) {
      for (const KeyBounds<Word>& each : bounds) of_chunks.push_back({each.low, each.high});
    }
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(chunks_));
    each_chunk([&](std::int64_t chunk) {
      const auto number = static_cast<std::size_t>(chunk);
      Word* const begin = collected + chunk * kChunk;
      Word* end = begin;
      const auto own = std::span(of_chunks).subspan(number * count, count);
      each_tile(chunk, [&](const Word* keys, std::int64_t keys_count) {
        end = collect_keys(keys, keys_count, own, end);
        return true;
      });
      sizes[number] = end - begin;
    });
    std::int64_t total = 0;
    for (std::int64_t chunk = 0; chunk < chunks_; ++chunk) {
      const auto number = static_cast<std::size_t>(chunk);
      std::memmove(collected + total, collected + chunk * kChunk,
                   static_cast<std::size_t>(sizes[number]) * sizeof(Word));
      total += sizes[number];
      for (std::size_t i = 0; i < count; ++i) {
        const BoundCounts& more = of_chunks[number * count + i].counts;
        BoundCounts& sum = bounds[i].counts;
        sum = {sum.below + more.below, sum.at_low + more.at_low, sum.between + more.between,
               sum.at_high + more.at_high};
      }
    }
    return total;
  }

  // The place of an element: so many of its key come before it.
  std::int64_t place_of(const FoundKey<Word>& found) {
    if (counts_.empty() || counted_ != found.key) count(found.key);
    std::int64_t left = found.among, chunk = 0;
    while (chunk + 1 < chunks_ && left >= counts_[static_cast<std::size_t>(chunk)]) {
      left -= counts_[static_cast<std::size_t>(chunk++)];
    }
    std::int64_t place = chunk * kChunk;
    each_tile(chunk, [&](const Word* keys, std::int64_t keys_count) {
      for (std::int64_t i = 0; i < keys_count; ++i) {
        if (keys[i] == found.key && left-- == 0) return place += i, false;
      }
      return place += keys_count, true;
    });
    return std::min(place, row_.count - 1);  // where others write meanwhile
  }

  // Into `parted`, around the found key.
  void part(const FoundKey<Word>& found, Word* parted) const {
    std::vector<BoundCounts> before(static_cast<std::size_t>(chunks_));
    each_chunk([&](std::int64_t chunk) {
      before[static_cast<std::size_t>(chunk)] = counts_of(chunk, found.key);
    });
    BoundCounts sums;
    for (BoundCounts& each : before) {
      const BoundCounts own = std::exchange(each, sums);
      sums.below += own.below;
      sums.at_low += own.at_low;
    }
    each_chunk([&](std::int64_t chunk) {
      const std::int64_t begin = chunk * kChunk;
      const BoundCounts& done = before[static_cast<std::size_t>(chunk)];
      Word* const at = parted + sums.below + done.at_low;
      Word* const above = parted + sums.below + sums.at_low + begin - done.below - done.at_low;
      PartTargets targets{parted + done.below, at, above};
      Word values[kKeysAtOnce];
      std::int64_t i = begin;
      each_tile(chunk, [&](const Word* keys, std::int64_t count) {
        keep_within(targets, keys, count, found.key, parted + row_.count);
        const auto* in_row = reinterpret_cast<const Word*>(keys_.at(row_, i));
        if (row_.stride != 1) {
          gather_row(values, keys_.at(row_, i), row_.stride, count, sizeof(Word));
          in_row = values;
        }
        select_functions().part[kWordNumber<Word>](targets, in_row, keys, count, &found.key);
        i += count;
        return true;
      });
    });
  }

 private:
  // Keys like this in each chunk.
  void count(Word key) {
    counted_ = key;
    counts_.assign(static_cast<std::size_t>(chunks_), 0);
    each_chunk([&](std::int64_t chunk) {
      counts_[static_cast<std::size_t>(chunk)] = counts_of(chunk, key).at_low;
    });
  }
  // What others write meanwhile never leads out of the row.
  static void keep_within(PartTargets& targets, const Word* keys, std::int64_t count, Word pivot,
                          Word* end) {
    const auto far = [&](void* target) { return end - static_cast<Word*>(target) < count; };
    if (!far(targets.below) && !far(targets.at) && !far(targets.above)) return;
    BoundCounts own_counts;
    count_around(keys, count, pivot, own_counts);
    const auto clamp = [&](void* target, std::int64_t own) -> void* {
      return std::min(static_cast<Word*>(target), end - own);
    };
    const std::int64_t below = own_counts.below, equal = own_counts.at_low;
    targets = {clamp(targets.below, below), clamp(targets.at, equal),
               clamp(targets.above, count - below - equal)};
  }
  BoundCounts counts_of(std::int64_t chunk, Word key) const {
    BoundCounts counts;
    each_tile(chunk, [&](const Word* keys, std::int64_t keys_count) {
      count_around(keys, keys_count, key, counts);
      return true;
    });
    return counts;
  }
  template <typename Function>
  void each_chunk(const Function& function) const {
    parallel_for(chunks_, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t chunk = first; chunk < last; ++chunk) function(chunk);
    });
  }
  // As long as the function returns true.
  template <typename Function>
  void each_tile(std::int64_t chunk, const Function& function) const {
    Word keys[kKeysAtOnce];
    const std::int64_t end = std::min((chunk + 1) * kChunk, row_.count);
    for (std::int64_t i = chunk * kChunk; i < end; i += kKeysAtOnce) {
      const std::int64_t count = std::min(kKeysAtOnce, end - i);
      keys_.read(row_, i, count, keys);
      if (!function(keys, count)) return;
    }
  }

  const Keys<Word>& keys_;
  const RowValues row_;
  const std::int64_t chunks_;
  std::vector<std::int64_t> counts_;  // of the key that was counted last
  Word counted_ = 0;
};

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
  // The ranks of a row, ascending, and their numbers.
  struct Ranks {
    std::vector<std::int64_t> places, numbers;
  };

  Ranks ranks_of(std::int64_t row) const {
    const auto* all = static_cast<const std::int64_t*>(problem_.ranks);
    const auto rank = [&](std::int64_t number) {
      const std::int64_t at = problem_.ranks_of_all ? number : number * rows_ + row;
      return std::clamp<std::int64_t>(all[at], 0, length_ - 1);
    };
    const auto count = static_cast<std::size_t>(problem_.rank_count);
    Ranks ranks{std::vector<std::int64_t>(count), std::vector<std::int64_t>(count)};
    std::iota(ranks.numbers.begin(), ranks.numbers.end(), 0);
    std::vector<std::int64_t> clamped(count);
    for (std::size_t i = 0; i < count; ++i) clamped[i] = rank(static_cast<std::int64_t>(i));
    std::stable_sort(ranks.numbers.begin(), ranks.numbers.end(), [&](auto a, auto b) {
      return clamped[static_cast<std::size_t>(a)] < clamped[static_cast<std::size_t>(b)];
    });
    for (std::size_t i = 0; i < count; ++i) {
      ranks.places[i] = clamped[static_cast<std::size_t>(ranks.numbers[i])];
    }
    return ranks;
  }

  RowValues values_of(std::int64_t row) const {
    Dims extents = problem_.extents;
    extents.back() = 1;
    const std::int64_t offset = extents.rank() == 2
                                    ? row * problem_.strides[0]
                                    : strided_offset(extents, problem_.strides, row);
    const auto* in = static_cast<const char*>(problem_.in);
    return {in + offset * static_cast<std::int64_t>(sizeof(Word)), problem_.strides.back(),
            length_};
  }

  // `place` tells where an element is whose key has several values.
  template <typename Place>
  void store(std::int64_t row, const Ranks& ranks, const std::vector<FoundKey<Word>>& found,
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
    const Ranks ranks = ranks_of(row);
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
          sort_(vector_sort(of.length_)),
          keys_(make_words<Word>(of.length_ * (is_short() ? kBlock : 1))),
          of_rows_(std::make_unique<Word[]>(
              is_short() || of.problem_.parted != nullptr
                  ? static_cast<std::size_t>(of.length_ * (is_short() ? kBlock : 1))
                  : 0)) {
      if (of.problem_.parted != nullptr) in_order_ = make_words<Word>(of.length_);
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
    static bool has_vectors() { return select_functions().collect[kWordNumber<Word>] != nullptr; }
    bool is_short() const {
      const std::int64_t longest = has_vectors() ? kLongestOfVectors : kShort;
      return sort_ == nullptr && of_.length_ <= longest && of_.rows_ >= kFewRows;
    }

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

    // Around the element that was found, of this row or the one that was read last.
    void part(std::int64_t row, const RowValues& values) {
      const std::int64_t length = of_.length_;
      Word* const keys = row_keys(is_short() ? row % kBlock : 0);
      if (!is_short()) of_.keys_.read(values, 0, length, keys);
      const Word* in_row = reinterpret_cast<const Word*>(values.first);
      if (values.stride != 1) {
        gather_row(in_order_.get(), values.first, values.stride, length, sizeof(Word));
        in_row = in_order_.get();
      }
      const FoundKey<Word>& found = found_.front();
      BoundCounts counts;
      count_around(keys, length, found.key, counts);
      Word* const parted = static_cast<Word*>(of_.problem_.parted) + row * length;
      Word* const at = parted + counts.below;
      PartTargets targets{parted, at, at + counts.at_low};
      select_functions().part[kWordNumber<Word>](targets, in_row, keys, length, &found.key);
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
    std::unique_ptr<Word[]> in_order_;  // elements of a row that is parted
    std::unique_ptr<Word[]> near_;
    Ranks ranks_;
    std::vector<FoundKey<Word>> found_;
  };

  const SelectProblem problem_;
  const Keys<Word> keys_;
  const std::int64_t length_;
  const std::int64_t rows_;
};

}  // namespace

void run_select(const SelectProblem& problem) {
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
