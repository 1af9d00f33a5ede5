#include "exec/evaluation/schedule_key.h"

#include <algorithm>
#include <utility>

#include "exec/launch/key_words.h"

namespace cupola {

namespace {

enum class Word : std::uint64_t { arrays = 1, sources, stored, node, again };

std::uint64_t flags_of(const KernelForm& form) {
  return static_cast<std::uint64_t>(form.row_major) | form.stores_live_outputs << 1 |
         form.has_rolls << 2 | form.has_stages << 3;
}

}  // namespace

void ScheduleKey::Buffers::clear() {
  words.clear();
  arrays.clear();
  streams.clear();
  nodes.clear();
}

ScheduleKey::ScheduleKey(std::span<const Array> arrays, Live live) {
  add(tagged(Word::arrays, static_cast<std::uint64_t>(live) << 32 | arrays.size()));
  visit_roots(arrays);
}

ScheduleKey::ScheduleKey(std::span<const Array> sources, const KernelForm& form) {
  add(tagged(Word::sources, flags_of(form) << 32 | sources.size()));
  add(static_cast<std::uint64_t>(form.free_operations));
  add(bits_of(form.row_axes));
  shape_ = &form.space;
  add_dims(form.space);
  visit_roots(sources);
}

std::uint32_t ScheduleKey::number_of(const ArrayState* array) const {
  const std::uint32_t* const number = numbers_.find(array);
  return number ? *number : 0;
}

std::uint32_t ScheduleKey::number_of_stream(const StreamState* stream) const {
  const auto has_it = [&](const Found& each) {
    return each.is_pending && each.array->state().stream.get() == stream;
  };
  const auto found = std::find_if(found_->arrays.begin(), found_->arrays.end(), has_it);
  if (found == found_->arrays.end()) return 0;
  return static_cast<std::uint32_t>(found - found_->arrays.begin()) + 1;
}

void ScheduleKey::visit_roots(std::span<const Array> roots) {
  for (const Array& root : roots) {
    // Members of a set divide a launch by where the elements lie.
    is_complete_ &= !root.device().is_set();
    if (!is_complete_) return;
    add(word_of(root.device()));
    visit(root);
  }
  is_complete_ &= !found_->nodes.empty();
  if (is_complete_) add_owners();
}

void ScheduleKey::read(const Array& array) {
  const std::uint32_t number = visit(array);
  if (number != 0) ++found_->arrays[number - 1].readings;
}

// Returns its number; 0 once there is no key.
std::uint32_t ScheduleKey::visit(const Array& array) {
  if (!is_complete_) return 0;
  std::uint32_t& known = numbers_[&array.state()];
  if (known != 0) {
    add(tagged(Word::again, known));
    return known;
  }
  const auto number = static_cast<std::uint32_t>(found_->arrays.size()) + 1;
  known = number;
  is_complete_ = number <= kMaxOfKey;
  NodePointer node = node_of(array);
  found_->arrays.push_back({&array, 0, node && node->kind != NodeKind::scalar});
  if (!node) {
    add_stored(array);
    return number;
  }
  // Their schedules have nodes or arrays of their own.
  is_complete_ &= !node->traits.is_view && !node->siblings;
  if (!is_complete_) return 0;
  add_node(array, *node);
  const Node& reader = *node;
  found_->nodes.push_back(std::move(node));
  for (const Array& input : reader.inputs) read(input);
  return number;
}

void ScheduleKey::add_stored(const Array& array) {
  const bool is_row_major = is_c_contiguous(array);
  add(tagged(Word::stored, static_cast<std::uint64_t>(array.dtype()) << 1 | is_row_major));
  add_shape(array.shape());
  if (!is_row_major) add_dims(strides_of(array));
}

void ScheduleKey::add_node(const Array& array, const Node& node) {
  add(tagged(Word::node, word_of(node, array.dtype())));
  add_shape(array.shape());
  if (node.kind == NodeKind::scalar) return;
  const bool is_placed = is_laid_out(array);
  const bool is_row_major = is_placed && is_c_contiguous(array);
  add(stream_of(array) << 16 | static_cast<std::uint64_t>(node.accumulator) << 8 |
      static_cast<std::uint64_t>(is_placed) << 1 | is_row_major);
  if (is_placed && !is_row_major) add_dims(strides_of(array));
  if (node.function) add(reinterpret_cast<std::uintptr_t>(node.function));
  if (!is_mapped(node.kind)) add(bits_of(node.axes));
}

// Who has the arrays decides what is stored. A root has an owner besides its readers.
void ScheduleKey::add_owners() {
  constexpr int kBits = 3;
  std::uint64_t bits = 1;
  for (const Found& each : found_->arrays) {
    if (!each.is_pending) continue;
    if (bits >> (64 - kBits) != 0) add(std::exchange(bits, 1));
    const ArrayState& state = each.array->state();
    const bool is_live = each.array->handle().use_count() > each.readings;
    bits = bits << kBits | static_cast<std::uint64_t>(is_live) << 2 |
           static_cast<std::uint64_t>(state.is_left.load(std::memory_order_relaxed)) << 1 |
           static_cast<std::uint64_t>(state.is_passing.load(std::memory_order_relaxed));
  }
  add(bits);
}

// Tells which arrays have the same.
std::uint64_t ScheduleKey::stream_of(const Array& array) {
  const StreamState* const stream = array.state().stream.get();
  std::vector<const StreamState*>& streams = found_->streams;
  const auto known = std::find(streams.begin(), streams.end(), stream);
  const auto number = static_cast<std::uint64_t>(known - streams.begin());
  if (known == streams.end()) streams.push_back(stream);
  return number << 1 | (stream != nullptr);
}

// Most are that of the one before.
void ScheduleKey::add_shape(const Dims& shape) {
  const bool is_same = shape_ && *shape_ == shape;
  add(is_same);
  if (is_same) return;
  shape_ = &shape;
  add_dims(shape);
}

void ScheduleKey::add_dims(const Dims& dims) { cupola::add_dims(found_->words, dims); }

}  // namespace cupola
