#include "core/array_state.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/mutant.h"

namespace cupola {

namespace {

using ComputationPointer = std::shared_ptr<const Computation>;

// The thread's computations that are to be released next, while it releases one.
thread_local std::vector<ComputationPointer>* doomed = nullptr;

void release(ComputationPointer first) {
  if (doomed) return doomed->push_back(std::move(first));
  std::vector<ComputationPointer> all;
  doomed = &all;
  first.reset();
  while (!all.empty()) {
    const ComputationPointer next = std::move(all.back());
    all.pop_back();
  }
  doomed = nullptr;
}

// Counts readers of the storage, or of the array as long as it has none. Returns whether its
// elements may be written by others at any time.
bool add_readers(const Array& array, std::uint32_t more) {
  ArrayState& state = array.state();
  if (!is_stored(array)) {
    const std::lock_guard lock(state.computation_mutex);
    if (!is_stored(array)) {
      state.pending_readers += more;
      return state.computation->reads_exposed;
    }
  }
  state.storage->pending_readers.fetch_add(more);
  return state.storage->is_exposed.load();
}

constexpr std::uint32_t kOneLess = ~std::uint32_t{0};

bool add_readers_of_all(const std::vector<Array>& inputs) {
  bool any_exposed = false;
  for (const Array& input : inputs) any_exposed |= add_readers(input, 1);
  return any_exposed;
}

}  // namespace

Computation::Computation(std::vector<Array> read)
    : inputs(std::move(read)), reads_exposed(add_readers_of_all(inputs)) {}

Computation::~Computation() {
  for (const Array& input : inputs) add_readers(input, kOneLess);
}

ArrayState::~ArrayState() {
  if (computation) release(std::move(computation));
}

std::shared_ptr<const Computation> pending_computation(const Array& array) {
  if (is_stored(array)) return nullptr;
  const std::lock_guard lock(array.state().computation_mutex);
  return array.state().computation;
}

void publish(const Array& pending, const Array& stored) {
  ArrayState& state = pending.state();
  if (!state.is_laid_out) state.layout = stored.state().layout;
  publish(pending, stored.state().storage);
}

void publish(const Array& pending, std::shared_ptr<Storage> storage) {
  ArrayState& state = pending.state();
  state.storage = std::move(storage);
  ComputationPointer done;
  {
    const std::lock_guard lock(state.computation_mutex);
    if (!CUPOLA_MUTANT(forget_later_readers)) {
      state.storage->pending_readers.fetch_add(state.pending_readers, std::memory_order_relaxed);
    }
    state.ready.store(true, std::memory_order_release);
    done = std::exchange(state.computation, nullptr);
  }
  release(std::move(done));
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
