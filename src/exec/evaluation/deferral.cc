#include "exec/evaluation/deferral.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/mutant.h"
#include "base/process/environment.h"
#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "cupola/error.h"
#include "driver/registry.h"
#include "exec/evaluation/evaluator.h"
#include "exec/launch/at_once.h"
#include "exec/lending/work_graph.h"
#include "graph/fusion.h"
#include "graph/pending_work.h"
#include "graph/readers.h"
#include "graph/result_layout.h"
#include "runtime/live_streams.h"

namespace cupola {

namespace {

using StatePointer = std::shared_ptr<ArrayState>;

// Entries of a list before those that need no computing any more are taken out, and it is looked at
// what waiting costs; it is looked at again when there are twice as many.
constexpr std::size_t kFirstCheck = 64;
// Of so many each is asked by itself, which is quicker.
constexpr std::size_t kFewEntries = 16;
// Results that wait may keep so much of a device's memory from being used again.
constexpr std::size_t kMaxOfMemory = 4;  // one part of so many
constexpr std::size_t kAlwaysLittle = std::size_t{1} << 18;
constexpr std::size_t kLittleOnDevice = std::size_t{1} << 30;

Deferral deferral_at_first() {
  if (!environment_value("CUPOLA_EAGER")) return Deferral::of_many;
  return is_switched_on("CUPOLA_EAGER") ? Deferral::of_none : Deferral::of_all;
}

std::atomic<Deferral> current_deferral{deferral_at_first()};

// The locks of all lists, so that a fork finds every list whole.
struct ListLocks {
  ListLocks() {
    for (std::mutex& mutex : mutexes) lock_at_fork(ForkLayer::exec, mutex);
  }
  std::array<std::mutex, 16> mutexes;
};
ListLocks& list_locks() {
  static constinit Lazy<ListLocks> locks;
  return *locks;
}

// The arrays that were asked for on one stream, in order.
class DeferredArrays final : public DeferredWork {
 public:
  explicit DeferredArrays(const StreamState& stream)
      : mutex_(list_locks().mutexes[stream.id() % list_locks().mutexes.size()]),
        device_(stream.device()) {}

  // True: they should wait no longer.
  bool add(const Array& array) {
    bool is_long = false;
    {
      std::vector<StatePointer> done;  // goes after the lock
      const std::lock_guard lock(mutex_);
      arrays_.push_back(array.handle());
      has_large_ |= array.size() > kMaxTogether;
      bytes_ += static_cast<std::size_t>(array.nbytes());
      const bool may_keep_much = arrays_.size() >= next_kept_check_ && is_much(bytes_);
      const bool is_due = arrays_.size() >= next_check_;
      if (!is_due && !may_keep_much) return false;
      remove_done(done);
      is_long = is_due && arrays_.size() > next_check_ / 2;
      if (is_long) next_check_ = 2 * std::max(arrays_.size(), kFirstCheck / 2);
      if (!is_long && !is_much(bytes_)) return false;
      next_kept_check_ = arrays_.size() + arrays_.size() / 32;
    }
    if (is_long &&
        is_worth_a_cut(find_pending_work(pending()), driver(device_).traits().bytes_per_second))
      return true;
    return keeps_much();
  }

  void add(const std::shared_ptr<UnshapedResult>& result) {
    const std::lock_guard lock(mutex_);
    if (unshaped_.size() == unshaped_.capacity()) {
      std::erase_if(unshaped_, [](const auto& weak) { return weak.expired(); });
      unshaped_.reserve(2 * unshaped_.size() + 1);
    }
    unshaped_.push_back(result);
  }

  void compute() override {
    compute_unshaped([](const UnshapedResult&) { return true; });
    if (compute_single()) return;
    compute_large_together();
    compute_if(entries(), [](const Array&) { return true; });
  }
  // Those that read the storage, but for `own`.
  void compute_readers(const Storage& storage, const PointerSet& own) {
    compute_unshaped([&](const UnshapedResult& result) {
      if (CUPOLA_MUTANT(forget_selections)) return false;
      const std::vector<Array> inputs = result.inputs();
      return std::any_of(inputs.begin(), inputs.end(), [&](const Array& input) {
        return is_stored(input) && input.state().storage.get() == &storage;
      });
    });
    std::vector<std::weak_ptr<ArrayState>> readers = entries();
    if (readers.size() > kFewEntries) {
      readers.clear();
      for (const Array& array : find_readers(pending(), storage)) readers.push_back(array.handle());
    }
    compute_if(readers, [&](const Array& array) {
      // What it read through may be stored now.
      return !own.contains(&array.state()) && reads(array, storage);
    });
  }
  // As far as there is memory; the first first, as they were made when there was some. Returns
  // whether anything was computed.
  bool compute_some() {
    bool any = false;
    for (const std::weak_ptr<ArrayState>& weak : entries()) {
      StatePointer state = weak.lock();
      if (!state || is_stored(Array(state))) continue;
      try {
        const Array array(std::move(state));
        evaluate({&array, 1}, Live::stored);
        any = true;
      } catch (const OutOfMemoryError&) {
        // Another may need less.
      }
    }
    return any;
  }

 private:
  template <typename Condition>
  void compute_unshaped(const Condition& condition) {
    std::vector<std::weak_ptr<UnshapedResult>> waiting;
    {
      const std::lock_guard lock(mutex_);
      if (unshaped_.empty()) return;
      waiting = unshaped_;
    }
    for (const std::weak_ptr<UnshapedResult>& weak : waiting) {
      const std::shared_ptr<UnshapedResult> result = weak.lock();
      if (result && condition(*result)) result->compute();
    }
  }
  // False: there are several.
  bool compute_single() {
    StatePointer state;
    {
      const std::lock_guard lock(mutex_);
      if (arrays_.size() != 1) return false;
      has_large_ = false;
      state = arrays_.front().lock();
    }
    if (state) {
      const Array array(std::move(state));
      if (!is_stored(array)) evaluate({&array, 1}, Live::stored);
    }
    finish();
    return true;
  }
  // Arrays of one shape that the program has, several by one kernel, which reads what they share
  // once. Small ones have launches for many (exec/launch/at_once.h).
  void compute_large_together() {
    {
      const std::lock_guard lock(mutex_);
      if (!std::exchange(has_large_, false)) return;
    }
    std::vector<Array> held = find_live(pending());
    std::erase_if(held, [](const Array& array) { return array.size() <= kMaxTogether; });
    for (const std::vector<Array>& mates : find_mates(held)) {
      if (mates.size() > 1) evaluate(mates, Live::stored);
    }
  }
  // The last first: it has what is below it stored on its way, as far as somebody holds that.
  template <typename Condition>
  void compute_if(const std::vector<std::weak_ptr<ArrayState>>& arrays,
                  const Condition& condition) {
    if (arrays.empty()) return;
    AtOnce together;
    for (std::size_t i = arrays.size(); i-- > 0;) {
      StatePointer state = arrays[i].lock();
      if (!state) continue;
      const Array array(std::move(state));
      if (is_stored(array) || together.is_part(array) || !condition(array)) continue;
      if (together.add(array)) continue;
      together.launch();
      evaluate({&array, 1}, Live::stored);  // everything that waits is computed
    }
    together.launch();
    finish();
  }
  // What is computed is forgotten.
  void finish() {
    std::vector<StatePointer> done;
    const std::lock_guard lock(mutex_);
    remove_done(done);
    next_check_ = std::max(kFirstCheck, 2 * arrays_.size());
    next_kept_check_ = 0;
  }

  std::vector<std::weak_ptr<ArrayState>> entries() {
    const std::lock_guard lock(mutex_);
    return arrays_;
  }
  // The device is not asked before it matters: a forked child cannot.
  bool is_much(std::size_t bytes) {
    if (bytes < kAlwaysLittle) return false;
    if (bytes < kLittleOnDevice && !driver(device_).traits().host_shares_memory) return false;
    if (most_bytes_ == 0) most_bytes_ = describe_device(device_).total_memory / kMaxOfMemory;
    return bytes > most_bytes_;
  }
  std::vector<Array> pending() {
    std::vector<Array> waiting;
    for (const std::weak_ptr<ArrayState>& weak : entries()) {
      if (StatePointer state = weak.lock()) waiting.emplace_back(std::move(state));
    }
    return waiting;
  }
  // Large results alone do not count: they may never be stored, and what they read may have other
  // owners, or be nothing.
  bool keeps_much() {
    {
      const std::lock_guard lock(mutex_);
      if (!is_much(bytes_)) return false;
    }
    const std::size_t kept = kept_bytes(pending());
    const std::lock_guard lock(mutex_);
    return is_much(kept);
  }
  void remove_done(std::vector<StatePointer>& done) {
    bytes_ = 0;
    std::erase_if(arrays_, [&](const std::weak_ptr<ArrayState>& weak) {
      if (weak.expired()) return true;
      done.push_back(weak.lock());
      if (!done.back()) return true;
      const Array array(done.back());
      if (is_stored(array)) return true;
      bytes_ += static_cast<std::size_t>(array.nbytes());
      return false;
    });
  }

  std::mutex& mutex_;
  const Device device_;
  std::size_t most_bytes_ = 0;  // 0: not known yet
  std::vector<std::weak_ptr<ArrayState>> arrays_;
  std::vector<std::weak_ptr<UnshapedResult>> unshaped_;
  std::size_t bytes_ = 0;  // of the arrays, about; cheaper to know than what they keep
  bool has_large_ = false;
  // Numbers of entries.
  std::size_t next_check_ = kFirstCheck;
  std::size_t next_kept_check_ = 0;
};

DeferredArrays& list_of(StreamState& stream) {
  DeferredWork* list = stream.deferred();
  if (!list) list = &stream.set_deferred(std::make_unique<DeferredArrays>(stream));
  return static_cast<DeferredArrays&>(*list);
}

thread_local ComputeLater* kept_for_later = nullptr;
thread_local int computing_depth = 0;

}  // namespace

Deferral deferral() noexcept { return current_deferral.load(std::memory_order_relaxed); }
void set_deferral(Deferral deferral) noexcept {
  current_deferral.store(deferral, std::memory_order_relaxed);
}

void lay_out(const Array& pending, Dims strides) {
  pending.state().layout.strides = std::move(strides);
  pending.state().is_laid_out = true;
}

void lay_out(const Array& pending) { lay_out(pending, natural_strides(pending)); }

const Array& defer(const Array& value) {
  const NodePointer node = node_of(value);
  if (!node || value.state().stream) return value;
  check_size(value.dtype(), value.shape());
  if (!is_laid_out(value)) lay_out(value);
  const StreamPointer& stream = current_stream(value.device());
  if (Capture::any()) settle_inputs(value);
  value.state().stream = stream;
  const bool at_once = is_eager() || node->traits.reads_exposed || stream->is_foreign();
  if (at_once) {
    if (kept_for_later) {
      kept_for_later->arrays_.push_back(value);
    } else {
      evaluate(value);
    }
    return value;
  }
  DeferredArrays& list = list_of(*stream);
  if (!list.add(value)) return value;
  if (kept_for_later) {
    kept_for_later->list_ = &list;
    kept_for_later->stream_ = stream;
  } else {
    list.compute();
  }
  return value;
}

void defer(const std::shared_ptr<UnshapedResult>& result, const Device& device) {
  list_of(*current_stream(device)).add(result);
}

void compute_readers(const Array& target, std::span<const Array> sources,
                     std::span<const Array> stored) {
  const Storage& storage = *target.state().storage;
  const auto readers = [&] { return storage.pending_readers.load(std::memory_order_acquire); };
  if (readers() == 0 || CUPOLA_MUTANT(write_before_readers)) return;
  // Views that are found stored on the way are one reader no more, but as many as they have.
  const OwnReaders own = find_own_readers(sources, stored, target);
  if (own.count == readers()) return;
  for (const StreamPointer& stream : live_streams(target.device())) {
    if (DeferredWork* list = stream->deferred()) {
      static_cast<DeferredArrays*>(list)->compute_readers(storage, own.nodes);
    }
  }
}

bool compute_to_free(const Device& device) {
  if (computing_depth > 0 || kept_for_later) return false;
  const Computing now;  // what is computed here is not the reason to compute more
  bool any = false;
  for (const StreamPointer& stream : live_streams(device)) {
    DeferredWork* const list = stream->deferred();
    if (list && static_cast<DeferredArrays*>(list)->compute_some()) any = true;
  }
  return any;
}

Computing::Computing() noexcept { ++computing_depth; }
Computing::~Computing() { --computing_depth; }

ComputeLater::ComputeLater() noexcept : outer_(std::exchange(kept_for_later, this)) {}

ComputeLater::~ComputeLater() { kept_for_later = outer_; }

bool ComputeLater::compute_at_once() {
  kept_for_later = outer_;
  return list_ == nullptr && evaluate_at_once(arrays_);
}

void ComputeLater::compute() {
  kept_for_later = outer_;
  for (const Array& array : arrays_) evaluate(array);
  if (list_) list_->compute();
}

}  // namespace cupola
