#include "driver/set/set_stream.h"

#include <algorithm>
#include <exception>

#include "base/process/interrupt.h"

namespace cupola {

namespace {

constexpr std::size_t kMaxRanges = 64;

}  // namespace

SetStream::SetStream(Driver& platform, const Device& set, const StreamOptions& options,
                     StreamHandle lead)
    : platform_(platform),
      set_(set),
      members_(set.members()),
      options_(options),
      lead_(lead),
      states_(members_.size()) {}

SetStream::~SetStream() {
  for (const Member& member : states_) {
    if (member.done) platform_.destroy_event(member.done);
    if (member.stream) platform_.destroy_stream(member.stream);
  }
  if (begin_) platform_.destroy_event(begin_);
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
// asked for would leave most of it with the first member.
void* SetStream::scratch(std::size_t bytes) {
  constexpr std::size_t kMaxBlocks = 8;
  const std::size_t unit = scratch_unit();
  const bool is_many = scratch_.size() >= kMaxBlocks;
  std::size_t wanted = std::max(bytes, (members_.size() - 1) * unit);
  const std::size_t most = is_many ? SIZE_MAX : wanted + wanted / 8 + unit;
  for (const Scratch& scratch : scratch_) {
    if (scratch.bytes >= wanted && scratch.bytes <= most) return scratch.data;
  }
  if (is_many) wanted *= 2;
  Scratch made{nullptr, 0, parts_of_scratch(wanted)};
  for (const StripedPart& part : made.parts) made.bytes += part.bytes;
  scratch_.reserve(scratch_.size() + 1);
  made.data = platform_.allocate_striped(made.parts, members_);
  scratch_.push_back(std::move(made));
  return scratch_.back().data;
}

void SetStream::open(std::size_t position) {
  Member& member = states_[position];
  if (!member.done) member.done = platform_.create_event(members_[position]);
  if (!member.stream) member.stream = platform_.create_stream(members_[position], options_);
}

// False where the range meets one of them.
bool SetStream::Transfers::add(const void* data, std::size_t bytes) {
  const auto* const first = static_cast<const char*>(data);
  const char* const end = first + bytes;
  for (const auto& range : ranges) {
    if (first < range.second && range.first < end) return false;
  }
  for (auto& range : ranges) {
    if (range.second != first && range.first != end) continue;
    range = {std::min(range.first, first), std::max(range.second, end)};
    return true;
  }
  if (ranges.size() == kMaxRanges) return false;
  ranges.emplace_back(first, end);
  return true;
}

Fork::Fork(SetStream& stream) : stream_(stream), lock_(stream.mutex_) {
  stream_.lead();
  begin();
}

Fork::Fork(SetStream& stream, bool writes_set, const void* data, std::size_t bytes)
    : stream_(stream), lock_(stream.mutex_), is_transfer_(true) {
  SetStream::Transfers& open = stream_.open_transfers_;
  const std::uint64_t shared = stream_.transfers_.load(std::memory_order_relaxed);
  const bool goes_on =
      shared != 0 && shared == stream_.beginnings_ && open.writes_set == writes_set;
  if (goes_on && open.add(data, bytes)) return;
  begin();
  open.writes_set = writes_set;
  open.ranges.clear();
  open.add(data, bytes);
  stream_.transfers_.store(stream_.beginnings_, std::memory_order_relaxed);
}

Fork::~Fork() {
  if (!lock_.owns_lock()) lock_.lock();
  join();
}

void Fork::begin() {
  Driver& platform = stream_.platform_;
  if (!stream_.begin_) stream_.begin_ = platform.create_event(stream_.members_.front());
  platform.record(stream_.begin_, stream_.lead_);
  ++stream_.beginnings_;
}

StreamHandle Fork::on(std::size_t position) {
  if (position == 0 && !is_transfer_) return stream_.lead_;
  stream_.open(position);
  SetStream::Member& member = stream_.states_[position];
  if (member.begun != stream_.beginnings_) {
    stream_.platform_.wait(member.stream, stream_.begin_);
    member.begun = stream_.beginnings_;
  }
  if (std::find(used_.begin(), used_.end(), position) == used_.end()) used_.push_back(position);
  return member.stream;
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
  begin();
}

}  // namespace cupola
