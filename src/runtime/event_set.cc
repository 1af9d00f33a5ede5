#include "runtime/event_set.h"

namespace cupola {

EventHandle EventSet::take(Driver& driver, const Device& device) {
  {
    const std::lock_guard lock(mutex_);
    std::vector<EventHandle>& free = devices_[device].free;
    if (!free.empty()) {
      const EventHandle event = free.back();
      free.pop_back();
      return event;
    }
  }
  const EventHandle event = driver.create_event(device.index());
  const std::lock_guard lock(mutex_);
  ++devices_[device].made;
  return event;
}

void EventSet::put(const Device& device, EventHandle event) {
  const std::lock_guard lock(mutex_);
  devices_[device].free.push_back(event);
}

std::size_t EventSet::total() const {
  const std::lock_guard lock(mutex_);
  std::size_t sum = 0;
  for (const auto& [device, events] : devices_) sum += events.made;
  return sum;
}

std::size_t EventSet::taken(const Device& device) const {
  const std::lock_guard lock(mutex_);
  const auto found = devices_.find(device);
  return found == devices_.end() ? 0 : found->second.made - found->second.free.size();
}

}  // namespace cupola
