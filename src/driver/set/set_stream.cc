#include "driver/set/set_stream.h"

#include <algorithm>
#include <exception>

namespace cupola {

namespace {

constexpr std::size_t kMostRanges = 64;

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
  for (const auto& [data, bytes] : scratch_) {
    const StripedPart part{members_.front(), bytes};
    platform_.deallocate_striped(data, {&part, 1});
  }
}

// Memory that is given back must not be in use; streams may have work when they go.
void SetStream::wait_for_scratch() noexcept {
  if (scratch_.empty()) return;
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

// Blocks of earlier, smaller requests stay until the stream goes: work may still use them. Sizes
// double, so that all of them together are no more than the last.
void* SetStream::scratch(std::size_t bytes) {
  if (!scratch_.empty() && scratch_.back().second >= bytes) return scratch_.back().first;
  const int lead = members_.front();
  const std::size_t unit = platform_.stripe_granularity(lead);
  std::size_t wanted = scratch_.empty() ? bytes : std::max(bytes, 2 * scratch_.back().second);
  wanted = (wanted + unit - 1) / unit * unit;
  const StripedPart part{lead, wanted};
  scratch_.reserve(scratch_.size() + 1);
  void* const data = platform_.allocate_striped({&part, 1}, members_);
  scratch_.emplace_back(data, wanted);
  return data;
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
  if (ranges.size() == kMostRanges) return false;
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
  try {
    join();
  } catch (...) {
    // The device has failed, which its next use tells.
  }
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

// A member that has failed keeps nobody from waiting for the others.
void Fork::join() {
  std::exception_ptr failure;
  for (const std::size_t position : std::exchange(used_, {})) {
    const SetStream::Member& member = stream_.states_[position];
    try {
      stream_.platform_.record(member.done, member.stream);
      stream_.platform_.wait(stream_.lead_, member.done);
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

void Fork::next() {
  join();
  begin();
}

}  // namespace cupola
