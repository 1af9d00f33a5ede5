#include "driver/set/set_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cupola/error.h"

namespace cupola {

namespace {

// "2 x A" or "A + B".
std::string joined_names(const std::vector<std::string>& names) {
  if (std::ranges::all_of(names, [&](const auto& name) { return name == names.front(); })) {
    return fmt::format("{} x {}", names.size(), names.front());
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " + ") + name;
  return text;
}

void append(std::string& list, const std::string& text) {
  if (!text.empty()) list += (list.empty() ? "" : ",") + text;
}

}  // namespace

SetDriver::SetDriver(Driver& platform) : platform_(platform) {}

DeviceProperties SetDriver::properties(int set) {
  DeviceProperties sum;
  std::vector<std::string> names;
  for (const int member : members(set)) {
    const DeviceProperties one = platform_.properties(member);
    if (names.empty() || std::pair(one.compute_major, one.compute_minor) <
                             std::pair(sum.compute_major, sum.compute_minor)) {
      sum.compute_major = one.compute_major;
      sum.compute_minor = one.compute_minor;
    }
    names.push_back(one.name);
    sum.total_memory += one.total_memory;
    sum.multiprocessors += one.multiprocessors;
    sum.free_operations = one.free_operations;
    append(sum.uuid, one.uuid);
    append(sum.pci_bus_id, one.pci_bus_id);
  }
  sum.name = joined_names(names);
  return sum;
}

MemoryInfo SetDriver::memory_info(int set) {
  MemoryInfo sum;
  for (const int member : members(set)) {
    const MemoryInfo one = platform_.memory_info(member);
    sum.free += one.free;
    sum.total += one.total;
  }
  return sum;
}

std::vector<std::pair<std::string, int>> SetDriver::attributes(int set) {
  return platform_.attributes(first_of(set));
}

bool SetDriver::can_access_peer(int set, int peer) {
  for (const int member : members(set)) {
    for (const int other : members(peer)) {
      if (member != other && !platform_.can_access_peer(member, other)) return false;
    }
  }
  return true;
}

bool SetDriver::has_context(int set) {
  return std::ranges::any_of(members(set),
                             [this](int member) { return platform_.has_context(member); });
}

std::exception_ptr SetDriver::fault(int set) {
  for (const int member : members(set)) {
    if (std::exception_ptr fault = platform_.fault(member)) return fault;
  }
  return nullptr;
}

void SetDriver::clear_fault(int set) {
  for (const int member : members(set)) platform_.clear_fault(member);
}

// ---- streams and events

StreamHandle SetDriver::create_stream(int set, const StreamOptions& options) {
  const Device device(platform(), set);
  const StreamHandle lead = platform_.create_stream(first_of(set), options);
  return (new SetStream(platform_, device, options, lead, /*is_shared=*/false))->handle();
}

StreamHandle SetDriver::adopt_stream(int set, void* native) {
  const Device device(platform(), set);
  const StreamHandle lead = platform_.adopt_stream(first_of(set), native);
  return (new SetStream(platform_, device, StreamOptions{}, lead, /*is_shared=*/true))->handle();
}

void SetDriver::destroy_stream(StreamHandle stream) noexcept { delete &SetStream::of(stream); }

StreamHandle SetDriver::of_platform(StreamHandle stream) {
  return SetStream::of(stream).share_lead();
}

void* SetDriver::native_handle(StreamHandle stream) {
  return platform_.native_handle(SetStream::of(stream).share_lead());
}

std::uint64_t SetDriver::native_id(StreamHandle stream) {
  return platform_.native_id(SetStream::of(stream).lead_to_look_at());
}

void SetDriver::synchronize(StreamHandle stream) { SetStream::of(stream).synchronize(); }

bool SetDriver::is_idle(StreamHandle stream) {
  return platform_.is_idle(SetStream::of(stream).lead_to_look_at());
}

EventHandle SetDriver::create_event(int set, const EventOptions& options) {
  return platform_.create_event(first_of(set), options);
}

void SetDriver::record(EventHandle event, StreamHandle stream) {
  platform_.record(event, SetStream::of(stream).lead_to_look_at());
}

void SetDriver::wait(StreamHandle stream, EventHandle event) {
  platform_.wait(SetStream::of(stream).lead(), event);
}

void SetDriver::run_on_host(std::function<void()> function, StreamHandle stream) {
  platform_.run_on_host(std::move(function), SetStream::of(stream).lead());
}

void SetDriver::run_beside(std::function<void(Done)> begin, StreamHandle stream) {
  platform_.run_beside(std::move(begin), SetStream::of(stream).lead());
}

// ---- between processes

SharedMemory SetDriver::create_shared(int set, std::size_t bytes) {
  return platform_.create_shared(first_of(set), bytes);
}

SharedMemory SetDriver::map_shared(int set, int descriptor, std::size_t bytes) {
  return platform_.map_shared(first_of(set), descriptor, bytes);
}

void SetDriver::unmap_shared(int set, const SharedMemory& memory) noexcept {
  platform_.unmap_shared(first_of(set), memory);
}

void SetDriver::begin_capture(StreamHandle stream) {
  throw_capture_error(CaptureFailure::unsupported,
                      fmt::format("streams of {}, a set of devices, cannot be captured: capture a "
                                  "stream of each device",
                                  SetStream::of(stream).set().to_string()));
}

std::shared_ptr<WorkGraph> SetDriver::end_capture(StreamHandle) {
  throw_capture_error(CaptureFailure::illegal_state, "the stream is not capturing");
}

}  // namespace cupola
