#pragma once
// A capture: work of one or more streams that is recorded, to be launched as a graph.
//
// While it goes on, uses of storage by its streams are kept here and not in the storages: nothing
// happens yet. Uses are ordered among its streams as they are elsewhere; what the recorded work
// comes after, and what it uses, is handed to the graph (exec/lending/work_graph.h).

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/threads/mutex.h"
#include "core/storage.h"
#include "cupola/stream_options.h"
#include "driver/driver.h"
#include "runtime/completion.h"
#include "runtime/stream.h"

namespace cupola {

// What a graph needs beside the platform's own.
struct CapturedParts {
  struct Used {
    std::shared_ptr<Storage> storage;
    bool is_written = false;
  };
  std::vector<Used> storages;
  std::vector<StorageUse> earlier;  // work that every launch comes after
  std::vector<Retired> kept;        // released after the last launch
};

class Capture : public std::enable_shared_from_this<Capture> {
 public:
  // What was asked for on the stream so far must be under way. Throws CaptureError.
  static void begin(const std::shared_ptr<StreamState>& stream, CaptureMode mode);
  // Whether any stream of the process is being captured.
  static bool any() noexcept { return running_count_.load(std::memory_order_acquire) > 0; }

  Capture(const std::shared_ptr<StreamState>& origin, CaptureMode mode);
  CaptureMode mode() const { return mode_; }
  bool is_of_this_thread() const { return thread_ == std::this_thread::get_id(); }
  bool is_running() const { return is_running_.load(std::memory_order_acquire); }
  std::vector<std::shared_ptr<StreamState>> streams() const;

  // Work of its streams that uses the storage. Guarded by the storage's lock; the address lasts as
  // long as the capture.
  UseRecord& uses_of(const std::shared_ptr<Storage>& storage);
  void note_write(const Storage& storage);
  // Every launch comes after that work, of a stream that is no part of the capture.
  void require(const std::shared_ptr<StreamState>& stream, std::uint64_t sequence);
  // Released with the graph.
  void keep(Retired thing);

  // `later` joins the capture, if it is no part of it, as it waits for an event recorded there.
  void join(const std::shared_ptr<StreamState>& later, EventHandle event);
  // Work on `later` comes after that on `earlier`; both are parts of it.
  void order(StreamState& later, StreamState& earlier);

  struct Ended {
    std::shared_ptr<WorkGraph> graph;
    CapturedParts parts;
  };
  // Of `stream`; as Driver::end_capture().
  Ended end(const std::shared_ptr<StreamState>& stream);

 private:
  struct Used {
    std::shared_ptr<Storage> storage;
    UseRecord uses;
    bool is_written = false;
  };
  void add_stream(const std::shared_ptr<StreamState>& stream);
  CapturedParts leave();

  inline static std::atomic<int> running_count_{0};
  const CaptureMode mode_;
  const std::thread::id thread_;
  std::atomic<bool> is_running_{true};
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<StreamState>> streams_;  // the first is where it began
  std::unordered_map<const Storage*, Used> used_;
  std::vector<StorageUse> earlier_;
  std::vector<Retired> kept_;
};

// Throws where the stream is being captured: `what` cannot be recorded. The capture goes on.
void check_not_capturing(const StreamState& stream, const char* what);

}  // namespace cupola
