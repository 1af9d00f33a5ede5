#include "platforms/cpu/adversary/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/mutant.h"

namespace cupola::cpu::adversary {
namespace {

std::string to_text(const Range& range) {
  return fmt::format("[{:#x}, {:#x}) ({} bytes)", range.first, range.last,
                     range.last - range.first);
}

}  // namespace

void Checker::add_stream(StreamHandle stream) {
  const std::lock_guard lock(mutex_);
  streams_.insert_or_assign(stream, StreamInfo{next_number_++, 0, {}});
}

void Checker::remove_stream(StreamHandle stream) {
  const std::lock_guard lock(mutex_);
  streams_.erase(stream);
}

void Checker::add_event(EventHandle event) {
  const std::lock_guard lock(mutex_);
  events_.insert_or_assign(event, Clock{});
}

void Checker::remove_event(EventHandle event) {
  const std::lock_guard lock(mutex_);
  events_.erase(event);
}

Checker::StreamInfo* Checker::find(StreamHandle stream, const char* what) {
  const auto found = streams_.find(stream);
  if (found != streams_.end()) return &found->second;
  report_(fmt::format("RaceError: {} on a stream that is destroyed or was never made ({})", what,
                      static_cast<const void*>(stream)));
  return nullptr;
}

Clock* Checker::find(EventHandle event, const char* what) {
  const auto found = events_.find(event);
  if (found != events_.end()) return &found->second;
  report_(fmt::format("RaceError: {} of an event that is destroyed or was never made ({})", what,
                      static_cast<const void*>(event)));
  return nullptr;
}

std::string Checker::describe(const Operation& operation) const {
  return fmt::format("{} (number {} of stream {})", operation.name, operation.moment.sequence,
                     operation.moment.stream);
}

void Checker::check_live(const Range& range, const Operation& operation) {
  if (arena_.state_of(range) != Arena::State::dead) return;
  report_(fmt::format("RaceError: {} uses {}, which is freed or was never allocated",
                      describe(operation), to_text(range)));
}

void Checker::report_race(const Operation& later, bool later_writes, const Conflict& conflict) {
  report_(fmt::format(
      "RaceError: {} {} {} that {} {}; nothing orders the second after the first. They share {}",
      describe(later), later_writes ? "writes" : "reads", "memory", describe(*conflict.earlier),
      conflict.earlier_writes ? "writes" : "reads", to_text(conflict.range)));
}

std::uint64_t Checker::number_of(const LaunchPart& part) {
  constexpr std::size_t kMaxLaunches = 1024;
  if (part.launch == 0) return 0;
  // Those of which no part came for long are forgotten, and none that others are in the middle of.
  if (launches_.size() > kMaxLaunches) earlier_launches_ = std::exchange(launches_, {});
  const auto [entry, is_new] = launches_.try_emplace(part.launch);
  if (is_new) {
    if (auto known = earlier_launches_.extract(part.launch)) {
      entry->second = std::move(known.mapped());
    }
  }
  auto& [number, parts] = entry->second;
  const bool again = std::any_of(parts.begin(), parts.end(), [&](const WorkPart& other) {
    return part.part.first < other.end && other.first < part.part.end;
  });
  if (again) parts.clear();
  if (parts.empty()) number = next_launch_++;
  parts.push_back(part.part);
  return number;
}

Clock Checker::submit(StreamHandle stream, const std::string& name,
                      std::span<const MemoryAccess> accesses, Caller caller,
                      const LaunchPart& part) {
  const std::lock_guard lock(mutex_);
  StreamInfo* const info = find(stream, name.c_str());
  if (info == nullptr) return {};
  info->clock.join(host_);
  const Moment moment{info->number, ++info->submitted};
  const auto operation = std::make_shared<const Operation>(
      Operation{name, moment, caller == Caller::waits, number_of(part)});
  for (const bool writes : {false, true}) {
    for (const MemoryAccess& access : accesses) {
      if (access.writes != writes || access.range.is_empty()) continue;
      check_live(access.range, *operation);
      // The work may write what it reads itself.
      Clock before = info->clock;
      before.advance(moment);
      const auto conflict = writes ? shadow_.write(access.range, operation, before)
                                   : shadow_.read(access.range, operation, before);
      if (conflict) report_race(*operation, writes, *conflict);
    }
  }
  info->clock.advance(moment);
  Clock done = info->clock;
  info->clock.reduce(host_);
  if (shadow_.size() > forget_at_) {
    shadow_.forget(host_);
    forget_at_ = std::max<std::size_t>(4096, 2 * shadow_.size());
  }
  return done;
}

void Checker::record(EventHandle event, StreamHandle stream) {
  const std::lock_guard lock(mutex_);
  Clock* const clock = find(event, "record");
  const StreamInfo* const info = find(stream, "record");
  if (clock == nullptr || info == nullptr) return;
  *clock = info->clock;
}

void Checker::wait(StreamHandle stream, EventHandle event) {
  const std::lock_guard lock(mutex_);
  const Clock* const clock = find(event, "wait");
  StreamInfo* const info = find(stream, "wait");
  if (clock == nullptr || info == nullptr) return;
  info->clock.join(*clock);
  info->clock.reduce(host_);
}

Clock Checker::clock_of(StreamHandle stream) {
  const std::lock_guard lock(mutex_);
  const StreamInfo* const info = find(stream, "use");
  return info == nullptr ? Clock{} : info->clock;
}

Clock Checker::clock_of(EventHandle event) {
  const std::lock_guard lock(mutex_);
  const Clock* const clock = find(event, "use");
  return clock == nullptr ? Clock{} : *clock;
}

void Checker::observe(const Clock& clock) {
  const std::lock_guard lock(mutex_);
  host_.join(clock);
}

void Checker::free(const void* pointer, const char* name) {
  const std::lock_guard lock(mutex_);
  const Range block = arena_.block_at(pointer);
  if (block.is_empty()) {
    report_(fmt::format("RaceError: {} of {}, which is no live block", name, pointer));
    return;
  }
  const auto conflict = shadow_.unfinished(block, host_);
  if (conflict && !CUPOLA_MUTANT(check_no_frees)) {
    report_(fmt::format(
        "RaceError: {} of {} while {} may still {} it: nobody has waited for that work", name,
        to_text(block), describe(*conflict->earlier), conflict->earlier_writes ? "write" : "read"));
  }
  shadow_.forget(block);
}

}  // namespace cupola::cpu::adversary
