#include "exec/transfers/late_checks.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/call_site.h"
#include "base/process/fork.h"
#include "base/process/process_end.h"
#include "base/threads/mutex.h"
#include "cupola/error.h"
#include "exec/evaluation/evaluator.h"
#include "exec/host/host_access.h"
#include "exec/launch/storage_lock.h"
#include "exec/transfers/scalar_read.h"
#include "runtime/completion.h"

namespace cupola {

std::atomic<int> internal::late_checks{0};

namespace {

// Streams that wait for one another share it, and the first that is asked tells what was wrong.
class LateCheck {
 public:
  // The witness is what the stream computed last.
  LateCheck(Array witness, StreamState& stream, std::function<void(const Scalar&)> judge)
      : witness_(std::move(witness)),
        driver_(stream.driver()),
        computed_(driver_.create_event(stream.device().index())),
        judge_(std::move(judge)) {
    stream.record(computed_);
    internal::late_checks.fetch_add(1);
  }
  ~LateCheck() {
    close();
    if (!is_inherited(generation_) && !process_is_ending()) driver_.destroy_event(computed_);
  }
  LateCheck(const LateCheck&) = delete;
  LateCheck& operator=(const LateCheck&) = delete;

  // Whether there is nothing to tell, now or later.
  bool is_settled() {
    Array done;  // goes after the lock
    const std::lock_guard lock(mutex_);
    if (is_open_ && !error_) look(done);
    return !is_open_;
  }
  // What was wrong; null where nothing was, where it is not known yet, and where it was told.
  std::exception_ptr take_error() {
    const std::lock_guard lock(mutex_);
    if (error_) close();
    return std::exchange(error_, nullptr);
  }

 private:
  void close() {
    if (std::exchange(is_open_, false)) internal::late_checks.fetch_sub(1);
  }
  void look(Array& done) {
    std::optional<Scalar> value;
    // What the parent process computes is its own to see, and a device that failed says so to all.
    bool is_lost = is_inherited(generation_);
    if (!is_lost) {
      try {
        // A stream that goes on with other work is not known to be done with this.
        if (!driver_.is_complete(computed_)) return;
        value = read_computed(witness_);
      } catch (...) {
        is_lost = true;
      }
    }
    if (!value && !is_lost) return;
    done = std::exchange(witness_, {});
    if (value) error_ = error_of(*value);
    if (!error_) close();
  }
  std::exception_ptr error_of(const Scalar& value) const {
    std::string place = place_of(position_).to_string();
    if (!place.empty()) place.insert(0, ", asked for at ");
    try {
      judge_(value);
      return nullptr;
    } catch (const IndexError& error) {
      return std::make_exception_ptr(IndexError(error.what() + place));
    } catch (const ValueError& error) {
      return std::make_exception_ptr(ValueError(error.what() + place));
    } catch (...) {
      return std::current_exception();
    }
  }

  Mutex mutex_;
  Array witness_;
  Driver& driver_;
  const EventHandle computed_;
  const std::function<void(const Scalar&)> judge_;
  const CallPosition position_ = noted_position;
  const std::uint64_t generation_ = fork_generation();
  std::exception_ptr error_;
  bool is_open_ = true;
};

using CheckPointer = std::shared_ptr<LateCheck>;

class LateChecks final : public LateErrors {
 public:
  void add(std::span<const CheckPointer> checks) {
    const std::lock_guard lock(mutex_);
    for (const CheckPointer& check : checks) {
      if (std::find(checks_.begin(), checks_.end(), check) == checks_.end()) {
        checks_.push_back(check);
      }
    }
    is_empty_ = checks_.empty();
  }

  void throw_known() override {
    if (is_empty_) return;
    std::exception_ptr first;
    for (const CheckPointer& check : open_ones()) {
      std::exception_ptr error = check->take_error();
      if (!first) first = std::move(error);
    }
    if (first) std::rethrow_exception(first);
  }
  bool settle() noexcept override {
    try {
      return is_empty_ || open_ones().empty();
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  void pass_on(StreamState& later) override;

 private:
  std::vector<CheckPointer> all() {
    const std::lock_guard lock(mutex_);
    return checks_;
  }
  // Those that are not settled; forgets the others.
  std::vector<CheckPointer> open_ones() {
    std::vector<CheckPointer> open = all();
    std::vector<CheckPointer> settled;
    std::erase_if(open, [&](const CheckPointer& check) {
      if (!check->is_settled()) return false;
      settled.push_back(check);
      return true;
    });
    const std::lock_guard lock(mutex_);
    std::erase_if(checks_, [&](const CheckPointer& check) {
      return std::find(settled.begin(), settled.end(), check) != settled.end();
    });
    is_empty_ = checks_.empty();
    return open;
  }

  std::atomic<bool> is_empty_{true};
  Mutex mutex_;
  std::vector<CheckPointer> checks_;
};

LateChecks& checks_of(StreamState& stream) {
  LateErrors* errors = stream.late_errors();
  if (!errors) errors = &stream.set_late_errors(std::make_unique<LateChecks>());
  return static_cast<LateChecks&>(*errors);
}

// Looks at nothing: the caller may hold locks of storages.
void LateChecks::pass_on(StreamState& later) {
  if (!is_empty_) checks_of(later).add(all());
}

}  // namespace

void check_later(const Array& witness, std::function<void(const Scalar&)> judge) {
  evaluate(witness);
  const std::shared_ptr<StreamState> stream = current_stream(witness.device());
  LateChecks& checks = checks_of(*stream);
  checks.settle();
  const CheckPointer check = std::make_shared<LateCheck>(witness, *stream, std::move(judge));
  checks.add({&check, 1});
  // A check keeps its witness, which keeps the stream: a thread's own lives on anyway.
  if (!stream->is_of_thread()) retire(stream, {[stream] { stream->late_errors()->settle(); }});
}

bool answers_later(const Device& device) {
  return !host_shares_memory(device) || !current_stream(device)->is_idle();
}

void internal::throw_late_errors(const Array& observed) {
  std::shared_ptr<StreamState> writer;
  if (is_stored(observed)) {
    Storage& storage = *observed.state().storage;
    const StorageLock lock(storage);
    writer = storage.uses.write.stream;
  }
  const std::shared_ptr<StreamState>& current = current_stream(observed.device());
  if (writer && writer != current) writer->throw_late_errors();
  current->throw_late_errors();
}

}  // namespace cupola
