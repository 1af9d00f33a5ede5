#include "driver/set/set_stream.h"

#include <algorithm>
#include <exception>

#include "base/mutant.h"
#include "base/process/interrupt.h"

namespace cupola {

SetStream::SetStream(Driver& platform, const Device& set, const StreamOptions& options,
                     StreamHandle lead, bool is_shared)
    : platform_(platform),
      set_(set),
      members_(set.members()),
      options_(options),
      lead_(lead),
      is_shared_(is_shared),
      states_(members_.size()) {}

SetStream::~SetStream() {
  for (const Member& member : states_) {
    if (member.done) platform_.destroy_event(member.done);
    if (member.stream) platform_.destroy_stream(member.stream);
  }
  for (const EventHandle event : past_.take_all()) platform_.destroy_event(event);
  wait_for_scratch();
  platform_.destroy_stream(lead_);
  for (const Scratch& scratch : scratch_) platform_.deallocate_striped(scratch.data, scratch.parts);
}

// Memory that is given back must not be in use; streams may have work when they go.
void SetStream::wait_for_scratch() noexcept {
  if (scratch_.empty()) return;
  const Uninterruptible until_done;
  try {
    platform_.synchronize(lead_);
  } catch (...) {
    // The device has failed: nothing runs there any more.
  }
}

void SetStream::synchronize() {
  platform_.synchronize(lead_);
  std::vector<StreamHandle> opened;
  {
    const std::lock_guard lock(mutex_);
    for (const Member& member : states_) {
      if (member.stream) opened.push_back(member.stream);
    }
  }
  for (const StreamHandle stream : opened) platform_.synchronize(stream);
}

std::size_t SetStream::scratch_unit() const {
  std::size_t largest = 1;
  for (const int member : members_) {
    largest = std::max(largest, platform_.stripe_granularity(member));
  }
  return largest;
}

// Cut as arrays are, if there is so much of it.
std::vector<StripedPart> SetStream::parts_of_scratch(std::size_t bytes) const {
  const std::size_t unit = scratch_unit(), count = members_.size();
  const std::size_t units = (bytes + unit - 1) / unit;
  if (units < count) return {{members_.front(), units * unit}};
  std::vector<StripedPart> parts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = units * i / count, end = units * (i + 1) / count;
    parts.push_back({members_[i], (end - begin) * unit});
  }
  return parts;
}

// Blocks stay until the stream goes: work may still use them. One that is much larger than what is
// asked for would leave most of it with the first member. Three take turns: what the lead makes of
// one may run beside the next launch, and is over by the one after that.
void* SetStream::scratch(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  constexpr std::size_t kMaxBlocks = 16, kTurns = 3;
  const std::size_t unit = scratch_unit();
  const bool is_many = scratch_.size() >= kMaxBlocks;
  std::size_t wanted = std::max(bytes, (members_.size() - 1) * unit);
  const std::size_t most = is_many ? SIZE_MAX : wanted + wanted / 8 + unit;
  std::size_t suitable = 0;
  Scratch* oldest = nullptr;
  for (Scratch& scratch : scratch_) {
    if (scratch.bytes < wanted || scratch.bytes > most) continue;
    ++suitable;
    if (oldest == nullptr || scratch.turn < oldest->turn) oldest = &scratch;
  }
  if (suitable < kTurns && !(is_many && suitable > 0)) {
    if (is_many) wanted *= 2;
    Scratch made{nullptr, 0, parts_of_scratch(wanted), 0};
    for (const StripedPart& part : made.parts) made.bytes += part.bytes;
    scratch_.reserve(scratch_.size() + 1);
    made.data = platform_.allocate_striped(made.parts, members_);
    scratch_.push_back(std::move(made));
    oldest = &scratch_.back();
  }
  oldest->turn = ++turns_;
  return oldest->data;
}

void SetStream::open(std::size_t position) {
  Member& member = states_[position];
  if (!member.done) member.done = platform_.create_event(members_[position]);
  if (!member.stream) member.stream = platform_.create_stream(members_[position], options_);
}

PastWork::Point SetStream::mark() {
  EventHandle event = past_.take_spare();
  if (event == nullptr) event = platform_.create_event(members_.front());
  try {
    platform_.record(event, lead_);
  } catch (...) {
    past_.keep_spare(event);
    throw;
  }
  return {++marks_, event};
}

PastWork::Point SetStream::begin() {
  // First: what is put on the lead from now on may not be behind this place.
  const std::uint64_t uses = lead_uses_.load(std::memory_order_acquire);
  const PastWork::Point now = mark();
  past_.begin(now);
  past_uses_ = uses;
  return now;
}

PastWork::Point SetStream::begin(std::span<const TouchedMemory> memory) {
  const bool goes_on = knows_past_ && !is_shared_.load(std::memory_order_acquire) &&
                       past_uses_ == lead_uses_.load(std::memory_order_acquire);
  if (goes_on && CUPOLA_MUTANT(members_do_not_wait)) memory = {};
  if (goes_on) return past_.met_by(memory);
  const PastWork::Point now = begin();
  knows_past_ = true;
  return now;
}

Fork::Fork(SetStream& stream) : stream_(stream), lock_(stream.mutex_), is_told_(false) {
  stream_.knows_past_ = false;
  begin_ = stream_.begin();
}

Fork::Fork(SetStream& stream, std::vector<TouchedMemory> memory, std::size_t by_lead)
    : stream_(stream), lock_(stream.mutex_), is_told_(true), memory_(std::move(memory)) {
  begin_ = stream_.begin(std::span(memory_).first(memory_.size() - by_lead));
}

// Whatever fails, what comes next comes after it.
Fork::~Fork() {
  if (!lock_.owns_lock()) lock_.lock();
  join();
  if (!is_told_) {
    stream_.knows_past_ = false;
    return;
  }
  try {
    stream_.past_.add(std::move(memory_), stream_.mark());
  } catch (...) {
    stream_.knows_past_ = false;
  }
}

// The first member, too, has a stream beside the lead where others need not wait for all of them.
StreamHandle Fork::on(std::size_t position) {
  if (position == 0 && !is_told_) return stream_.lead_;
  stream_.open(position);
  SetStream::Member& member = stream_.states_[position];
  if (member.begun < begin_.number) {
    stream_.platform_.wait(member.stream, begin_.event);
    member.begun = begin_.number;
  }
  if (std::find(used_.begin(), used_.end(), position) == used_.end()) used_.push_back(position);
  return member.stream;
}

StreamHandle Fork::behind_all() {
  join();
  return stream_.lead_;
}

// Whatever fails, what comes on the lead comes after the work of all members.
void Fork::join() noexcept {
  for (const std::size_t position : std::exchange(used_, {})) {
    const SetStream::Member& member = stream_.states_[position];
    try {
      stream_.platform_.record(member.done, member.stream);
      stream_.platform_.wait(stream_.lead_, member.done);
    } catch (...) {
      wait_here(member.stream);
    }
  }
}

void Fork::wait_here() noexcept {
  for (const std::size_t position : used_) wait_here(stream_.states_[position].stream);
}

void Fork::wait_here(StreamHandle stream) noexcept {
  const Uninterruptible until_done;
  try {
    stream_.platform_.synchronize(stream);
  } catch (...) {
    // The device has failed, which its next use tells: nothing runs there any more.
  }
}

void Fork::next() {
  join();
  begin_ = stream_.begin();
}

}  // namespace cupola
