#pragma once
// One launch that computes a pending array, ready but for the launch itself, where nothing has to
// be waited for or made.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "exec/launch/known_launch.h"
#include "exec/launch/mirror.h"
#include "graph/node.h"

namespace cupola {

// The locks of what is read, as far as nobody has them, or had them at a fork
// (exec/launch/storage_lock.h).
class TriedLocks {
 public:
  TriedLocks() = default;
  TriedLocks(const TriedLocks&) = delete;
  TriedLocks& operator=(const TriedLocks&) = delete;

  ~TriedLocks() { unlock(); }
  // False: somebody has one, or they are many.
  bool lock(std::span<const Array* const> arrays) {
    return std::all_of(arrays.begin(), arrays.end(),
                       [this](const Array* array) { return lock(array->state().storage.get()); });
  }
  bool lock(Storage* storage);
  void unlock();

 private:
  bool has(const Storage* storage) const;

  std::array<Storage*, 64> locked_;
  std::size_t count_ = 0;
};

// Of arrays that the calling thread may compute, where the platform computes on it: those of few
// elements, those of any size that nothing pending is below, or all.
enum class MayCompute : std::uint8_t { little, alone, all };

struct ReadyLaunch {
  Array array;
  NodePointer node;
  std::unique_lock<Mutex> claim;
  std::unique_lock<Mutex> below;  // of the reduction that the array is made of
  std::shared_ptr<Storage> result;
  std::shared_ptr<Mirror> mirror;
  KnownLaunch* known = nullptr;
  const LaunchArguments* arguments = nullptr;  // as KnownLaunch::arguments() has them
  std::array<Storage*, 8> reads{};             // whose locks are held
  std::size_t read_count = 0;

  // False: the long way is to be gone, and what was tried is dropped with this.
  bool prepare(const Array& pending, const NodePointer& its_node,
               const std::shared_ptr<StreamState>& stream, TriedLocks& locks,
               MayCompute what = MayCompute::little);
  // The work of that number on the stream computes it: from now on the array is stored.
  void finish(const std::shared_ptr<StreamState>& stream, std::uint64_t sequence);

 private:
  bool prepare_reduction(const Array& reduction, StreamState& stream, TriedLocks& locks);
  bool prepare_key(const LaunchKey& key, StreamState& stream, TriedLocks& locks);
};

}  // namespace cupola
