// Each device is to have a run of the sorted row. By a look at some elements, all others are told
// apart: those that surely lie in one of the runs, and the few around the borders between two runs.
// They are parted by that, and those around borders are sorted, which settles what each run has
// (sampling as in Blelloch et al., "A Comparison of Sorting Algorithms for the Connection Machine
// CM-2", 1991). Then the runs are rows, each sorted where it lies.

#include "ops/sorting/sort_near_memory.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

#include "cupola/ops/index.h"
#include "cupola/ops/manip.h"
#include "cupola/ops/reduce.h"
#include "cupola/ops/sort.h"
#include "cupola/runtime.h"
#include "cupola/striping.h"
#include "exec/evaluation/evaluator.h"
#include "ops/support.h"

namespace cupola {

namespace {

constexpr std::int64_t kFewest = 64 * 1024;
constexpr int kFewestDigits = 4;  // fewer passes are not worth one more
// One part of so many of a row is sorted sooner than the host finds out that it need not be.
constexpr std::int64_t kShortStretch = 64;
constexpr std::int64_t kElementsPerSample = 64, kMaxSamples = 1 << 20;

// What `change` makes of each array that is there.
template <typename Change>
NumberedRows each(const NumberedRows& rows, const Change& change) {
  const auto changed = [&](const Array& a) { return a.has_value() ? change(a) : Array(); };
  return {changed(rows.elements), changed(rows.numbers)};
}

NumberedRows part_of(const NumberedRows& row, std::int64_t begin, std::int64_t end) {
  return each(row, [&](const Array& a) { return part_of(a, begin, end); });
}

NumberedRows reshape(const NumberedRows& rows, const Dims& shape) {
  return each(rows, [&](const Array& a) { return reshape(a, shape); });
}

NumberedRows empty_like(const NumberedRows& rows) {
  return each(rows, [](const Array& a) { return empty_rows(a.dtype(), a); });
}

// Some elements, sorted: one of each stretch, at a place that follows from its number alone and
// yet has no period.
Array samples_of(const Array& row) {
  const std::int64_t count = std::min(kMaxSamples, row.size() / kElementsPerSample);
  const std::int64_t stretch = row.size() / count;
  const Device device = row.device();
  const auto number = [&](std::int64_t value) {
    return make_constant(value, DType::int64, device);
  };
  const Array numbers = axis_positions(count, 0, 1, device);
  const Array hash = make_ufunc(
      UfuncId::bitwise_and,
      {make_ufunc(UfuncId::multiply, {numbers, number(0x9E3779B1)}), number(0xFFFFFFFF)});
  const Array within = make_ufunc(
      UfuncId::right_shift, {make_ufunc(UfuncId::multiply, {hash, number(stretch)}), number(32)});
  const Array first = make_ufunc(UfuncId::multiply, {numbers, number(stretch)});
  return sort(take_numbers(row, make_ufunc(UfuncId::add, {first, within})));
}

// NaN as infinity: what is told of elements by these numbers takes one comparison each, and holds
// in the order of sorting, too.
Array numbers_of(const Array& a) {
  if (!is_inexact(a.dtype())) return a;
  const double infinity = std::numeric_limits<double>::infinity();
  return make_ufunc(UfuncId::fmin, {a, make_constant(infinity, a.dtype(), a.device())});
}

// Where one run ends and the next one begins.
struct Border {
  std::int64_t rank;  // of the first element behind it
  // Numbers of elements around it, of shape (); missing: there is none before, or behind.
  Array low, high;
};

std::vector<Border> borders_of(const Array& row, std::int64_t run) {
  const Array samples = samples_of(row);
  const std::int64_t count = samples.size();
  // Four times the standard deviation of a sample's rank, at most.
  const auto far = static_cast<std::int64_t>(2 * std::sqrt(static_cast<double>(count)));
  const auto sample = [&](std::int64_t place) {
    if (place < 0 || place >= count) return Array();
    return evaluate(numbers_of(get_index(samples, {place})));
  };
  std::vector<Border> borders;
  for (std::int64_t rank = run; rank < row.size(); rank += run) {
    const auto place = static_cast<std::int64_t>(
        static_cast<double>(rank) / static_cast<double>(row.size()) * static_cast<double>(count));
    borders.push_back({rank, sample(place - far), sample(place + far)});
  }
  return borders;
}

Array reaches(const Array& numbers, const Array& bound) {
  return make_ufunc(UfuncId::greater_equal, {numbers, bound});
}
Array passes(const Array& numbers, const Array& bound) {
  return make_ufunc(UfuncId::greater, {numbers, bound});
}

// How many of the numbers that stand for borders are less than an element's, or low and equal.
Array bins_of(const Array& row, std::span<const Border> borders) {
  const Array numbers = numbers_of(row);
  Array bins = make_constant(0, DType::uint8, row.device());
  const auto count = [&](const Array& condition) {
    bins = make_ufunc(UfuncId::add, {bins, make_cast(condition, DType::uint8)});
  };
  for (const auto& [rank, low, high] : borders) {
    if (low.has_value()) count(reaches(numbers, low));
    if (high.has_value()) count(passes(numbers, high));
  }
  return bins;
}

// How many elements of a row stand before a border's low one, or before those behind its high one:
// they come first, as the row was parted by that. Each look tells it better.
class CountBefore {
 public:
  CountBefore(const Array& row, const Array& bound, SearchSide side)
      : row_(row), bound_(bound), side_(side), most_(row.size()) {}

  std::int64_t least() const { return least_; }
  std::int64_t most() const { return most_; }
  // How many of the elements that are looked at next are past the bound; to be given to take().
  Array look() {
    constexpr std::int64_t kLooks = 32 * 1024;  // elements that are looked at together
    step_ = std::max<std::int64_t>(1, (most_ - least_) / kLooks);
    const Array looks = numbers_of(part_of(row_, least_ + step_ - 1, most_, step_));
    looks_ = looks.size();
    return sum(side_ == SearchSide::left ? reaches(looks, bound_) : passes(looks, bound_));
  }
  void take(std::int64_t past) {
    const std::int64_t before = looks_ - past;
    if (past > 0) most_ = least_ + (before + 1) * step_ - 1;
    least_ += before * step_;
  }

 private:
  const Array& row_;
  const Array& bound_;
  const SearchSide side_;
  std::int64_t least_ = 0, most_, step_ = 0, looks_ = 0;
};

// Elements that, once they are sorted, leave each one before the border at its place or before it.
struct BorderedStretch {
  std::int64_t begin, end;
  bool has_border;  // false: the border's element lies elsewhere
};

// All elements that the border's low and high one are around, and some that only may be: to wait
// for another look takes longer than to sort them.
class LookAround {
 public:
  LookAround(const Array& row, const Border& border) : size_(row.size()), rank_(border.rank) {
    if (border.low.has_value()) low_.emplace(row, border.low, SearchSide::left);
    if (border.high.has_value()) high_.emplace(row, border.high, SearchSide::right);
  }

  BorderedStretch stretch() const {
    const std::int64_t begin = low_ ? low_->least() : 0, end = high_ ? high_->most() : size_;
    return {begin, end, rank_ >= begin && rank_ <= end};
  }
  // What has to be looked at once more to tell the stretch.
  std::vector<CountBefore*> open() {
    std::vector<CountBefore*> open;
    if (!stretch().has_border) return open;
    if (low_ && low_->most() > rank_) open.push_back(&*low_);
    if (high_ && high_->least() < rank_) open.push_back(&*high_);
    return open;
  }

 private:
  const std::int64_t size_, rank_;
  std::optional<CountBefore> low_, high_;
};

// Around all borders at the same time.
std::vector<BorderedStretch> stretches_of(const Array& row, std::span<const Border> borders) {
  std::vector<LookAround> all;
  all.reserve(borders.size());
  for (const Border& border : borders) all.emplace_back(row, border);
  for (;;) {
    std::vector<CountBefore*> open;
    for (LookAround& each : all) std::ranges::copy(each.open(), std::back_inserter(open));
    if (open.empty()) break;
    std::vector<Array> looks;
    for (CountBefore* each : open) looks.push_back(each->look());
    const std::vector<std::int64_t> past = stack(looks).to_vector<std::int64_t>();
    for (std::size_t i = 0; i < open.size(); ++i) open[i]->take(past[i]);
  }
  std::vector<BorderedStretch> stretches;
  for (const LookAround& each : all) stretches.push_back(each.stretch());
  return stretches;
}

// Not in place: what is between two devices is far from both.
void sort_stretch(const NumberedRows& row, const BorderedStretch& stretch) {
  const NumberedRows near = part_of(row, stretch.begin, stretch.end);
  const NumberedRows sorted = empty_like(near);
  sort_by_digits(near, sorted);
  write(sorted.elements, near.elements);
  if (near.numbers.has_value()) write(sorted.numbers, near.numbers);
}

// Sorts the elements around each border of a row that was parted. False: one lies elsewhere.
bool settle(const NumberedRows& row, std::span<const Border> borders) {
  const std::vector<BorderedStretch> all = stretches_of(row.elements, borders);
  if (!std::ranges::all_of(all, &BorderedStretch::has_border)) return false;
  // Between equal elements there is no order but theirs; infinity may stand for NaN.
  const auto are_equal = [](const Array& low, const Array& high) {
    const Array infinite = make_ufunc(UfuncId::isinf, {high});
    return !read_bool(make_ufunc(UfuncId::logical_or, {passes(high, low), infinite}));
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [rank, low, high] = borders[i];
    if (rank == all[i].begin || rank == all[i].end) continue;
    const bool is_long = all[i].end - all[i].begin > row.elements.size() / kShortStretch;
    if (is_long && low.has_value() && high.has_value() && are_equal(low, high)) continue;
    sort_stretch(row, all[i]);
  }
  return true;
}

}  // namespace

bool sort_near_memory(const NumberedRows& rows, const NumberedRows& result) {
  const std::int64_t size = rows.elements.size();
  const DType dtype = rows.elements.dtype();
  if (!rows.elements.device().is_set() || size < kFewest || rows.elements.shape().back() < size ||
      is_complex(dtype) || sort_digits(dtype) < kFewestDigits) {
    return false;
  }
  const NumberedRows all = reshape({evaluate(rows.elements), rows.numbers}, {size});
  const NumberedRows target = reshape(result, {size});
  const Array& held = target.elements.has_value() ? target.elements : all.elements;
  const auto devices = static_cast<std::int64_t>(placement_of(held).size());
  if (devices == 1) return false;
  const std::int64_t run = size / devices;
  const std::vector<Border> borders = borders_of(all.elements, run);

  const bool in_place =
      target.elements.has_value() && data_pointer(all.elements) == data_pointer(target.elements);
  const bool is_beside = in_place || !target.elements.has_value();
  NumberedRows near = empty_like({is_beside ? all.elements : Array(), all.numbers});
  if (!is_beside) near.elements = target.elements;
  const auto bins = 2 * static_cast<int>(borders.size()) + 1;
  part_by_bins(all, bins_of(all.elements, borders), near, bins);
  if (in_place) {
    write(near.elements, target.elements);
    near.elements = target.elements;
  }

  if (!settle(near, borders)) {
    sort_by_digits(near, target);
    return true;
  }
  const std::int64_t runs_end = devices * run;
  const auto sort_part = [&](std::int64_t begin, std::int64_t end, const Dims& shape) {
    sort_by_digits(reshape(part_of(near, begin, end), shape),
                   reshape(part_of(target, begin, end), shape));
  };
  sort_part(0, runs_end, {devices, run});
  if (runs_end < size) sort_part(runs_end, size, {1, size - runs_end});
  return true;
}

}  // namespace cupola
