#pragma once
// What was put on a set's stream lately: which memory it touches, and where on the lead it is over.

#include <cstdint>
#include <span>
#include <vector>

#include "codegen/touched_memory.h"
#include "driver/handles.h"

namespace cupola {

class PastWork {
 public:
  // A place on the lead: behind all work that came before. Later ones have larger numbers.
  struct Point {
    std::uint64_t number = 0;
    EventHandle event = nullptr;
  };

  // All work up to here may touch anything.
  void begin(Point point);
  // The latest work, which is over here. All of it is_whole.
  void add(std::vector<TouchedMemory> memory, Point point);
  // The last place that work with such memory has to come after.
  Point met_by(std::span<const TouchedMemory> memory) const;

  // An event of a place that nobody asks for any more; null: there is none.
  EventHandle take_spare();
  void keep_spare(EventHandle event) { spare_.push_back(event); }
  // Every event that came with a place.
  std::vector<EventHandle> take_all();

 private:
  struct Work {
    Point end;
    bool touches_all = false;
    std::vector<TouchedMemory> memory;  // ranges that do not adjoin, but where one writes
  };
  void join_oldest();

  std::vector<Work> works_;  // the oldest one first
  std::vector<EventHandle> spare_;
};

}  // namespace cupola
