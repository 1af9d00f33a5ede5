// From index terms to an IndexPlan.

#include <fmt/format.h>

#include "core/array_state.h"
#include "core/slice_stride.h"
#include "cupola/error.h"
#include "exec/evaluation/evaluator.h"
#include "ops/indexing/index_plan.h"
#include "ops/operands.h"
#include "ops/support.h"

namespace cupola {

namespace {

bool is_mask(const Array& array) { return array.dtype() == DType::bool_; }

struct NormalSlice {
  std::int64_t start, step, length;
};

// Python's slice.indices().
NormalSlice normalize_slice(const Slice& slice, std::int64_t extent) {
  const std::int64_t step = slice.step.value_or(1);
  if (step == 0) throw ValueError("slice step cannot be zero");
  const std::int64_t lowest = step > 0 ? 0 : -1;
  const std::int64_t highest = step > 0 ? extent : extent - 1;
  const auto bound = [&](const std::optional<std::int64_t>& value, std::int64_t otherwise) {
    if (!value) return otherwise;
    return std::clamp(*value < 0 ? *value + extent : *value, lowest, highest);
  };
  const std::int64_t start = bound(slice.start, step > 0 ? lowest : highest);
  const std::int64_t stop = bound(slice.stop, step > 0 ? highest : lowest);
  const std::int64_t distance = step > 0 ? stop - start : start - stop;
  if (distance <= 0) return {start, step, 0};
  // -(step + 1) avoids the overflow of -step for the smallest integer.
  const auto stride =
      step > 0 ? static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(-(step + 1)) + 1;
  const auto gaps = (static_cast<std::uint64_t>(distance) - 1) / stride;
  return {start, step, static_cast<std::int64_t>(gaps) + 1};
}

class Parser {
 public:
  Parser(const Array& a, const Index& index) : a_(a), index_(index) {
    plan_.layout.offset = a.state().layout.offset;
  }

  IndexPlan parse() {
    survey();
    for (const IndexTerm& term : index_) {
      std::visit([this](const auto& value) { add(value); }, term);
    }
    add(Slice{}, a_.rank() - static_cast<int>(next_));
    finish();
    return std::move(plan_);
  }

 private:
  // Counts what the terms consume, so that the ellipsis knows its length.
  void survey() {
    int consumed = 0, ellipses = 0, added = 0, removed = 0, arrays = 0;
    for (const IndexTerm& term : index_) {
      if (const auto* array = std::get_if<Array>(&term)) {
        check_index_dtype(*array);
        has_arrays_ = true;
        consumed += is_mask(*array) ? array->rank() : 1;
        arrays += is_mask(*array) ? std::max(array->rank(), 1) : 1;
      } else if (std::holds_alternative<Ellipsis>(term)) {
        ++ellipses;
      } else if (std::holds_alternative<NewAxis>(term)) {
        ++added;
      } else {
        ++consumed;
        removed += std::holds_alternative<std::int64_t>(term);
      }
    }
    if (ellipses > 1) throw IndexError("an index can only have a single ellipsis ('...')");
    if (consumed > a_.rank()) {
      throw IndexError(
          fmt::format("too many indices for array: array is {}-dimensional, but {} were indexed",
                      a_.rank(), consumed));
    }
    if (arrays > kMaxRank) {
      throw IndexError(fmt::format("too many advanced (array) indices: {}, {} at most are taken",
                                   arrays, kMaxRank));
    }
    check_rank(a_.rank() - removed + added);
    skipped_ = a_.rank() - consumed;
  }

  static void check_rank(int rank) {
    if (rank <= kMaxRank) return;
    throw IndexError(
        fmt::format("number of dimensions must be within [0, {}], indexing result would have {}",
                    kMaxRank, rank));
  }

  void add(std::int64_t position) {
    const std::int64_t extent = a_.shape()[next_];
    if (position < -extent || position >= extent) {
      throw IndexError(fmt::format("index {} is out of bounds for axis {} with size {}", position,
                                   next_, extent));
    }
    plan_.layout.offset += (position < 0 ? position + extent : position) * stride();
    ++next_;
    if (has_arrays_) meet_advanced();
  }

  void add(const Slice& slice) {
    end_advanced();
    const NormalSlice normal = normalize_slice(slice, a_.shape()[next_]);
    if (normal.length > 0) plan_.layout.offset += normal.start * stride();
    push_basic(normal.length, stride_of_slice(normal.length, stride(), normal.step));
    ++next_;
  }

  void add(const Slice& whole, int count) {
    for (int i = 0; i < count; ++i) add(whole);
  }

  void add(const NewAxis&) {
    end_advanced();
    push_basic(1, 1);
  }

  void add(const Ellipsis&) {
    end_advanced();
    add(Slice{}, skipped_);
  }

  void add(const Array& given) {
    const Array array = on_device(given, a_.device());
    meet_advanced();
    if (!is_mask(array)) {
      add_advanced(array, false);
    } else if (array.rank() == 0) {
      arrays_shapes_.push_back(Dims{read_bool(array) ? 1 : 0});
    } else {
      check_mask(array);
      for (const Array& positions : nonzero(array)) add_advanced(positions, true);
    }
  }

  void add_advanced(const Array& positions, bool in_bounds) {
    plan_.advanced.push_back({positions, plan_.shape.size(), next_, in_bounds});
    arrays_shapes_.push_back(positions.shape());
    plan_.shape.push_back(a_.shape()[next_]);
    plan_.layout.strides.push_back(stride());
    ++next_;
  }

  void check_mask(const Array& mask) const {
    for (std::size_t i = 0; i < mask.shape().size(); ++i) {
      const std::int64_t extent = a_.shape()[next_ + i];
      if (mask.shape()[i] == extent || mask.shape()[i] == 0) continue;
      throw IndexError(
          fmt::format("boolean index did not match indexed array along axis {}; size of axis is {} "
                      "but size of corresponding boolean axis is {}",
                      next_ + i, extent, mask.shape()[i]));
    }
  }

  void push_basic(std::int64_t extent, std::int64_t step) {
    plan_.shape.push_back(extent);
    plan_.layout.strides.push_back(step);
    basic_extents_.push_back(extent);
  }

  // Advanced terms that stand together keep their place in the result; separated ones go first.
  void meet_advanced() {
    if (group_ == Group::none) plan_.position = basic_extents_.size();
    if (group_ == Group::ended) plan_.position = 0;
    group_ = group_ == Group::none || group_ == Group::open ? Group::open : Group::separated;
  }
  void end_advanced() {
    if (group_ == Group::open) group_ = Group::ended;
  }

  void finish() {
    plan_.is_basic = !has_arrays_;
    try {
      plan_.advanced_shape = broadcast_shapes(arrays_shapes_);
    } catch (const ValueError&) {
      std::string shapes;
      for (const Dims& shape : arrays_shapes_) shapes += " " + to_string(shape);
      throw IndexError(
          "shape mismatch: indexing arrays could not be broadcast together with shapes" + shapes);
    }
    check_rank(basic_extents_.rank() + plan_.advanced_shape.rank());
    for (std::size_t i = 0; i < basic_extents_.size(); ++i) {
      if (i == plan_.position) append_advanced_shape();
      plan_.result_shape.push_back(basic_extents_[i]);
    }
    if (plan_.position >= basic_extents_.size()) append_advanced_shape();
  }
  void append_advanced_shape() {
    for (const std::int64_t extent : plan_.advanced_shape) plan_.result_shape.push_back(extent);
  }

  std::int64_t stride() const { return strides_of(a_)[next_]; }

  enum class Group { none, open, ended, separated };

  const Array& a_;
  const Index& index_;
  IndexPlan plan_;
  Group group_ = Group::none;
  bool has_arrays_ = false;
  int skipped_ = 0;       // dimensions that the ellipsis stands for
  std::size_t next_ = 0;  // dimension of `a`
  Dims basic_extents_;    // of the result
  std::vector<Dims> arrays_shapes_;
};

}  // namespace

IndexPlan plan_index(const Array& a, const Index& index) { return Parser(a, index).parse(); }

void check_index_dtype(const Array& array) {
  if (is_integer(array.dtype()) || array.dtype() == DType::bool_) return;
  throw IndexError(
      fmt::format("arrays used as indices must be of integer (or boolean) type, not {}",
                  name_of(array.dtype())));
}

}  // namespace cupola
