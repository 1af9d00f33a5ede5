#include "ops/indexing/uncounted.h"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "base/threads/mutex.h"
#include "core/array_state.h"
#include "driver/registry.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "exec/lending/work_graph.h"
#include "ops/indexing/index_plan.h"
#include "ops/support.h"
#include "runtime/stream.h"

namespace cupola {

namespace {

// The mask where the index is one of all dimensions of the array, and of its device.
const Array* whole_mask(const Array& a, const Index& index) {
  if (index.size() != 1) return nullptr;
  const auto* mask = std::get_if<Array>(&index.front());
  const bool is_whole = mask != nullptr && mask->dtype() == DType::bool_ && mask->rank() > 0 &&
                        mask->shape() == a.shape() && mask->device() == a.device();
  return is_whole ? mask : nullptr;
}

// Others may write its elements at any time.
bool is_exposed(const Array& array) {
  if (const auto computation = pending_computation(array)) return computation->traits.reads_exposed;
  return array.state().storage->is_exposed;
}

}  // namespace

class Uncounted::State final : public UnshapedResult {
 public:
  State(Array values, Array mask)
      : dtype_(values.dtype()), device_(values.device()), computation_(read({values, mask})) {}

  DType dtype() const { return dtype_; }
  const Device& device() const { return device_; }

  const Array& elements() {
    compute();
    return elements_;
  }
  void compute() override {
    while (!is_counted_.load(std::memory_order_acquire)) {
      const ComputationPointer known = computation();
      if (!known) return;  // another thread was quicker
      Array found = compress(known->inputs[0], known->inputs[1]);
      ComputationPointer done;  // goes after the lock
      const std::lock_guard lock(mutex_);
      if (computation_ != known) continue;  // meanwhile it was replaced, or counted
      done = std::exchange(computation_, nullptr);
      elements_ = std::move(found);
      is_counted_.store(true, std::memory_order_release);
    }
  }
  std::vector<Array> inputs() const override {
    const ComputationPointer known = computation();
    return known ? known->inputs : std::vector<Array>{};
  }
  bool replace(const Array& values) {
    ComputationPointer next;
    if (const ComputationPointer known = computation()) next = read({values, known->inputs[1]});
    const std::lock_guard lock(mutex_);
    if (!computation_ || !next) return false;
    computation_.swap(next);
    return true;
  }

 private:
  using ComputationPointer = std::shared_ptr<const Computation>;

  // As a reader of both.
  static ComputationPointer read(std::vector<Array> inputs) {
    return std::make_shared<const Computation>(std::move(inputs));
  }
  ComputationPointer computation() const {
    const std::lock_guard lock(mutex_);
    return computation_;
  }

  const DType dtype_;
  const Device device_;
  mutable Mutex mutex_;
  ComputationPointer computation_;  // of the values and the mask; null once they are counted
  Array elements_;
  std::atomic<bool> is_counted_{false};
};

Uncounted::Uncounted(Array values, Array mask)
    : state_(std::make_shared<State>(std::move(values), std::move(mask))) {
  defer(state_, state_->device());
}

std::optional<Uncounted> Uncounted::select(const Array& a, const Index& index) {
  const Array* const mask = whole_mask(a, index);
  if (!mask || a.device().is_set() || a.size() == 0) return std::nullopt;
  if (driver(a.device()).traits().answers_at_once) return std::nullopt;
  if (Capture::any() || current_stream(a.device())->is_foreign()) return std::nullopt;
  if (is_exposed(a) || is_exposed(*mask)) return std::nullopt;
  return Uncounted(a, *mask);
}

std::optional<Uncounted> Uncounted::apply(UfuncId ufunc,
                                          std::span<const UncountedOperand> operands) {
  std::vector<Operand> whole;
  Array mask;
  for (const UncountedOperand& operand : operands) {
    if (const auto* const number = std::get_if<Operand>(&operand)) {
      if (number->is_array() && number->array().rank() > 0) return std::nullopt;
      whole.push_back(*number);
      continue;
    }
    std::optional<Whole> selected = std::get<Uncounted>(operand).whole();
    if (!selected || (mask.has_value() && !is_same(mask, selected->mask))) return std::nullopt;
    whole.emplace_back(std::move(selected->values));
    mask = std::move(selected->mask);
  }
  return Uncounted(call_ufunc(ufunc, whole).front(), std::move(mask));
}

DType Uncounted::dtype() const { return state_->dtype(); }
const Device& Uncounted::device() const { return state_->device(); }
const Array& Uncounted::elements() const { return state_->elements(); }

std::optional<Uncounted::Whole> Uncounted::whole() const {
  std::vector<Array> inputs = state_->inputs();
  if (inputs.empty()) return std::nullopt;
  return Whole{std::move(inputs[0]), std::move(inputs[1])};
}

bool Uncounted::replace(const Uncounted& other) const {
  if (!can_cast(other.dtype(), dtype(), Casting::same_kind)) return false;
  const std::optional<Whole> whole = other.whole();
  return whole && state_->replace(defer(make_cast(whole->values, dtype())));
}

bool Uncounted::is_selected_by(const Array& a, const Index& index) const {
  const Array* const mask = whole_mask(a, index);
  const std::optional<Whole> own = mask ? whole() : std::nullopt;
  return own && is_same(own->mask, *mask);
}

void Uncounted::store(const Array& a, const Index& index) && {
  std::optional<Whole> selected = whole();
  if (!selected) return set_index(a, index, elements());  // another thread had them counted
  state_.reset();  // else the elements would be counted before others overwrite them
  evaluate(a);
  const Array source =
      make_select(selected->mask, make_cast(std::move(selected->values), a.dtype()), a);
  selected.reset();
  write(source, a);
}

}  // namespace cupola
