#include "platforms/cpu/streams/live_streams.h"

#include <array>
#include <memory>
#include <vector>

#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "platforms/cpu/streams/task_gate.h"

namespace cupola::cpu {
namespace {

constexpr std::size_t kLocks = 64;

std::array<GatedMutex, kLocks>& locks() {
  static constinit Lazy<std::array<GatedMutex, kLocks>> table;
  return *table;
}

std::atomic<bool> to_resume{false};

}  // namespace

GatedMutex& completion_lock(const Completion* completion) {
  return locks()[reinterpret_cast<std::uintptr_t>(completion) / sizeof(Completion) % kLocks];
}

bool resume_after_fork() {
  if (!to_resume.load(std::memory_order_relaxed)) [[likely]]
    return false;
  if (!to_resume.exchange(false)) return false;
  LiveStreams::instance().schedule_all();
  return true;
}

LiveStreams& LiveStreams::instance() {
  static constinit Lazy<LiveStreams> streams;
  return *streams;
}

LiveStreams::LiveStreams() {
  at_fork(ForkLayer::tasks, {close_gate, open_gate, [this] { in_child(); }});
}

void LiveStreams::add(Stream& stream) {
  const std::lock_guard lock(mutex_);
  streams_.insert(&stream);
}

void LiveStreams::remove(Stream& stream) {
  const std::lock_guard lock(mutex_);
  streams_.erase(&stream);
}

void LiveStreams::schedule_all() {
  std::vector<std::shared_ptr<Stream>> streams;
  {
    const std::lock_guard lock(mutex_);
    for (Stream* stream : streams_) {
      if (auto alive = stream->weak_from_this().lock()) streams.push_back(std::move(alive));
    }
  }
  for (const auto& stream : streams) stream->schedule();
}

void LiveStreams::in_child() {
  for (Stream* stream : streams_) stream->forget_lost_threads();
  open_gate_in_child();
  to_resume.store(!streams_.empty());
}

}  // namespace cupola::cpu
