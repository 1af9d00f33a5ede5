#include "exec/launch/at_once.h"

#include <algorithm>

#include "base/call_site.h"
#include "base/counters.h"
#include "exec/evaluation/failure.h"
#include "exec/host/host_map.h"
#include "exec/observation/launch_log.h"
#include "exec/observation/observed_launch.h"
#include "graph/fusion.h"
#include "graph/readings.h"
#include "runtime/host_functions.h"

namespace cupola {

namespace {

// Platforms block when more work than this waits in a stream.
constexpr std::uint64_t kMaxQueued = 512;

// `stream`: that of the array, null for a part of another one that nobody was given.
bool may_launch(const Array& array, const std::shared_ptr<StreamState>& stream) {
  return !call_sites_wanted() && !is_logging_launches() && stream &&
         stream == current_stream(array.device()) && stream->is_open() && !stream->is_foreign() &&
         !stream->is_capturing() && !host_functions_are_pending() &&
         !stream->driver().is_loading() && stream->has_room(kMaxQueued);
}

void launch_one(const ReadyLaunch& ready, StreamState& stream) {
  const std::shared_ptr<Kernel>& kernel = ready.known->kernel();
  const ObservedWork observed([&] { return kernel_work(stream, *kernel, *ready.arguments); });
  stream.driver().launch(kernel, *ready.arguments, stream.handle());
  count(Counter::launches);
}

}  // namespace

bool evaluate_at_once(const Array& array, MayCompute what) {
  const NodePointer node = node_of(array);
  if (!node) return true;
  if (compute_on_host(array)) return true;
  const std::shared_ptr<StreamState> stream = array.state().stream;
  if (!may_launch(array, stream)) return false;
  return compute_for(array, *node, [&] {
    TriedLocks locks;
    ReadyLaunch ready;
    if (!ready.prepare(array, node, stream, locks, what)) return false;
    launch_one(ready, *stream);
    ready.finish(stream, stream->advance());
    return true;
  });
}

bool evaluate_at_once(std::span<const Array> arrays, MayCompute what) {
  if (arrays.empty()) return true;
  if (arrays.size() == 1) return evaluate_at_once(arrays.front(), what);
  AtOnce work;
  const bool all =
      std::all_of(arrays.begin(), arrays.end(), [&](const Array& each) { return work.add(each); });
  work.launch();
  return all;
}

bool AtOnce::add(const Array& array) {
  const NodePointer node = node_of(array);
  if (!node) return true;
  if (array.size() > kMaxTogether) return false;
  if (compute_on_host(array)) return true;
  const std::shared_ptr<StreamState> stream = array.state().stream;
  if (!may_launch(array, stream) || (stream_ && stream_ != stream)) return false;
  ReadyLaunch ready;
  if (!ready.prepare(array, node, stream, locks_)) return false;
  stream_ = stream;
  if (!is_alone(*node)) {
    Worklist below;
    below.add(array);
    while (const NodePointer part = below.next()) {
      for (const Array& input : part->inputs) {
        if (parts_.insert(&input.state())) below.add(input);
      }
    }
  }
  Group& group = group_of(ready.known);
  group.arguments.push_back(*ready.arguments);
  group.ready.push_back(std::move(ready));
  return true;
}

AtOnce::Group& AtOnce::group_of(KnownLaunch* known) {
  const auto found = std::find_if(groups_.begin(), groups_.end(),
                                  [known](const Group& group) { return group.known == known; });
  if (found != groups_.end()) return *found;
  groups_.push_back({.known = known, .ready = {}, .arguments = {}});
  return groups_.back();
}

void AtOnce::launch() {
  for (Group& group : groups_) launch(group);
  locks_.unlock();
  groups_.clear();
  parts_ = {};
  stream_ = nullptr;
}

void AtOnce::launch(Group& group) {
  const std::span<ReadyLaunch> ready = group.ready;
  for (std::size_t i = 0; i < ready.size(); ++i) ready[i].arguments = &group.arguments[i];
  const std::span<const LaunchArguments> arguments = group.arguments;
  for (std::size_t done = 0; done < ready.size();) {
    const ReadyLaunch& first = ready[done];
    const std::size_t launched = compute_for(first.array, *first.node, [&]() -> std::size_t {
      const std::size_t joined =
          is_observed() ? 0
                        : stream_->driver().launch_joined(
                              group.known->kernel(), arguments.subspan(done), stream_->handle());
      if (joined == 0)
        launch_one(first, *stream_);
      else
        count(Counter::launches);
      return std::max<std::size_t>(joined, 1);
    });
    const std::uint64_t sequence = stream_->advance();
    for (std::size_t i = 0; i < launched; ++i) ready[done + i].finish(stream_, sequence);
    done += launched;
  }
}

}  // namespace cupola
