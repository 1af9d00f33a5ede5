#pragma once
// What small work takes when nothing stands in its way: no lock is waited for that anybody has for
// longer than a moment, and no memory of the device is asked for.

#include <cstdint>
#include <span>
#include <vector>

#include "base/containers/pointer_map.h"
#include "exec/launch/ready_launch.h"

namespace cupola {

// Computes an elementwise pending array, or a reduction to one element and what is made of it, on a
// thread that may not be kept waiting, as it holds the interpreter lock. False, and nothing done,
// unless nothing has to be waited for or made: the array is as MayCompute says, what it reads is
// stored and used on no other stream, nobody else has a part of it, its kernel is known to the
// thread, and memory is at hand. Throws LaunchError.
bool evaluate_at_once(const Array& array, MayCompute what = MayCompute::little);
// The first ones of several, as AtOnce does. Returns whether all of them are computed.
bool evaluate_at_once(std::span<const Array> arrays, MayCompute what = MayCompute::little);

// What is larger gains nothing from a launch together with others.
inline constexpr std::int64_t kMaxTogether = std::int64_t{1} << 17;  // elements

// Computes several arrays so: those that the same kernel computes, by one launch for many where
// the platform has such launches. Between add() and launch() the thread computes nothing else.
class AtOnce {
 public:
  AtOnce() = default;
  AtOnce(const AtOnce&) = delete;
  AtOnce& operator=(const AtOnce&) = delete;

  // False: launch() will not compute the array, and what was added before goes first.
  bool add(const Array& array);
  // What was added is made of it, and nobody else has it: it need not be computed.
  bool is_part(const Array& array) const { return parts_.contains(&array.state()); }
  void launch();

 private:
  // Launches of one kernel.
  struct Group {
    KnownLaunch* known;
    std::vector<ReadyLaunch> ready;
    std::vector<LaunchArguments> arguments;
  };
  Group& group_of(KnownLaunch* known);
  void launch(Group& group);

  std::shared_ptr<StreamState> stream_;  // null: nothing was added
  std::vector<Group> groups_;
  TriedLocks locks_;  // of storages that the groups keep: released before these are gone
  PointerSet parts_;
};

}  // namespace cupola
