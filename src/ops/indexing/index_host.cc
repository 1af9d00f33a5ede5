#include "ops/indexing/index_host.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/copy_apart.h"
#include "exec/evaluation/allocation.h"
#include "exec/host/host_access.h"
#include "exec/host/host_copy.h"
#include "exec/host/host_element.h"
#include "ops/few_elements.h"
#include "ops/indexing/known_range.h"
#include "ops/operands.h"
#include "ops/true_elements.h"

namespace cupola {

namespace {

// Neighbours in memory, of which the host copies some at a time.
struct Runs {
  std::vector<std::int64_t> offsets;  // in elements from the view's first, in the result's order
  std::int64_t elements = 1;          // of each
};

// Whether the host may look at the elements of both, which are few.
bool are_few(const Array& view, const IndexPlan& plan) {
  const std::int64_t count = element_count(plan.result_shape);
  if (count > kMaxIndexedOnHost || plan.result_shape.rank() > kMaxRank) return false;
  // Without elements in other dimensions NumPy asks more than bounds.
  if (count == 0 && element_count(plan.advanced_shape) > 0) return false;
  if (view.device().is_set() || !host_shares_memory(view.device()) || !is_there(view)) return false;
  return std::all_of(plan.advanced.begin(), plan.advanced.end(), [&](const AdvancedTerm& term) {
    const Array& positions = term.positions;
    return positions.device() == view.device() && is_there(positions) && is_c_contiguous(positions);
  });
}

// Counted from the first element.
template <typename T>
std::int64_t counted(T given, std::int64_t extent) {
  const auto position = static_cast<std::int64_t>(given);
  return std::is_signed_v<T> ? position + (position >> 63 & extent) : position;
}
bool is_within(std::int64_t position, std::int64_t extent) {
  return static_cast<std::uint64_t>(position) < static_cast<std::uint64_t>(extent);
}

// False: some are out of bounds.
bool add_offsets(const Array& positions, std::int64_t extent, std::int64_t stride,
                 std::span<std::int64_t> offsets) {
  return dispatch_integer(positions.dtype(), [&](auto zero) {
    const auto* const at = static_cast<const decltype(zero)*>(pointer_of(positions));
    bool are_within = true;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      const std::int64_t position = counted(at[i], extent);
      are_within &= is_within(position, extent);
      offsets[i] += position * stride;
    }
    return are_within;
  });
}

// The same in one pass over the elements of a vector.
bool take_at(char* target, const char* source, const Array& positions, std::int64_t extent,
             std::int64_t stride, std::size_t item) {
  const auto count = static_cast<std::size_t>(positions.size());
  return dispatch_integer(positions.dtype(), [&](auto zero) {
    const auto* const at = static_cast<const decltype(zero)*>(pointer_of(positions));
    return dispatch_item_size(item, [&](auto bytes) {
      const std::int64_t step = stride * static_cast<std::int64_t>(bytes);
      for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t position = counted(at[i], extent);
        if (!is_within(position, extent)) return false;
        std::memcpy(target + i * bytes, source + position * step, bytes);
      }
      return true;
    });
  });
}

// Each value for each element of `shape`, which the values' shape is broadcast to.
void add_broadcast(std::span<const std::int64_t> values, const Dims& from, const Dims& shape,
                   std::span<std::int64_t> sums) {
  const Dims steps = broadcast_strides(from, c_strides(from), shape);
  Dims at(shape.size(), 0);
  std::int64_t place = 0;
  for (std::int64_t& sum : sums) {
    sum += values[static_cast<std::size_t>(place)];
    for (std::size_t d = shape.size(); d-- > 0;) {
      place += steps[d];
      if (++at[d] < shape[d]) break;
      place -= at[d] * steps[d];
      at[d] = 0;
    }
  }
}

// Where the positions lie. Nothing: some are out of bounds.
std::optional<std::vector<std::int64_t>> places_of(const IndexPlan& plan) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(element_count(plan.advanced_shape)), 0);
  for (const AdvancedTerm& term : plan.advanced) {
    const std::int64_t extent = plan.shape[term.dimension];
    const std::int64_t stride = plan.layout.strides[term.dimension];
    if (term.positions.shape() == plan.advanced_shape) {
      if (!add_offsets(term.positions, extent, stride, places)) return std::nullopt;
      continue;
    }
    std::vector<std::int64_t> own(static_cast<std::size_t>(term.positions.size()), 0);
    if (!add_offsets(term.positions, extent, stride, own)) return std::nullopt;
    add_broadcast(own, term.positions.shape(), plan.advanced_shape, places);
  }
  return places;
}

// Each offset with each of the steps behind it.
std::vector<std::int64_t> spread(std::span<const std::int64_t> offsets,
                                 std::span<const std::int64_t> steps) {
  std::vector<std::int64_t> result;
  result.reserve(offsets.size() * steps.size());
  for (const std::int64_t offset : offsets) {
    for (const std::int64_t step : steps) result.push_back(offset + step);
  }
  return result;
}

std::vector<std::int64_t> steps_along(std::int64_t extent, std::int64_t stride) {
  std::vector<std::int64_t> steps(static_cast<std::size_t>(extent));
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = static_cast<std::int64_t>(i) * stride;
  return steps;
}

// Nothing: some positions are out of bounds.
std::optional<Runs> runs_of(const IndexPlan& plan) {
  auto places = places_of(plan);
  if (!places) return std::nullopt;
  std::vector<bool> is_indexed(plan.shape.size(), false);
  for (const AdvancedTerm& term : plan.advanced) is_indexed[term.dimension] = true;
  std::vector<std::size_t> others;
  for (std::size_t d = 0; d < plan.shape.size(); ++d) {
    if (!is_indexed[d]) others.push_back(d);
  }
  Runs runs;
  const std::size_t first = plan.position;  // behind the places
  std::size_t last = others.size();
  for (; last > first; --last) {
    const std::size_t d = others[last - 1];
    if (plan.shape[d] != 1 && plan.layout.strides[d] != runs.elements) break;
    runs.elements *= plan.shape[d];
  }
  if (first == 0) runs.offsets = *std::move(places);
  for (std::size_t i = 0; i < last; ++i) {
    const std::size_t d = others[i];
    const auto steps = steps_along(plan.shape[d], plan.layout.strides[d]);
    runs.offsets = i == 0 && first > 0 ? steps : spread(runs.offsets, steps);
    if (i + 1 == first) runs.offsets = spread(runs.offsets, *places);
  }
  return runs;
}

bool may_read_all(HostAccess& access, const IndexPlan& plan) {
  return std::all_of(plan.advanced.begin(), plan.advanced.end(),
                     [&](const AdvancedTerm& term) { return access.may_read(term.positions); });
}

void take_places(char* target, const char* source, std::span<const std::int64_t> offsets,
                 std::size_t item, std::int64_t elements) {
  if (elements == 1) {
    return dispatch_item_size(item, [&](auto bytes) {
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        const std::int64_t offset = offsets[i] * static_cast<std::int64_t>(bytes);
        std::memcpy(target + i * bytes, source + offset, bytes);
      }
    });
  }
  const std::size_t bytes = item * static_cast<std::size_t>(elements);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    copy_apart(target + i * bytes, source + offsets[i] * static_cast<std::int64_t>(item), bytes);
  }
}

void put_places(char* target, const char* source, std::span<const std::int64_t> offsets,
                std::size_t item, std::int64_t elements) {
  if (elements == 1) {
    return dispatch_item_size(item, [&](auto bytes) {
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        const std::int64_t offset = offsets[i] * static_cast<std::int64_t>(bytes);
        std::memcpy(target + offset, source + i * bytes, bytes);
      }
    });
  }
  const std::size_t bytes = item * static_cast<std::size_t>(elements);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    copy_apart(target + offsets[i] * static_cast<std::int64_t>(item), source + i * bytes, bytes);
  }
}

void put_number(char* target, const Scalar& number, std::span<const std::int64_t> offsets,
                std::int64_t elements) {
  dispatch_item_size(item_size(number.dtype()), [&](auto bytes) {
    for (const std::int64_t offset : offsets) {
      for (std::int64_t i = 0; i < elements; ++i) {
        std::memcpy(target + (offset + i) * static_cast<std::int64_t>(bytes), number.data(), bytes);
      }
    }
  });
}

// What is stored at the places: one element for all, or elements in their order.
struct Source {
  Scalar number;
  const char* elements = nullptr;
};

// Nothing: a kernel is to convert, repeat or order it.
std::optional<Source> source_of(HostAccess& access, const Array& a, const Dims& shape,
                                const Operand& value) {
  if (!value.is_array()) return Source{value.scalar().cast(a.dtype())};
  const Array& array = value.array();
  if (array.dtype() != a.dtype() || !is_stored(array) || may_overlap(array, a)) return std::nullopt;
  const bool is_one = array.size() == 1 && array.rank() <= 1;
  if (!is_one && (array.shape() != shape || !is_c_contiguous(array))) return std::nullopt;
  if (!access.may_read(array)) return std::nullopt;
  const char* const elements = static_cast<const char*>(pointer_of(array));
  if (is_one) return Source{Scalar::from_bytes(a.dtype(), elements)};
  return Source{Scalar(), elements};
}

Mask elements_of_mask(const Array& mask) {
  return {static_cast<const unsigned char*>(pointer_of(mask)),
          static_cast<std::size_t>(mask.size())};
}

// Whether both have few elements, row by row, where the host may look at them.
bool are_uniform_and_few(const Array& values, const Array& mask) {
  if (is_work_watched() || values.size() > kMaxOnHost || values.size() == 0) return false;
  if (values.device() != mask.device() || values.shape() != mask.shape()) return false;
  if (values.device().is_set() || !host_shares_memory(values.device())) return false;
  return is_there(values) && is_there(mask) && is_c_contiguous(values) && is_c_contiguous(mask);
}

void expand_elements(char* target, const Source& source, const Mask& mask, std::size_t item) {
  dispatch_item_size(item, [&](auto bytes) {
    const auto* from =
        source.elements ? source.elements : static_cast<const char*>(source.number.data());
    const std::size_t step = source.elements ? bytes : 0;
    for_each_true(mask, [&](std::size_t i) {
      std::memcpy(target + i * bytes, from, bytes);
      from += step;
    });
  });
}

void compress_elements(char* target, const char* values, const Mask& mask, std::size_t item) {
  dispatch_item_size(item, [&](auto bytes) {
    for_each_true(mask, [&](std::size_t i) {
      std::memcpy(target, values + i * bytes, bytes);
      target += bytes;
    });
  });
}

}  // namespace

Array get_on_host(const Array& view, const IndexPlan& plan) {
  if (is_work_watched() || !are_few(view, plan)) return {};
  HostAccess access;
  if (!access.may_read(view) || !may_read_all(access, plan)) return {};
  const std::optional<Runs> runs = runs_of(plan);
  if (!runs) return {};
  if (runs->offsets.empty()) {
    return allocate_array(view.dtype(), plan.result_shape, view.device());
  }
  const Array result = find_array(view.dtype(), plan.result_shape, view.device());
  if (!result.has_value() || !access.may_write(result)) return {};
  take_places(static_cast<char*>(pointer_of(result)), static_cast<const char*>(pointer_of(view)),
              runs->offsets, item_size(view.dtype()), runs->elements);
  return result;
}

Array get_on_host(const Array& a, const Array& positions) {
  const std::int64_t count = positions.size();
  if (a.rank() != 1 || positions.rank() == 0 || !is_integer(positions.dtype())) return {};
  if (count == 0 || count > kMaxIndexedOnHost || positions.device() != a.device()) return {};
  if (a.device().is_set() || !host_shares_memory(a.device()) || is_work_watched()) return {};
  if (!is_stored(a) || !is_stored(positions) || !is_c_contiguous(positions)) return {};
  HostAccess access;
  if (!access.may_read(a) || !access.may_read(positions)) return {};
  const Array result = find_array(a.dtype(), positions.shape(), a.device());
  if (!result.has_value() || !access.may_write(result)) return {};
  const bool are_within =
      take_at(static_cast<char*>(pointer_of(result)), static_cast<const char*>(pointer_of(a)),
              positions, a.shape()[0], strides_of(a)[0], item_size(a.dtype()));
  return are_within ? result : Array();
}

bool set_on_host(const Array& view, const IndexPlan& plan, const Operand& value) {
  if (is_work_watched() || !are_few(view, plan)) return false;
  const bool reads_itself =
      std::any_of(plan.advanced.begin(), plan.advanced.end(),
                  [&](const AdvancedTerm& term) { return may_overlap(term.positions, view); });
  if (reads_itself || (value.is_array() && !is_there(value.array()))) return false;
  HostAccess access;  // nothing is computed from here on: that may need what is held
  if (!may_read_all(access, plan)) return false;
  const std::optional<Source> source = source_of(access, view, plan.result_shape, value);
  const auto runs = source ? runs_of(plan) : std::nullopt;
  if (!runs || !access.may_write(view)) return false;
  char* const target = static_cast<char*>(pointer_of(view));
  if (source->elements == nullptr) {
    put_number(target, source->number, runs->offsets, runs->elements);
  } else {
    put_places(target, source->elements, runs->offsets, item_size(view.dtype()), runs->elements);
  }
  return true;
}

bool expand_on_host(const Array& a, const Array& mask, const Operand& value) {
  if (!are_uniform_and_few(a, mask) || may_overlap(mask, a)) return false;
  if (value.is_array() && !is_there(value.array())) return false;
  HostAccess access;  // as above
  if (!access.may_read(mask)) return false;
  const Mask chosen = elements_of_mask(mask);
  const Dims shape{count_true(chosen)};
  const std::optional<Source> source = source_of(access, a, shape, value);
  if (!source || !access.may_write(a)) return false;
  expand_elements(static_cast<char*>(pointer_of(a)), *source, chosen, item_size(a.dtype()));
  return true;
}

Array compress_on_host(const Array& values, const Array& mask) {
  if (!are_uniform_and_few(values, mask)) return {};
  HostAccess access;
  if (!access.may_read(values) || !access.may_read(mask)) return {};
  const Mask chosen = elements_of_mask(mask);
  const std::int64_t count = count_true(chosen);
  const Array result = find_array(values.dtype(), {count}, values.device());
  if (!result.has_value() || !access.may_write(result)) return {};
  compress_elements(static_cast<char*>(pointer_of(result)),
                    static_cast<const char*>(pointer_of(values)), chosen,
                    item_size(values.dtype()));
  return result;
}

}  // namespace cupola
