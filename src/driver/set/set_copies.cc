// Copies and fills of a set's memory.
#include <algorithm>
#include <cstdint>

#include "driver/set/set_driver.h"

namespace cupola {

namespace {

// Between the host and a member. The pieces of the staging ring are larger: each goes over the link
// of the member that it belongs to.
constexpr std::size_t kLeastTransfer = std::size_t{512} << 10;

// Platforms take so much of the host's memory at once, whatever the stream waits for.
constexpr std::size_t kTakenAtOnce = std::size_t{64} << 10;

const char* behind(const void* data, std::size_t bytes) {
  return static_cast<const char*>(data) + bytes;
}
char* behind(void* data, std::size_t bytes) { return static_cast<char*>(data) + bytes; }

TouchedMemory touched(const void* data, std::size_t bytes, bool writes) {
  return {static_cast<const char*>(data), behind(data, bytes), writes};
}

std::vector<TouchedMemory> touched_by_copy(const void* target, const void* source,
                                           std::size_t bytes) {
  return {touched(source, bytes, false), touched(target, bytes, true)};
}

std::size_t offset_of(const Piece& piece, const void* data) {
  return static_cast<std::size_t>(piece.data - static_cast<const char*>(data));
}

}  // namespace

bool SetDriver::lies_on_lead(const SetStream& stream, const void* data) const {
  const StripedBlockPointer block = memory_.find(data);
  const int lead = stream.members().front();
  return !block || std::ranges::all_of(
                       block->parts, [&](const StripedPart& part) { return part.device == lead; });
}

// Uploads and downloads come in pieces of the staging ring: each goes over the link of the member
// that has it, beside the others. The first member's go beside the others, too: on the lead they
// would come after all before them.
std::vector<StreamHandle> SetDriver::transfer(HostCopies run, bool writes_set, void* target,
                                              const void* source, std::size_t bytes,
                                              StreamHandle stream) {
  SetStream& set = SetStream::of(stream);
  const void* const data = writes_set ? target : source;
  std::vector<Piece> pieces;
  const bool is_small = bytes < std::min(kLeastTransfer, threshold(set.set().index()));
  if (!is_small && !lies_on_lead(set, data)) pieces = pieces_held(set.set(), data, bytes);
  if (pieces.empty()) {
    (platform_.*run.whole)(target, source, bytes, set.lead());
    return {};
  }
  Fork fork(set, touched_by_copy(target, source, bytes));
  std::vector<StreamHandle> streams;
  for (const Piece& piece : pieces) streams.push_back(fork.on(set.position_of(piece.device)));
  fork.let_others_go_on();
  if (pieces.size() == 1) {
    (platform_.*run.whole)(target, source, bytes, streams.front());
    return {};
  }
  try {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const std::size_t first = offset_of(pieces[i], data);
      (platform_.*run.part)(behind(target, first), behind(source, first), pieces[i].bytes,
                            streams[i]);
    }
  } catch (...) {
    fork.wait_here();  // the caller may free the host's memory now
    throw;
  }
  return streams;
}

// Parts that were waited for one by one would not be on their ways together.
void SetDriver::copy_from_host(void* target, const void* source, std::size_t bytes,
                               StreamHandle stream) {
  const HostCopy whole = &Transfers::copy_from_host;
  if (bytes <= kTakenAtOnce) {
    transfer({whole, whole}, true, target, source, bytes, stream);
    return;
  }
  const HostCopies copies{whole, &Transfers::copy_from_host_async};
  for (const StreamHandle used : transfer(copies, true, target, source, bytes, stream)) {
    platform_.synchronize(used);
  }
}

void SetDriver::copy_from_host_async(void* target, const void* source, std::size_t bytes,
                                     StreamHandle stream) {
  const HostCopy copies = &Transfers::copy_from_host_async;
  transfer({copies, copies}, true, target, source, bytes, stream);
}

void SetDriver::copy_to_host(void* target, const void* source, std::size_t bytes,
                             StreamHandle stream) {
  copy_to_host_async(target, source, bytes, stream);
  SetStream::of(stream).synchronize();
}

void SetDriver::copy_to_host_async(void* target, const void* source, std::size_t bytes,
                                   StreamHandle stream) {
  const HostCopy copies = &Transfers::copy_to_host_async;
  transfer({copies, copies}, false, target, source, bytes, stream);
}

void SetDriver::copy_to_caller(void* target, const void* source, std::size_t bytes,
                               StreamHandle stream) {
  const HostCopy copies = &Transfers::copy_to_caller;
  transfer({copies, copies}, false, target, source, bytes, stream);
}

// The platform's number for where the memory is; `device` is what the caller knows of it.
int SetDriver::device_of(const void* data, int device) const {
  const StripedBlockPointer block = memory_.find(data);
  return block ? device_at(*block, data) : first_of(device);
}

// Cut where either side is: what a member holds of the set's own memory it copies.
void SetDriver::copy(void* target, int target_device, const void* source, int source_device,
                     std::size_t bytes, StreamHandle stream) {
  if (bytes == 0) return;
  SetStream& set = SetStream::of(stream);
  const int lead = set.members().front();
  std::vector<Piece> targets = pieces(target, bytes);
  std::vector<Piece> sources = pieces(source, bytes);
  const bool is_whole = targets.size() <= 1 && sources.size() <= 1;
  const bool is_small = bytes < threshold(set.set().index());
  const auto is_near = [&](int device) { return set.set().contains(Device(platform(), device)); };
  if (is_whole || (is_small && is_near(target_device) && is_near(source_device))) {
    const int to = is_whole ? device_of(target, target_device) : lead;
    const int from = is_whole ? device_of(source, source_device) : lead;
    return platform_.copy(target, to, source, from, bytes, set.lead());
  }
  if (targets.empty()) targets = {{first_of(target_device), static_cast<char*>(target), bytes}};
  if (sources.empty()) {
    sources = {{first_of(source_device), const_cast<char*>(behind(source, 0)), bytes}};
  }
  Fork fork(set, touched_by_copy(target, source, bytes));
  std::size_t done = 0;
  for (std::size_t t = 0, s = 0; done < bytes;) {
    const std::size_t end = std::min(offset_of(targets[t], target) + targets[t].bytes,
                                     offset_of(sources[s], source) + sources[s].bytes);
    const int worker = is_near(targets[t].device) ? targets[t].device : sources[s].device;
    const std::size_t position = is_near(worker) ? set.position_of(worker) : 0;
    platform_.copy(behind(target, done), targets[t].device, behind(source, done), sources[s].device,
                   end - done, fork.on(position));
    done = end;
    if (offset_of(targets[t], target) + targets[t].bytes == end) ++t;
    if (offset_of(sources[s], source) + sources[s].bytes == end) ++s;
  }
}

void SetDriver::fill_bytes(void* target, std::uint8_t value, std::size_t bytes,
                           StreamHandle stream) {
  SetStream& set = SetStream::of(stream);
  std::vector<Piece> pieces;
  const bool is_small = bytes < threshold(set.set().index());
  if (!is_small && !lies_on_lead(set, target)) pieces = pieces_held(set.set(), target, bytes);
  if (pieces.empty()) return platform_.fill_bytes(target, value, bytes, set.lead());
  Fork fork(set, {touched(target, bytes, true)});
  for (const Piece& piece : pieces) {
    platform_.fill_bytes(piece.data, value, piece.bytes, fork.on(set.position_of(piece.device)));
  }
}

}  // namespace cupola
