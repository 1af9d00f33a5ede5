#include "exec/launch/ready_launch.h"

#include <algorithm>

#include "driver/registry.h"
#include "exec/host/host_access.h"
#include "exec/launch/use_order.h"
#include "graph/fusion.h"
#include "memory/buffer.h"
#include "memory/placed.h"

namespace cupola {

namespace {

bool is_ready(const StorageUse& write, StreamState& stream) {
  if (!write.stream) return true;
  if (!stream.is_ordered_after(*write.stream, write.sequence)) return false;
  stream.take_over_errors(*write.stream);
  return true;
}

// Whether the array fills memory of its own, row-major, and nothing else comes of what computes it.
bool is_single(const Array& array, const Node& node) {
  return is_laid_out(array) && is_c_contiguous(array) && array.state().layout.offset == 0 &&
         !node.traits.is_view && !node.siblings;
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

// Whether it takes the calling thread a moment at most.
bool takes_a_moment(const Array& array) {
  return array.size() <= kMaxOnHost || !driver(array.device()).traits().host_shares_memory;
}

std::shared_ptr<Storage> storage_for(const Array& array) {
  return find_storage(array.device(), static_cast<std::size_t>(array.nbytes()));
}

}  // namespace

bool TriedLocks::has(const Storage* storage) const {
  return std::find(locked_.begin(), locked_.begin() + count_, storage) != locked_.begin() + count_;
}

bool TriedLocks::lock(Storage* storage) {
  if (count_ > 0 && has(storage)) return true;
  if (count_ == locked_.size() || storage->mutex.is_abandoned()) return false;
  if (storage->residence || !storage->mutex.try_lock()) return false;
  locked_[count_++] = storage;
  return true;
}

void TriedLocks::unlock() {
  while (count_ > 0) locked_[--count_]->mutex.unlock();
}

bool ReadyLaunch::prepare(const Array& pending, const NodePointer& its_node,
                          const std::shared_ptr<StreamState>& stream, TriedLocks& locks,
                          MayCompute what) {
  array = pending;
  node = its_node;
  claim = std::unique_lock(array.state().mutex, std::try_to_lock);
  if (!claim.owns_lock() || is_stored(array) || !is_single(array, *node)) return false;
  const bool is_allowed = what == MayCompute::all ||
                          (what == MayCompute::alone && is_alone(*node)) || takes_a_moment(array);
  if (!is_allowed) return false;
  result = storage_for(array);
  if (!result) return false;
  if (is_mapped(node->kind)) {
    const LaunchKey key(array, result->data());
    known = find_known(key);
    // What has been launched once is one kernel, as long as nobody else is to get a part of it.
    if (known) return !key.has_live() && prepare_key(key, *stream, locks);
    if (key.is_complete()) return false;
  }
  const Array reduction = lone_reduction(array, *node);
  if (!reduction.has_value()) return false;
  if (what == MayCompute::little && !takes_a_moment(node_of(reduction)->inputs[0])) return false;
  return prepare_reduction(reduction, *stream, locks);
}

bool ReadyLaunch::prepare_reduction(const Array& reduction, StreamState& stream,
                                    TriedLocks& locks) {
  if (!is_same(reduction, array)) {
    below = std::unique_lock(reduction.state().mutex, std::try_to_lock);
    if (!below.owns_lock() || is_stored(reduction)) return false;
  }
  const LaunchKey key(reduction, array, array, result->data());
  known = find_known(key);
  return known && prepare_key(key, stream, locks);
}

bool ReadyLaunch::prepare_key(const LaunchKey& key, StreamState& stream, TriedLocks& locks) {
  if (key.arrays().size() > reads.size() || !locks.lock(key.arrays())) return false;
  for (const Array* read : key.arrays()) {
    Storage* const storage = read->state().storage.get();
    if (!is_ready(storage->uses.write, stream)) return false;
    reads[read_count++] = storage;
  }
  const auto bytes = static_cast<std::size_t>(array.nbytes());
  if (resource_likewise(array.device(), bytes, std::span(reads).first(read_count))) return false;
  if (known->may_mirror()) mirror = make_mirror(stream, array);
  arguments = &known->arguments(key, result->data(), mirror ? mirror->memory : nullptr);
  return true;
}

void ReadyLaunch::finish(const std::shared_ptr<StreamState>& stream, std::uint64_t sequence) {
  for (std::size_t i = 0; i < read_count; ++i) note_read(reads[i]->uses, stream, sequence);
  result->uses.write = {stream, sequence};
  if (mirror) set_mirror(result->uses, std::move(mirror));
  publish(array, std::move(result));
}

}  // namespace cupola
