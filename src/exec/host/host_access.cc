#include "exec/host/host_access.h"

#include "driver/registry.h"
#include "exec/launch/kernel_cache.h"
#include "runtime/capture.h"
#include "runtime/observer.h"
#include "runtime/stream.h"

namespace cupola {

namespace {

bool is_done(StreamState& stream, std::uint64_t sequence) {
  return stream.is_known_complete(sequence) || stream.is_idle();
}

bool is_host_memory(const Storage& storage) {
  const std::shared_ptr<StreamState>& stream = storage.uses.write.stream;
  const Driver& owner = stream ? stream->driver() : driver(storage.device());
  return owner.traits().host_shares_memory && !storage.residence && !storage.is_lent;
}

bool is_written(const Storage& storage) {
  const StorageUse& write = storage.uses.write;
  return !write.stream || is_done(*write.stream, write.sequence);
}

// What the current stream is still to do may use the memory without telling: functions of the host.
bool is_unused(const Storage& storage) {
  if (storage.host_readers.any() || !current_stream(storage.device())->is_idle()) return false;
  bool are_done = true;
  storage.uses.for_each([&](const std::shared_ptr<StreamState>& stream, std::uint64_t sequence) {
    are_done = are_done && is_done(*stream, sequence);
  });
  return are_done;
}

}  // namespace

bool host_shares_memory(const Device& device) { return driver(device).traits().host_shares_memory; }

bool is_work_watched() { return is_observed() || Capture::any() || PlanRecorder::is_at_work(); }

bool HostAccess::is_held(const Array& array) {
  Storage* const storage = array.state().storage.get();
  return locks_.lock(storage) && is_host_memory(*storage);
}

bool HostAccess::may_read(const Array& array) {
  if (!is_held(array) || !is_written(*array.state().storage)) return false;
  const std::shared_ptr<StreamState>& writer = array.state().storage->uses.write.stream;
  if (writer && writer->late_errors()) [[unlikely]]
    current_stream(array.device())->take_over_errors(*writer);
  return true;
}

bool may_fill(const Storage& storage) {
  return is_host_memory(storage) && is_written(storage) &&
         current_stream(storage.device())->is_idle();
}

bool HostAccess::may_write(const Array& array, std::uint32_t own_readings) {
  Storage& storage = *array.state().storage;
  if (storage.pending_readers.load() > own_readings || !is_held(array) || !is_unused(storage))
    return false;
  storage.uses.forget_values();
  ++storage.uses.host_writes;
  return true;
}

}  // namespace cupola
