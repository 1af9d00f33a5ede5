#include "graph/index_map.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace cupola {

namespace {

// The dimensions along which there is anything to move, from the largest stride to the smallest.
std::vector<std::size_t> moving_dimensions(const Dims& shape, const Dims& strides) {
  std::vector<std::size_t> dimensions;
  for (std::size_t j = 0; j < shape.size(); ++j) {
    if (shape[j] > 1) dimensions.push_back(j);
  }
  std::sort(dimensions.begin(), dimensions.end(),
            [&](std::size_t a, std::size_t b) { return strides[a] > strides[b]; });
  return dimensions;
}

}  // namespace

std::optional<IndexMap> IndexMap::find(const Dims& array_shape, const Dims& strides,
                                       const Dims& view_shape, const Layout& view) {
  if (element_count(view_shape) == 0) return std::nullopt;
  const std::vector<std::size_t> moving = moving_dimensions(array_shape, strides);
  IndexMap map;
  map.view_shape_ = view_shape;
  map.first_ = Dims(array_shape.size(), 0);
  std::int64_t rest = view.offset;
  for (const std::size_t j : moving) {
    map.first_[j] = rest / strides[j];
    rest %= strides[j];
  }
  if (rest != 0) return std::nullopt;
  Dims lowest = map.first_, highest = map.first_;
  for (std::size_t d = 0; d < view_shape.size(); ++d) {
    map.source_.push_back(kNone);
    map.step_.push_back(0);
    if (view_shape[d] == 1) continue;
    const std::int64_t stride = view.strides[d];
    const auto source = std::find_if(moving.begin(), moving.end(),
                                     [&](std::size_t j) { return strides[j] <= std::abs(stride); });
    if (source == moving.end() || stride % strides[*source] != 0) return std::nullopt;
    map.source_.back() = static_cast<std::int64_t>(*source);
    map.step_.back() = stride / strides[*source];
    const std::int64_t reach = map.step_.back() * (view_shape[d] - 1);
    (reach < 0 ? lowest : highest)[*source] += reach;
  }
  for (const std::size_t j : moving) {
    if (lowest[j] < 0 || highest[j] >= array_shape[j]) return std::nullopt;
  }
  return map;
}

Layout IndexMap::apply(const Layout& array) const {
  Layout layout{Dims(view_shape_.size(), 0), array.offset};
  layout.offset =
      std::inner_product(first_.begin(), first_.end(), array.strides.begin(), array.offset);
  for (std::size_t d = 0; d < view_shape_.size(); ++d) {
    if (source_[d] == kNone) continue;
    layout.strides[d] = step_[d] * array.strides[static_cast<std::size_t>(source_[d])];
  }
  return layout;
}

Dims IndexMap::shape_of(const Dims& array_shape) const {
  const std::size_t lead = first_.size() - array_shape.size();
  Dims shape = view_shape_;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (source_[d] == kNone) continue;
    const auto source = static_cast<std::size_t>(source_[d]);
    if (source < lead || array_shape[source - lead] == 1) shape[d] = 1;
  }
  return shape;
}

}  // namespace cupola
