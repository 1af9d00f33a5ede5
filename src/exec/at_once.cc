#include "exec/at_once.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "base/call_site.h"
#include "base/counters.h"
#include "exec/failure.h"
#include "exec/known_launch.h"
#include "exec/mirror.h"
#include "exec/observed_launch.h"
#include "exec/rehearsal.h"
#include "exec/use_order.h"
#include "graph/fusion.h"
#include "memory/buffer.h"
#include "runtime/host_functions.h"

namespace cupola {

namespace {

// A CPU device computes so much on the calling thread.
constexpr std::int64_t kMostOnHost = 4096;  // elements
// Platforms block when more work than this waits in a stream.
constexpr std::uint64_t kMostQueued = 512;

// The locks of what is read, as far as nobody has them, or had them at a fork
// (exec/storage_lock.h).
class TriedLocks {
 public:
  TriedLocks() = default;
  TriedLocks(const TriedLocks&) = delete;
  TriedLocks& operator=(const TriedLocks&) = delete;

  // False: somebody has one, or they are many.
  bool lock(std::span<const Array* const> arrays) {
    for (const Array* array : arrays) {
      Storage* const storage = array->state().storage.get();
      if (has(storage)) continue;
      if (count_ == locked_.size() || storage->mutex.is_abandoned()) return false;
      if (storage->residence) return false;
      if (!storage->mutex.try_lock()) return false;
      locked_[count_++] = storage;
    }
    return true;
  }
  ~TriedLocks() {
    for (Storage* storage : storages()) storage->mutex.unlock();
  }
  std::span<Storage* const> storages() const { return {locked_.data(), count_}; }

 private:
  bool has(const Storage* storage) const {
    return std::find(locked_.begin(), locked_.begin() + count_, storage) !=
           locked_.begin() + count_;
  }

  std::array<Storage*, 8> locked_{};
  std::size_t count_ = 0;
};

bool is_ready(const StorageUse& write, StreamState& stream) {
  return !write.stream || stream.is_ordered_after(*write.stream, write.sequence);
}

bool may_launch(StreamState& stream) {
  return stream.is_open() && !stream.is_foreign() && !host_functions_are_pending() &&
         !stream.driver().is_loading() && stream.has_room(kMostQueued);
}

// Whether the array fills memory of its own, row-major, and nothing else comes of what computes it.
bool is_single(const Array& array, const Node& node) {
  return is_laid_out(array) && is_c_contiguous(array) && array.state().layout.offset == 0 &&
         !node.traits.is_view && !node.siblings;
}

// Whether an elementwise kernel of its own computes the array, and nothing else.
bool is_one_kernel(const Array& array, const Node& node) {
  if (!is_elementwise(node.kind)) return false;
  if (is_alone(node)) return true;
  const Region region = find_region({&array, 1}, {.space = array.shape(), .stores_held = true});
  return region.barriers.empty() && region.held.empty();
}

// The reduction that the array is, or is made of with nothing but numbers, where one kernel
// computes it from what is stored; no array if there is none.
Array lone_reduction(const Array& array, const Node& node) {
  if (array.size() != 1) return {};
  Array reduction = is_elementwise(node.kind) ? find_reduction_below(array) : array;
  const NodePointer combined = reduction.has_value() ? node_of(reduction) : nullptr;
  const bool reduces =
      combined && (combined->kind == NodeKind::reduce || combined->kind == NodeKind::arg_reduce);
  return reduces && is_alone(*combined) ? reduction : Array();
}

void record(const TriedLocks& locks, Storage& result, const std::shared_ptr<StreamState>& stream,
            std::shared_ptr<Mirror> mirror) {
  const std::uint64_t sequence = stream->advance();
  for (Storage* storage : locks.storages()) note_read(storage->uses, stream, sequence);
  result.uses.write = {stream, sequence};
  if (mirror) set_mirror(result.uses, std::move(mirror));
}

// The key is of one kernel that computes the array, into memory of its own.
bool launch_at_once(const Array& array, const LaunchKey& key, std::shared_ptr<Storage> result,
                    const std::shared_ptr<StreamState>& stream) {
  KnownLaunch* const known = find_known(key);
  TriedLocks locks;
  if (!known || !locks.lock(key.arrays())) return false;
  for (const Storage* storage : locks.storages()) {
    if (!is_ready(storage->uses.write, *stream)) return false;
  }
  std::shared_ptr<Mirror> mirror = known->may_mirror() ? make_mirror(*stream, array) : nullptr;
  const LaunchArguments& arguments =
      known->arguments(key, result->data(), mirror ? mirror->memory : nullptr);
  const ObservedWork observed([&] { return kernel_work(*stream, *known->kernel(), arguments); });
  stream->driver().launch(known->kernel(), arguments, stream->handle());
  count(Counter::launches);
  record(locks, *result, stream, std::move(mirror));
  publish(array, std::move(result));
  return true;
}

std::shared_ptr<Storage> storage_for(const Array& array) {
  return find_storage(array.device(), static_cast<std::size_t>(array.nbytes()));
}

bool launch_elementwise(const Array& array, const std::shared_ptr<StreamState>& stream) {
  std::shared_ptr<Storage> result = storage_for(array);
  if (!result) return false;
  const LaunchKey key(array, result->data());
  return launch_at_once(array, key, std::move(result), stream);
}

bool launch_lone_reduction(const Array& reduction, const Array& array,
                           const std::shared_ptr<StreamState>& stream) {
  const bool is_below = !is_same(reduction, array);
  std::unique_lock<Mutex> claim;
  if (is_below) claim = std::unique_lock(reduction.state().mutex, std::try_to_lock);
  if (is_below && (!claim.owns_lock() || is_stored(reduction))) return false;
  std::shared_ptr<Storage> result = storage_for(array);
  if (!result) return false;
  const LaunchKey key(reduction, array, array, result->data());
  return launch_at_once(array, key, std::move(result), stream);
}

// Whether the calling thread has time for it, on a CPU device.
bool is_little(const Array& array) { return array.size() <= kMostOnHost; }

}  // namespace

bool evaluate_at_once(const Array& array) {
  const NodePointer node = node_of(array);
  if (!node) return true;
  if (Rehearsal::of_thread()) return false;
  const bool on_host = array.device().platform() == PlatformKind::cpu;
  if (on_host && !is_little(array)) return false;
  const std::shared_ptr<StreamState> stream = array.state().stream;
  if (call_sites_wanted() || stream != current_stream(array.device())) return false;
  if (!may_launch(*stream)) return false;
  const std::unique_lock claim(array.state().mutex, std::try_to_lock);
  if (!claim.owns_lock() || is_stored(array) || !is_single(array, *node)) return false;
  if (is_one_kernel(array, *node)) {
    return compute_for(array, *node, [&] { return launch_elementwise(array, stream); });
  }
  const Array reduction = lone_reduction(array, *node);
  if (!reduction.has_value()) return false;
  if (on_host && !is_little(node_of(reduction)->inputs[0])) return false;
  return compute_for(array, *node, [&] { return launch_lone_reduction(reduction, array, stream); });
}

}  // namespace cupola
