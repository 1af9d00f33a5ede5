#include "core/array_state.h"

namespace cupola {

namespace {

bool is_last_handle(const Array& array) {
  return array.has_value() && array.handle().use_count() == 1;
}

// Moves the inputs of `state` that nobody else holds into `doomed`.
void give_up_inputs(ArrayState& state, std::vector<Array>& doomed) {
  for (Array& input : state.inputs) {
    if (is_last_handle(input)) doomed.push_back(std::move(input));
  }
  state.inputs.clear();
}

}  // namespace

ArrayState::~ArrayState() {
  std::vector<Array> doomed;
  give_up_inputs(*this, doomed);
  while (!doomed.empty()) {
    const Array last = std::move(doomed.back());
    doomed.pop_back();
    if (is_last_handle(last)) give_up_inputs(last.state(), doomed);
  }
}

DType Array::dtype() const { return state_->dtype; }
const Dims& Array::shape() const { return state_->shape; }
std::int64_t Array::size() const { return element_count(state_->shape); }
std::int64_t Array::item_size() const {
  return static_cast<std::int64_t>(cupola::item_size(state_->dtype));
}
const Device& Array::device() const { return state_->device; }
bool Array::writable() const { return state_->writable; }

Array make_stored(DType dtype, Dims shape, std::shared_ptr<Storage> storage, Layout layout,
                  bool writable) {
  auto state = std::make_shared<ArrayState>(dtype, std::move(shape), storage->device());
  state->writable = writable && storage->writable();
  state->storage = std::move(storage);
  state->layout = std::move(layout);
  state->ready.store(true, std::memory_order_release);
  return Array(std::move(state));
}

Array make_view(const Array& base, Dims shape, Layout layout) {
  return make_view(base, base.dtype(), std::move(shape), std::move(layout));
}

Array make_view(const Array& base, DType dtype, Dims shape, Layout layout) {
  return make_stored(dtype, std::move(shape), base.state().storage, std::move(layout),
                     base.writable());
}

void* pointer_of(const Array& array) {
  const ArrayState& state = array.state();
  return static_cast<char*>(state.storage->data()) + state.layout.offset * array.item_size();
}

bool is_c_contiguous(const Array& array) {
  return is_c_contiguous(array.shape(), strides_of(array));
}

bool is_f_contiguous(const Array& array) {
  return is_f_contiguous(array.shape(), strides_of(array));
}

bool may_overlap(const Array& a, const Array& b) {
  if (a.size() == 0 || b.size() == 0) return false;
  const auto range = [](const Array& array) {
    const Extent extent = touched_extent(array.shape(), array.state().layout);
    const auto base = reinterpret_cast<std::intptr_t>(array.state().storage->data());
    const std::int64_t item = array.item_size();
    return std::pair{base + extent.first * item, base + (extent.last + 1) * item};
  };
  const auto [a_first, a_last] = range(a);
  const auto [b_first, b_last] = range(b);
  return a_first < b_last && b_first < a_last && a.device() == b.device();
}

bool is_same_view(const Array& a, const Array& b) {
  return a.shape() == b.shape() && a.item_size() == b.item_size() &&
         pointer_of(a) == pointer_of(b) && strides_of(a) == strides_of(b);
}

}  // namespace cupola
