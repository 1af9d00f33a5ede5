#pragma once
// Events to be recorded again and again: making one costs more than recording it.

#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "cupola/device.h"
#include "driver/driver.h"

namespace cupola {

// Calls the platform outside its lock.
class EventSet {
 public:
  // Throws what the platform throws.
  EventHandle take(Driver& driver, const Device& device);
  void put(const Device& device, EventHandle event);

  std::size_t total() const;                      // made so far, of all devices
  std::size_t taken(const Device& device) const;  // not put back

 private:
  struct Events {
    std::vector<EventHandle> free;
    std::size_t made = 0;
  };
  mutable std::mutex mutex_;
  std::unordered_map<Device, Events> devices_;
};

}  // namespace cupola
