#include "platforms/cpu/ordering/value_sort.h"

#include <algorithm>

#include "base/mutant.h"
#include "platforms/cpu/interpreter/scratch.h"
#include "platforms/cpu/interpreter/tile_evaluator.h"
#include "platforms/cpu/kernels/sort_tables.h"
#include "platforms/cpu/ordering/order_rows.h"
#include "platforms/cpu/reductions/reduction.h"

namespace cupola::cpu {
namespace {

// Rows of more elements are sorted by several threads.
constexpr std::int64_t kWhole = std::int64_t{32} << 10;
constexpr std::int64_t kChunk = std::int64_t{16} << 10;
constexpr std::int64_t kSampleRun = 8;  // neighbours that are sampled together

struct Sorting {
  Sorting(const TileProgram& with_program, const LaunchArguments& with_arguments)
      : program(with_program),
        arguments(with_arguments),
        output(program.plan.outputs[0]),
        functions(sort_functions(output.operand.dtype)),
        rows(arguments),
        key_bytes(static_cast<std::int64_t>(functions.key_bytes)) {}

  char* result(std::int64_t element) const {
    const auto size = static_cast<std::int64_t>(item_size(output.operand.dtype));
    return static_cast<char*>(arguments.outputs[0].pointer) + element * size;
  }
  // Keys of elements of one row, into `keys`.
  void encode(TileEvaluator& evaluator, std::int64_t first, std::int64_t count, char* keys) const {
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t tile = std::min(evaluator.capacity(), count - done);
      evaluator.evaluate({first + done, tile, rows.axis});
      functions.encode(keys + done * key_bytes, evaluator.value(output.value), tile);
      done += tile;
    }
  }
  void sort(char* keys, std::int64_t count, Scratch& scratch) const {
    if (!functions.has_ties(keys, count) || CUPOLA_MUTANT(unordered_ties)) {
      return functions.sort(keys, count);
    }
    const Scratch::Scope scope(scratch);
    functions.sort_stably(keys, scratch.take(static_cast<std::size_t>(count * key_bytes)), count);
  }

  const TileProgram& program;
  const LaunchArguments& arguments;
  const OutputSpec& output;
  const SortFunctions& functions;
  OrderedRows rows;
  std::int64_t key_bytes;
};

// Each row by one thread.
void sort_whole(const Sorting& sorting, Stages& stages) {
  const std::int64_t length = sorting.rows.length;
  stages.loop(sorting.rows.count, grain_for(sorting.program.cost * static_cast<double>(length)),
              [&](std::int64_t first, std::int64_t last) {
                Scratch scratch;
                TileEvaluator evaluator(sorting.program, sorting.arguments,
                                        std::min(sorting.program.tile_elements, length), scratch);
                char* const keys =
                    scratch.take(static_cast<std::size_t>(length * sorting.key_bytes));
                for (std::int64_t row = first; row < last; ++row) {
                  sorting.encode(evaluator, row * length, length, keys);
                  sorting.sort(keys, length, scratch);
                  sorting.functions.decode(sorting.result(row * length), keys, length);
                }
              });
}

// Rows of which samples tell bins: the keys of each chunk are parted by these, so that a bin can be
// brought together and sorted free of the others. Keys of a bin come together in their order.
class BinSort {
 public:
  BinSort(const Sorting& sorting, Stages& stages)
      : sorting_(sorting),
        bins_(bins_of(sorting.rows.length)),
        chunks_((sorting.rows.length + kChunk - 1) / kChunk),
        bounds_(take(stages, sorting.rows.count * bins_ * sorting.key_bytes)),
        keys_(take(stages, sorting.rows.count * sorting.rows.length * sorting.key_bytes)),
        starts_(reinterpret_cast<std::int64_t*>(
            take(stages, sorting.rows.count * chunks_ * (bins_ + 1) *
                             static_cast<std::int64_t>(sizeof(std::int64_t))))) {}

  void run(Stages& stages) {
    stages.loop(sorting_.rows.count, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row) sample(row);
    });
    stages.loop(sorting_.rows.count * chunks_, 1,
                [&](std::int64_t first, std::int64_t last) { part(first, last); });
    stages.loop(sorting_.rows.count * bins_, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t bin = first; bin < last; ++bin) sort(bin / bins_, bin % bins_);
    });
  }

 private:
  static char* take(Stages& stages, std::int64_t bytes) {
    return stages.take(static_cast<std::size_t>(bytes));
  }
  // Multiples of eight. A few for each thread make up for their different lengths.
  static std::int64_t bins_of(std::int64_t length) {
    constexpr std::int64_t kLong = std::int64_t{512} << 10;
    return length < kLong ? 8 : pool_size() <= 8 ? 16 : 64;
  }

  char* bounds(std::int64_t row) const { return bounds_ + row * bins_ * sorting_.key_bytes; }
  // Of a chunk of all rows: where its bins begin, and the end.
  std::int64_t* starts(std::int64_t chunk) const { return starts_ + chunk * (bins_ + 1); }
  std::int64_t first(std::int64_t chunk) const {
    return chunk / chunks_ * sorting_.rows.length + chunk % chunks_ * kChunk;
  }
  std::int64_t size(std::int64_t chunk) const {
    return std::min(kChunk, sorting_.rows.length - chunk % chunks_ * kChunk);
  }

  void sample(std::int64_t row) const {
    Scratch scratch;
    TileEvaluator evaluator(sorting_.program, sorting_.arguments, kSampleRun, scratch);
    const std::int64_t runs = 8 * bins_, apart = sorting_.rows.length / runs;
    char* const keys =
        scratch.take(static_cast<std::size_t>(runs * kSampleRun * sorting_.key_bytes));
    for (std::int64_t run = 0; run < runs; ++run) {
      // Not in step with what repeats itself in the row.
      const auto mixed = static_cast<std::uint64_t>(run) * 0x9E3779B97F4A7C15 >> 32;
      const auto shift =
          static_cast<std::int64_t>(mixed % static_cast<std::uint64_t>(apart - kSampleRun));
      sorting_.encode(evaluator, row * sorting_.rows.length + run * apart + shift, kSampleRun,
                      keys + run * kSampleRun * sorting_.key_bytes);
    }
    sorting_.functions.sort(keys, runs * kSampleRun);
    sorting_.functions.bound(bounds(row), keys, runs * kSampleRun, static_cast<int>(bins_));
  }

  void part(std::int64_t begin, std::int64_t end) const {
    Scratch scratch;
    const std::int64_t tile = std::min(sorting_.program.tile_elements, kChunk);
    TileEvaluator evaluator(sorting_.program, sorting_.arguments, tile, scratch);
    char* const keys = scratch.take(static_cast<std::size_t>(kChunk * sorting_.key_bytes));
    auto* const bins = reinterpret_cast<std::uint8_t*>(scratch.take(kChunk));
    auto* const next = reinterpret_cast<std::int64_t*>(
        scratch.take(static_cast<std::size_t>(bins_) * sizeof(std::int64_t)));
    for (std::int64_t chunk = begin; chunk < end; ++chunk) {
      const std::int64_t count = size(chunk);
      sorting_.encode(evaluator, first(chunk), count, keys);
      sorting_.functions.find_bins(bins, keys, count, bounds(chunk / chunks_),
                                   static_cast<int>(bins_));
      count_bins(bins, count, starts(chunk));
      std::copy_n(starts(chunk), bins_, next);
      sorting_.functions.scatter(keys_ + first(chunk) * sorting_.key_bytes, keys, bins, count,
                                 next);
    }
  }

  void count_bins(const std::uint8_t* bins, std::int64_t count, std::int64_t* starts) const {
    std::fill_n(starts, bins_ + 1, 0);
    for (std::int64_t i = 0; i < count; ++i) ++starts[bins[i] + 1];
    for (std::int64_t bin = 0; bin < bins_; ++bin) starts[bin + 1] += starts[bin];
  }

  void sort(std::int64_t row, std::int64_t bin) const {
    const std::int64_t key_bytes = sorting_.key_bytes;
    std::int64_t begin = 0, end = 0;
    for (std::int64_t chunk = row * chunks_; chunk < (row + 1) * chunks_; ++chunk) {
      begin += starts(chunk)[bin];
      end += starts(chunk)[bin + 1];
    }
    if (begin == end) return;
    Scratch scratch;
    char* const keys =
        sorting_.result(row * sorting_.rows.length + begin);  // as long as the values
    char* next = keys;
    for (std::int64_t chunk = row * chunks_; chunk < (row + 1) * chunks_; ++chunk) {
      const std::int64_t from = starts(chunk)[bin], count = starts(chunk)[bin + 1] - from;
      next = std::copy_n(keys_ + (first(chunk) + from) * key_bytes, count * key_bytes, next);
    }
    sorting_.sort(keys, end - begin, scratch);
    sorting_.functions.decode(keys, keys, end - begin);
  }

  const Sorting& sorting_;
  const std::int64_t bins_;
  const std::int64_t chunks_;  // of a row
  char* const bounds_;
  char* const keys_;
  std::int64_t* const starts_;
};

}  // namespace

bool sorts_long_values(DType dtype) {
  // A row of complex numbers is sorted by one thread: more than these part it sooner by its digits.
  constexpr int kFewThreads = 4;
  if (is_complex(dtype) && pool_size() > kFewThreads) return false;
  return sort_functions(dtype).key_bytes == item_size(dtype);
}

bool sorts_values(const TileProgram& program) {
  const OutputSpec& first = program.plan.outputs[0];
  return program.plan.outputs.size() == 1 && first.value == first.offset &&
         sort_functions(first.operand.dtype).key_bytes > 0;
}

void run_value_sort(const TileProgram& program, const LaunchArguments& arguments, Stages& stages) {
  const Sorting sorting(program, arguments);
  if (sorting.rows.length <= kWhole || sorting.functions.bound == nullptr ||
      !sorts_long_values(sorting.output.operand.dtype)) {
    return sort_whole(sorting, stages);
  }
  BinSort(sorting, stages).run(stages);
}

}  // namespace cupola::cpu
