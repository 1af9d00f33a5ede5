// Rows by keys: a thread orders the numbers of a row's elements.

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "base/mutant.h"
#include "platforms/cpu/interpreter/strided.h"
#include "platforms/cpu/interpreter/tile_evaluator.h"
#include "platforms/cpu/interpreter/tile_runner.h"
#include "platforms/cpu/kernels/select_tables.h"
#include "platforms/cpu/kernels/sort_tables.h"
#include "platforms/cpu/ordering/order_rows.h"
#include "platforms/cpu/ordering/value_sort.h"

namespace cupola::cpu {
namespace {

// From counts to the sums of what stands before them.
void sum_before(Bins& bins) {
  std::int64_t sum = 0;
  for (std::int64_t& bin : bins) sum += std::exchange(bin, sum);
}

// Numbers of elements in the order of their keys; equal ones stay in order.
class KeyOrder {
 public:
  KeyOrder(DType key, std::int64_t length, Scratch& scratch)
      : is_narrow_(item_size(key) <= 4),
        key_bytes_(item_size(key)),
        find_keys_(select_functions().keys[static_cast<std::size_t>(key)]),
        sort_(sort_functions(is_narrow_ ? DType::uint64 : DType::complex128).sort),
        digit_count_(sort_digits(key)) {
    const std::array<DType, 2> types{key, DType::uint8};
    digit_loop_ =
        find_loop(UfuncId::sort_digit, find_loop_number(UfuncId::sort_digit, types.data()), 0);
    const auto size = static_cast<std::size_t>(length);
    order_ = take<std::int64_t>(scratch, size);
    if (has_words()) {
      keys_ = take<std::uint64_t>(scratch, size);
      words_ = take<std::uint64_t>(scratch, is_narrow_ ? size : 2 * size);
      return;
    }
    numbers_ = take<std::uint8_t>(scratch, size);
    digits_ = take<std::uint8_t>(scratch, size);
    other_ = take<std::int64_t>(scratch, size);
  }

  const std::int64_t* of(const void* keys) {
    if (has_words()) {
      sort_words(keys);
    } else {
      std::iota(order_.begin(), order_.end(), 0);
      for (int number = 0; number < digit_count_; ++number) part(keys, number);
    }
    return order_.data();
  }

 private:
  template <typename T>
  static std::span<T> take(Scratch& scratch, std::size_t count) {
    return {reinterpret_cast<T*>(scratch.take(count * sizeof(T))), count};
  }
  bool has_words() const { return find_keys_ != nullptr && sort_ != nullptr; }

  // Words with the key above the number, which no two have alike, by vectors.
  void sort_words(const void* values) {
    const auto count = std::ssize(order_);
    find_keys_(keys_.data(), values, 1, count);
    switch (key_bytes_) {
      case 1:
        return sort_words_of<std::uint8_t>();
      case 2:
        return sort_words_of<std::uint16_t>();
      case 4:
        return sort_words_of<std::uint32_t>();
      default:
        return sort_words_of<std::uint64_t>();
    }
  }
  template <typename Key>
  void sort_words_of() {
    const auto* const keys = reinterpret_cast<const Key*>(keys_.data());
    const auto count = std::ssize(order_);
    constexpr bool kNarrow = sizeof(Key) <= 4;
    const int left_out = CUPOLA_MUTANT(skip_a_digit) ? 8 : 0;  // bits
    for (std::int64_t i = 0; i < count; ++i) {
      if constexpr (kNarrow) {
        words_[static_cast<std::size_t>(i)] =
            (std::uint64_t{keys[i]} >> left_out) << 32 | static_cast<std::uint64_t>(i);
      } else {
        words_[static_cast<std::size_t>(2 * i)] = static_cast<std::uint64_t>(i);
        words_[static_cast<std::size_t>(2 * i + 1)] = keys[i] >> left_out;
      }
    }
    sort_(words_.data(), count);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint64_t word = words_[static_cast<std::size_t>(kNarrow ? i : 2 * i)];
      order_[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(word & 0xFFFFFFFF);
    }
  }

  void part(const void* keys, int number) {
    std::fill(numbers_.begin(), numbers_.end(), static_cast<std::uint8_t>(number));
    const std::array<const void*, 2> inputs{keys, numbers_.data()};
    digit_loop_(inputs.data(), digits_.data(), std::ssize(digits_));
    Bins bins{};
    for (const std::uint8_t digit : digits_) ++bins[digit];
    if (bins[digits_[0]] == std::ssize(digits_)) return;
    sum_before(bins);
    for (const std::int64_t i : order_) {
      other_[static_cast<std::size_t>(bins[digits_[static_cast<std::size_t>(i)]]++)] = i;
    }
    std::swap(order_, other_);
  }

  const bool is_narrow_;
  const std::size_t key_bytes_;
  void (*const find_keys_)(void*, const void*, std::int64_t, std::int64_t);
  void (*const sort_)(void*, std::int64_t);
  const int digit_count_;
  LoopFunction digit_loop_;
  std::span<std::uint8_t> numbers_, digits_;
  std::span<std::int64_t> order_, other_;
  std::span<std::uint64_t> keys_, words_;
};

}  // namespace

void run_sort(const TileProgram& program, const LaunchArguments& arguments, Stages& stages) {
  if (sorts_values(program)) return run_value_sort(program, arguments, stages);
  const OrderedRows rows(arguments);
  const int key = program.plan.outputs[0].offset;
  const auto run = [&](std::int64_t first, std::int64_t last) {
    Scratch scratch;
    TileEvaluator evaluator(program, arguments, rows.length, scratch);
    KeyOrder keys(program.plan.steps[static_cast<std::size_t>(key)].dtype, rows.length, scratch);
    for (std::int64_t row = first; row < last; ++row) {
      evaluator.evaluate({row * rows.length, rows.length, rows.axis});
      const std::int64_t* order = keys.of(evaluator.value(key));
      for (std::size_t o = 0; o < arguments.outputs.size(); ++o) {
        const OutputSpec& output = program.plan.outputs[o];
        const std::size_t size = item_size(output.operand.dtype);
        gather_indexed(static_cast<char*>(arguments.outputs[o].pointer) +
                           row * rows.length * static_cast<std::int64_t>(size),
                       evaluator.value(output.value), order, rows.length, size);
      }
    }
  };
  stages.loop(rows.count, grain_for(program.cost * static_cast<double>(rows.length)), run);
}

}  // namespace cupola::cpu
