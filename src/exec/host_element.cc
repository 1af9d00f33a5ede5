#include "exec/host_element.h"

#include <cstring>

#include "exec/rehearsal.h"
#include "exec/storage_lock.h"
#include "exec/use_order.h"
#include "runtime/capture.h"
#include "runtime/observer.h"
#include "runtime/stream.h"

namespace cupola {

namespace {

// Whether somebody is to be told of work, or work is recorded instead of done.
bool is_watched() { return is_observed() || Capture::any() || Rehearsal::of_thread() != nullptr; }

bool is_done(const std::shared_ptr<StreamState>& stream, std::uint64_t sequence) {
  return stream->is_known_complete(sequence) || stream->is_idle();
}

// The driver is that of the last write: memory that nobody has written is left to the long way.
bool is_host_memory(const Storage& storage) {
  const std::shared_ptr<StreamState>& stream = storage.uses.write.stream;
  return stream && stream->driver().transfer_traits().host_shares_memory && !storage.residence &&
         !storage.is_lent;
}

bool is_written(const Storage& storage) {
  const StorageUse& write = storage.uses.write;
  return is_done(write.stream, write.sequence);
}

bool is_unused(const Storage& storage) {
  if (storage.host_readers.any()) return false;
  bool are_done = true;
  storage.uses.for_each([&](const std::shared_ptr<StreamState>& stream, std::uint64_t sequence) {
    are_done = are_done && is_done(stream, sequence);
  });
  return are_done;
}

}  // namespace

std::optional<Scalar> read_host_element(const Array& array) {
  if (is_watched()) return std::nullopt;
  Storage& storage = *array.state().storage;
  const StorageLock lock(storage);
  if (!is_host_memory(storage) || !is_written(storage)) return std::nullopt;
  return Scalar::from_bytes(array.dtype(), pointer_of(array));
}

bool write_host_element(const Array& array, std::int64_t offset, const Scalar& value) {
  Storage& storage = *array.state().storage;
  if (is_watched() || storage.pending_readers.load() > 0) return false;
  const StorageLock lock(storage);
  if (!is_host_memory(storage) || !is_unused(storage)) return false;
  const auto bytes = static_cast<std::size_t>(array.item_size());
  char* const first = static_cast<char*>(pointer_of(array));
  std::memcpy(first + offset * array.item_size(), value.data(), bytes);
  storage.uses.mirror = nullptr;
  ++storage.uses.host_writes;
  return true;
}

}  // namespace cupola
