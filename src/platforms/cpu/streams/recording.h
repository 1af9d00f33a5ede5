#pragma once
// The work of streams that are being captured, in the order in which it was brought. That order
// fits all of its dependencies, as a wait names an event that was recorded before.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/threads/mutex.h"
#include "driver/module.h"

namespace cupola::cpu {

class Stream;

struct RecordedStep {
  enum class Kind : std::uint8_t {
    work,
    graph,   // a launch of another one
    note,    // no work: what is to be known of the next one
    record,  // of an event
    wait     // for one
  };
  Kind kind;
  std::size_t lane;                        // stream of the capture; 0: where it began
  std::function<void(Stream&)> work{};     // puts it on a stream
  std::function<void(StreamHandle)> on{};  // of a graph or a note, likewise
  std::size_t event = 0;
  std::string name{};  // of work and graphs
};

struct RecordedWork {
  std::vector<RecordedStep> steps;
  std::size_t lanes = 1;
  std::size_t events = 0;
};

// Any thread may call anything.
class Recording : public std::enable_shared_from_this<Recording> {
 public:
  explicit Recording(std::shared_ptr<Stream> origin);
  // What begins a capture of the stream; throws CaptureError where one is under way.
  static void begin(const std::shared_ptr<Stream>& origin);

  // Each of a stream of the capture.
  void add(const Stream& stream, std::function<void(Stream&)> work);
  void add_graph(const Stream& stream, std::function<void(StreamHandle)> launch);
  void add_note(const Stream& stream, std::function<void(StreamHandle)> note);
  // Of the work that comes next.
  void name_next(const Stream& stream, std::string name);
  std::size_t mark(const Stream& stream);
  // A stream that is no part of it joins. Throws CaptureError for one of another capture.
  void wait(const std::shared_ptr<Stream>& stream, std::size_t mark);

  void spoil();
  // The stream goes, and what it brought cannot be waited for any more.
  void drop(const Stream& stream);
  bool is_running() const;
  // All streams leave. Throws CaptureError unless `stream` is where it began, it was not spoilt and
  // the others were waited for.
  RecordedWork end(const Stream& stream);

 private:
  // How much of each lane's work something comes after.
  using Clock = std::vector<std::size_t>;
  struct Lane {
    std::shared_ptr<Stream> stream;
    std::size_t count = 0;  // of its work
    Clock after;            // with its own
    std::string next_name{};
  };
  std::size_t lane_of(const Stream& stream);
  void add_step(const Stream& stream, RecordedStep step);
  std::size_t add_lane(const std::shared_ptr<Stream>& stream);
  static void merge(Clock& into, const Clock& other);
  void leave();
  bool is_joined() const;

  mutable Mutex mutex_;
  std::vector<Lane> lanes_;
  std::vector<Clock> marks_;
  std::vector<RecordedStep> steps_;
  bool is_spoilt_ = false;
  bool is_running_ = true;
};

// A record of an event in a capture.
struct Mark {
  std::shared_ptr<Recording> recording;
  std::size_t number = 0;
};

}  // namespace cupola::cpu
