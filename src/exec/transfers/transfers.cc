#include "exec/transfers/transfers.h"

#include <cstdlib>
#include <new>
#include <optional>
#include <utility>

#include "base/copy_apart.h"
#include "base/mutant.h"
#include "base/process/interrupt.h"
#include "exec/evaluation/deferral.h"
#include "exec/launch/use_order.h"
#include "exec/lending/lent_check.h"
#include "exec/transfers/copy_threads.h"
#include "exec/transfers/host_read.h"
#include "exec/transfers/staging.h"
#include "exec/transfers/staging_slots.h"
#include "runtime/capture.h"
#include "runtime/completion.h"
#include "runtime/observer.h"

namespace cupola {

namespace {

using Kept = std::shared_ptr<void>;

// The platforms take sources of at most this without waiting for their stream.
constexpr std::size_t kSmallBytes = std::size_t{64} << 10;
// Above this several threads copy.
constexpr std::size_t kStagedBytes = std::size_t{1} << 20;

struct Upload {
  StreamState& stream;
  void* target;
  const void* source;
  std::size_t bytes;
};

Kept both(Kept first, Kept second) {
  if (!first || !second) return first ? first : second;
  return std::make_shared<std::pair<Kept, Kept>>(std::move(first), std::move(second));
}

// The bytes in memory of their own.
Kept copy_of(const void* source, std::size_t bytes) {
  void* memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  Kept result(memory, std::free);
  advise_huge_pages(memory, bytes);
  copy_in_parallel(memory, source, bytes);
  return result;
}

void upload_directly(const Upload& upload) {
  upload.stream.driver().copy_from_host_async(upload.target, upload.source, upload.bytes,
                                              upload.stream.handle());
}

// Reads the source now. What is returned must live until the work is done, here as below.
Kept take_snapshot(const Upload& upload) {
  const auto& [stream, target, source, bytes] = upload;
  Driver& driver = stream.driver();
  const bool simple = driver.traits().pageable_is_direct || bytes <= kSmallBytes;
  // Pinned memory needs no ring, where its copy begins at once and is waited for.
  if (simple || (is_direct(driver, source) && stream.is_idle())) {
    driver.copy_from_host(target, source, bytes, stream.handle());
  } else if (bytes > kStagedBytes || !try_stage_from_host(stream, target, source, bytes)) {
    stage_from_host(stream, target, source, bytes);
  }
  return nullptr;
}

Kept take_snapshot_without_waiting(const Upload& upload) {
  const auto& [stream, target, source, bytes] = upload;
  Driver& driver = stream.driver();
  const bool direct = driver.traits().pageable_is_direct;
  if (bytes <= kSmallBytes || (direct && stream.is_idle())) {
    driver.copy_from_host(target, source, bytes, stream.handle());
    return nullptr;
  }
  if (!direct && try_stage_from_host(stream, target, source, bytes)) return nullptr;
  Kept copy = copy_of(source, bytes);
  const Upload from_copy{stream, target, copy.get(), bytes};
  if (direct) {
    upload_directly(from_copy);
    return copy;
  }
  return both(copy, queue_from_host(stream, target, copy.get(), bytes));
}

bool is_pageable(Driver& driver, const void* host_memory) {
  return driver.describe(host_memory).kind == PointerKind::unknown;
}

// A graph reads the source at every launch.
Kept submit_in_capture(const Upload& upload, const TransferOptions& options) {
  const char* const what =
      "to copy from pageable host memory (a graph copies from pinned memory, at each launch)";
  if (is_pageable(upload.stream.driver(), upload.source)) refuse_in_capture(what);
  if (options.source == SourceMode::snapshot && !options.owner) {
    refuse_in_capture("to copy from host memory that nobody keeps for the launches");
  }
  upload_directly(upload);
  return options.owner;
}

Kept submit(const Upload& upload, const TransferOptions& options) {
  if (upload.stream.is_capturing()) return submit_in_capture(upload, options);
  const bool waits = options.blocking.value_or(true);
  if (options.source == SourceMode::snapshot) {
    return waits ? take_snapshot(upload) : take_snapshot_without_waiting(upload);
  }
  const LentCheck check(upload.source, upload.bytes);
  Kept kept = options.source == SourceMode::keepalive ? options.owner : nullptr;
  if (is_direct(upload.stream.driver(), upload.source)) {
    upload_directly(upload);
  } else if (waits) {
    return take_snapshot(upload);  // it is read before the call returns
  } else if (upload.bytes <= kSmallBytes) {
    return both(std::move(kept), take_snapshot_without_waiting(upload));
  } else {
    kept = both(std::move(kept),
                queue_from_host(upload.stream, upload.target, upload.source, upload.bytes));
  }
  check.queue(upload.stream);
  return kept;
}

void download_in_parts(StreamState& stream, void* target, const Array& source, std::size_t bytes) {
  const HostRead read(stream, *source.state().storage);
  if (is_interruptible()) stream.synchronize();  // threads that help wait without an end
  stage_to_host(stream, target, pointer_of(source), bytes);
}

// Into a slot, and from there with no lock held.
void download_through_slot(const std::shared_ptr<StreamState>& stream, void* target,
                           const Array& source, std::size_t bytes) {
  StagingSlot slot = short_slots(stream->device().platform()).take_or_make(*stream);
  {
    OrderedUse use(stream, {&source, 1}, {});
    stream->driver().copy_to_host_async(slot.data(), pointer_of(source), bytes, stream->handle());
    slot.mark(*stream);
    use.record();
  }
  slot.wait();
  copy_apart(target, slot.data(), bytes);
}

Kept queue_download(const std::shared_ptr<StreamState>& stream, void* target, const Array& source,
                    std::size_t bytes, bool direct, bool waits) {
  Driver& driver = stream->driver();
  Kept kept;
  OrderedUse use(stream, {&source, 1}, {});
  if (direct && waits) {
    driver.copy_to_caller(target, pointer_of(source), bytes, stream->handle());
  } else if (direct) {
    driver.copy_to_host_async(target, pointer_of(source), bytes, stream->handle());
  } else {
    kept = queue_to_host(*stream, target, pointer_of(source), bytes);
  }
  use.record();
  return kept;
}

void keep_until_done(const std::shared_ptr<StreamState>& stream, Kept kept, std::size_t bytes) {
  if (CUPOLA_MUTANT(no_keepalive)) return;
  if (kept) retire(stream, {[kept = std::move(kept)] {}, bytes});
}

}  // namespace

bool is_direct(Driver& driver, const void* host_memory) {
  if (driver.traits().pageable_is_direct) return true;
  const PointerKind kind = driver.describe(host_memory).kind;
  return kind == PointerKind::pinned || kind == PointerKind::managed;
}

void copy_bytes_from_host(const Array& target, const void* source, const TransferOptions& options) {
  const auto bytes = static_cast<std::size_t>(target.nbytes());
  if (bytes == 0) return;
  compute_readers(target);
  const std::shared_ptr<StreamState> stream = current_stream(target.device());
  Kept kept;
  try {
    OrderedUse use(stream, {}, {&target, 1});
    const ObservedWork observed([&] {
      return Work{.kind = WorkKind::to_device,
                  .name = "copy to the device",
                  .bytes_written = target.nbytes(),
                  .stream = *stream,
                  .is_pageable = is_pageable(stream->driver(), source)};
    });
    kept = submit({*stream, pointer_of(target), source, bytes}, options);
    use.record();
  } catch (...) {
    keep_until_done(stream, options.owner, bytes);  // a part may be on its way
    throw;
  }
  keep_until_done(stream, std::move(kept), bytes);
  if (options.blocking == true && !stream->is_capturing()) stream->synchronize();
}

void copy_bytes_to_host(void* target, const Array& source, const TransferOptions& options) {
  if (source.nbytes() == 0) return;
  const auto bytes = static_cast<std::size_t>(source.nbytes());
  const std::shared_ptr<StreamState> stream = current_stream(source.device());
  const bool direct = is_direct(stream->driver(), target);
  const bool waits = options.blocking.value_or(true);
  if (stream->is_capturing()) {
    if (waits) refuse_in_capture("to copy to the host and wait for it");
    if (is_pageable(stream->driver(), target)) refuse_in_capture("to copy to pageable host memory");
  }
  const ObservedWork observed([&] {
    return Work{.kind = WorkKind::to_host,
                .name = "copy to the host",
                .bytes_read = source.nbytes(),
                .stream = *stream,
                .is_pageable = is_pageable(stream->driver(), target)};
  });
  std::optional<ObservedWait> waiting;
  if (waits) waiting.emplace();
  if (direct || !waits) {
    Kept kept = queue_download(stream, target, source, bytes, direct, waits);
    if (!waits) return keep_until_done(stream, both(options.owner, std::move(kept)), bytes);
    try {
      stream->synchronize();
    } catch (...) {
      keep_until_done(stream, options.owner, bytes);  // the wait has ended, and not the copy
      throw;
    }
  } else if (bytes <= kStagedBytes) {
    download_through_slot(stream, target, source, bytes);
  } else {
    download_in_parts(*stream, target, source, bytes);
  }
}

void copy_bytes_between_devices(const Array& target, const Array& source) {
  if (source.nbytes() == 0) return;
  compute_readers(target);
  // A device's own driver knows no sets.
  const bool is_from_set = source.device().is_set() && !target.device().is_set();
  const std::shared_ptr<StreamState>& stream =
      current_stream(is_from_set ? source.device() : target.device());
  OrderedUse use(stream, {&source, 1}, {&target, 1});
  const ObservedWork observed([&] {
    return Work{.kind = WorkKind::between_devices,
                .name = "copy between devices",
                .bytes_read = source.nbytes(),
                .bytes_written = source.nbytes(),
                .stream = *stream};
  });
  stream->driver().copy(pointer_of(target), target.device().index(), pointer_of(source),
                        source.device().index(), static_cast<std::size_t>(source.nbytes()),
                        stream->handle());
  use.record();
}

}  // namespace cupola
