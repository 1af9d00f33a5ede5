#include "exec/launch/launch_key.h"

#include <algorithm>
#include <limits>

#include "base/containers/hash.h"
#include "exec/launch/key_words.h"

namespace cupola {

namespace {

enum class Word : std::uint64_t {
  node = 1,
  again,
  array,
  same_array,
  same_scalar,
  target,
  layout,
  rows
};

std::uint64_t place_of(DType dtype, const void* address) {
  return static_cast<std::uint64_t>(dtype) << 4 | reinterpret_cast<std::uintptr_t>(address) % 16;
}

}  // namespace

void LaunchKey::Buffers::clear() {
  words.clear();
  arrays.clear();
  scalars.clear();
  known_scalars.clear();
  nodes.clear();
  visits.clear();
}

LaunchKey::LaunchKey(std::span<const Write> writes) {
  const Array& first = writes.front().target;
  begin(writes.front().space(), first.device());
  add(writes.size());
  for (const Write& write : writes) {
    if (write.store != StoreKind::plain) is_complete_ = false;
    if (!is_complete_) return;
    visit(write.value);
    add_target(write.target);
  }
  if (!add_form()) return;
  for (const Write& write : writes) add_dims(write.target);
}

LaunchKey::LaunchKey(const Array& value, const void* target) {
  begin(value.shape(), value.device());
  add(1);
  visit(value);
  place_target(value.dtype(), target);
  if (!add_form()) return;
  add_dims(value.shape());
  add_dims(c_strides(value.shape()));
}

LaunchKey::LaunchKey(std::span<const Write> writes, const RowSpace& rows) {
  begin(rows.space, writes.front().target.device());
  has_rows_ = true;
  is_flat_ = false;
  add(tagged(Word::rows, writes.size() << 1 | static_cast<std::uint64_t>(rows.is_outer)));
  add(bits_of(rows.axes));
  for (const Write& write : writes) {
    visit(write.value);
    if (!is_complete_) return;
    place_target(write.target.dtype(), pointer_of(write.target));
  }
  if (!add_form()) return;
  for (const Write& write : writes) add_dims(write.target);
}

LaunchKey::LaunchKey(const Array& reduction, const Array& result, const Array& placed,
                     const void* address) {
  const NodePointer node = node_of(reduction);
  const Array& input = node->inputs[0];
  begin(input.shape(), placed.device());
  reduces_ = true;
  is_complete_ = node->kind != NodeKind::segment_reduce;
  buffers_->nodes.push_back(node);
  add_operation(*node, node->accumulator);
  add(bits_of(node->axes));
  visit(input);
  add_visit(reduction);
  visit(result);
  is_flat_ &= placed.size() == 1 && node->axes.rank() == input.rank();
  place_target(placed.dtype(), address);
  if (add_form()) add_dims(placed);
}

void LaunchKey::begin(const Dims& space, const Device& device) {
  space_ = &space;
  size_ = element_count(space);
  add(word_of(device));
}

// Returns its number, counted from 1; 0 once there is no key.
std::uint32_t LaunchKey::visit(const Array& array) {
  if (const std::uint32_t* const number = numbers_.find(&array.state())) {
    add(tagged(Word::again, *number));
    return *number;
  }
  const std::uint32_t number = add_visit(array);
  is_complete_ &= number <= kMaxOfKey;
  if (!is_complete_) return 0;
  NodePointer node = node_of(array);
  if (node) {
    add_node(array, std::move(node));
  } else {
    add_leaf(array);
  }
  return is_complete_ ? number : 0;
}

std::uint32_t LaunchKey::add_visit(const Array& array) {
  buffers_->visits.push_back({&array});
  return numbers_[&array.state()] = static_cast<std::uint32_t>(buffers_->visits.size());
}

void LaunchKey::add_node(const Array& array, NodePointer pointer) {
  const Node& node = *pointer;
  is_complete_ = has_key(node);
  if (!is_complete_) return;
  buffers_->nodes.push_back(std::move(pointer));
  buffers_->visits.back().is_pending = node.kind != NodeKind::scalar;
  is_flat_ &=
      node.kind != NodeKind::index && node.kind != NodeKind::roll && node.kind != NodeKind::gather;
  add_operation(node, array.dtype());
  if (node.kind == NodeKind::reduce) add(static_cast<std::uint64_t>(node.accumulator));
  if (node.kind == NodeKind::scalar) return add_scalar(node.value);
  if (node.kind == NodeKind::roll) add_dims(node.shifts);
  if (reduces_) add_layout(array);
  for (const Array& input : node.inputs) {
    const std::uint32_t number = visit(input);
    if (number == 0) return;
    ++buffers_->visits[number - 1].readings;
  }
}

bool LaunchKey::has_live() const {
  return std::any_of(buffers_->visits.begin(), buffers_->visits.end(), [](const Visit& each) {
    return each.is_pending && each.readings > 0 && each.array->handle().use_count() > each.readings;
  });
}

bool LaunchKey::has_key(const Node& node) const {
  if (node.kind == NodeKind::reduce) return has_rows_;
  return is_mapped(node.kind);
}

void LaunchKey::add_operation(const Node& node, DType dtype) {
  add(tagged(Word::node, word_of(node, dtype)));
  if (node.kind == NodeKind::user || node.kind == NodeKind::reduce) {
    add(reinterpret_cast<std::uintptr_t>(node.function));
  }
}

// Which scalars are equal: equal steps of them are one step of a plan.
void LaunchKey::add_scalar(const Scalar& scalar) {
  std::vector<const Scalar*>& scalars = buffers_->scalars;
  const std::size_t first = buffers_->known_scalars.find_or_add(
      hash64(scalar.data(), 16, static_cast<std::uint64_t>(scalar.dtype())), scalars.size(),
      [&](std::size_t earlier) { return scalars[earlier]->is_same(scalar); });
  if (first < scalars.size()) add(tagged(Word::same_scalar, first));
  scalars.push_back(&scalar);
}

void LaunchKey::add_leaf(const Array& array) {
  std::vector<const Array*>& arrays = buffers_->arrays;
  const auto same = std::find_if(arrays.begin(), arrays.end(), [&](const Array* other) {
    return other->state().storage == array.state().storage && other->dtype() == array.dtype() &&
           is_same_view(*other, array);
  });
  if (same != arrays.end()) {
    return add(tagged(Word::same_array, static_cast<std::uint64_t>(same - arrays.begin())));
  }
  add(tagged(Word::array, place_of(array.dtype(), pointer_of(array))));
  is_flat_ &= is_row_major(array);
  arrays.push_back(&array);
}

// Decides the order of combination.
void LaunchKey::add_layout(const Array& pending) {
  if (!is_laid_out(pending) || is_row_major(pending)) {
    return add(tagged(Word::layout, is_laid_out(pending)));
  }
  is_flat_ = false;
  add(tagged(Word::layout, 2));
  add_dims(pending);
}

void LaunchKey::add_target(const Array& target) {
  is_flat_ &= is_row_major(target);
  place_target(target.dtype(), pointer_of(target));
}

void LaunchKey::place_target(DType dtype, const void* address) {
  add(tagged(Word::target, place_of(dtype, address)));
}

bool LaunchKey::add_form() {
  is_flat_ &= size_ >= 2 && size_ <= std::numeric_limits<std::int32_t>::max();
  add(is_flat_);
  if (is_flat_ || !is_complete_) return false;
  add_dims(*space_);
  for (const Array* array : buffers_->arrays) add_dims(*array);
  return true;
}

void LaunchKey::add_dims(const Array& array) {
  add_dims(array.shape());
  add_dims(strides_of(array));
}

void LaunchKey::add_dims(const Dims& dims) { cupola::add_dims(buffers_->words, dims); }

void LaunchKey::add(std::uint64_t word) { buffers_->words.push_back(word); }

bool LaunchKey::is_row_major(const Array& array) const {
  return array.shape() == *space_ && is_c_contiguous(array);
}

}  // namespace cupola
