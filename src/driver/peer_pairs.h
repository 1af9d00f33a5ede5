#pragma once
// Which devices of a platform reach each other's memory: asked of it, then proved by moving data.

#include <functional>
#include <span>

#include "base/containers/added_list.h"
#include "base/threads/mutex.h"
#include "driver/driver.h"

namespace cupola {

// Threads: any at any time. A forked child keeps what was proved.
class PeerPairs {
 public:
  // Whether what `device` writes to memory of `peer` is there, for `device` and for `peer`.
  using DataArrives = std::function<bool(int device, int peer)>;

  // Driver::connect(): asks can_access_peer() of all ordered pairs before anything moves, then
  // calls `data_arrives` for each pair of which it was not true before. What fails is forgotten.
  // No lock is held meanwhile: two threads may prove the same.
  void connect(Driver& driver, std::span<const int> devices, const DataArrives& data_arrives);

 private:
  struct Pair {
    int device;
    int peer;
    friend bool operator==(const Pair&, const Pair&) = default;
  };
  bool is_proved(const Pair& pair) const;

  Mutex mutex_;  // of those who add
  AddedList<Pair> proved_;
};

}  // namespace cupola
