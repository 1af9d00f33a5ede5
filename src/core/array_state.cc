#include "core/array_state.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/mutant.h"
#include "base/threads/recycling.h"

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

// Counts readers of the storage, or of the array as long as it has none.
Computation::Traits add_readers(const Array& array, std::uint32_t more) {
  ArrayState& state = array.state();
  if (!is_stored(array)) {
    const std::lock_guard lock(state.computation_mutex);
    if (!is_stored(array)) {
      state.pending_readers += more;
      return state.computation->traits;
    }
  }
  state.storage->pending_readers.fetch_add(more);
  return {.reads_exposed = state.storage->is_exposed.load()};
}

// With the computation_mutex held; what it returns is to be released without.
ComputationPointer become_stored(ArrayState& state) {
  if (!CUPOLA_MUTANT(forget_later_readers)) {
    state.storage->pending_readers.fetch_add(state.pending_readers, std::memory_order_relaxed);
  }
  state.ready.store(true, std::memory_order_release);
  return std::exchange(state.computation, nullptr);
}

constexpr std::uint32_t kOneLess = ~std::uint32_t{0};

Computation::Traits add_readers_of_all(const std::vector<Array>& inputs, bool is_view) {
  Computation::Traits all{.is_view = is_view};
  for (const Array& input : inputs) {
    const Computation::Traits each = add_readers(input, 1);
    all.reads_exposed |= each.reads_exposed;
    all.is_view |= each.is_view;
  }
  return all;
}

}  // namespace

Computation::Computation(std::vector<Array> read, bool is_view)
    : inputs(std::move(read)), traits(add_readers_of_all(inputs, is_view)) {}

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
    done = become_stored(state);
  }
  release(std::move(done));
}

void publish_view(const Array& pending, const Computation& known, const Array& base,
                  const Layout& layout) {
  ArrayState& state = pending.state();
  ComputationPointer done;
  {
    const std::lock_guard lock(state.computation_mutex);
    if (state.computation.get() != &known) return;
    if (!state.is_laid_out) state.layout = layout;
    state.storage = base.state().storage;
    done = become_stored(state);
  }
  release(std::move(done));
}

void replace_computation(const Array& pending, const Computation& known, ComputationPointer next) {
  ArrayState& state = pending.state();
  {
    const std::lock_guard lock(state.computation_mutex);
    if (state.computation.get() != &known) return;
    state.computation.swap(next);
  }
  release(std::move(next));
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
  auto state = make_recycled<ArrayState>(dtype, std::move(shape), storage->device());
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
