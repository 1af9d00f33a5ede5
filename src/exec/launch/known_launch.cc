#include "exec/launch/known_launch.h"

#include <algorithm>

#include "base/containers/known_keys.h"
#include "base/threads/thread_owned.h"
#include "exec/launch/launcher.h"

namespace cupola {

namespace {

using KnownLaunches = KnownKeys<KnownLaunch, 1024>;

// Per thread, so that a hit takes no lock; the kernels are those of the process.
KnownLaunches& known_launches() { return ThreadOwned<KnownLaunches>::get(); }

std::ptrdiff_t distance(const void* pointer, const Array& array) {
  return static_cast<const char*>(pointer) - static_cast<const char*>(pointer_of(array));
}

void* moved(void* pointer, std::ptrdiff_t bytes) { return static_cast<char*>(pointer) + bytes; }

}  // namespace

void remember(const LaunchKey& key, const PlannedLaunch& planned, std::shared_ptr<Kernel> kernel) {
  if (!kernel || !key.is_complete()) return;
  KnownLaunch known;
  if (!known.learn(key, planned, std::move(kernel))) return;
  known_launches().learn(key.words(), std::move(known));
}

bool KnownLaunch::learn(const LaunchKey& key, const PlannedLaunch& planned,
                        std::shared_ptr<Kernel> kernel) {
  const LaunchArguments& arguments = planned.arguments;
  if (key.is_flat() && arguments.extents.size() != 1) return false;
  if (arguments.scalars.size() != key.scalars().size()) return false;
  for (std::size_t i = 0; i < planned.reads.size(); ++i) {
    const std::span<const Array* const> arrays = key.arrays();
    const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const Array* array) {
      return array->dtype() == planned.reads[i].dtype() && is_same_view(*array, planned.reads[i]);
    });
    if (found == arrays.end()) return false;
    inputs_.push_back({.array = static_cast<std::size_t>(found - arrays.begin()),
                       .bytes = distance(arguments.inputs[i].pointer, **found)});
  }
  for (std::size_t i = 0; i < planned.writes.size(); ++i) {
    output_bytes_.push_back(distance(arguments.outputs[i].pointer, planned.writes[i]));
  }
  kernel_ = std::move(kernel);
  arguments_ = arguments;
  may_mirror_ = cupola::may_mirror(planned.plan);
  return true;
}

const LaunchArguments& KnownLaunch::arguments(const LaunchKey& key, std::span<const Array> targets,
                                              void* mirror) {
  set_inputs(key);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    arguments_.outputs[i].pointer = moved(pointer_of(targets[i]), output_bytes_[i]);
  }
  arguments_.mirror = mirror;
  return arguments_;
}

const LaunchArguments& KnownLaunch::arguments(const LaunchKey& key, void* target, void* mirror) {
  set_inputs(key);
  arguments_.outputs[0].pointer = moved(target, output_bytes_[0]);
  arguments_.mirror = mirror;
  return arguments_;
}

void KnownLaunch::set_inputs(const LaunchKey& key) {
  if (key.is_flat()) arguments_.extents[0] = key.size();
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Array& array = *key.arrays()[inputs_[i].array];
    arguments_.inputs[i].pointer = moved(pointer_of(array), inputs_[i].bytes);
  }
  for (std::size_t i = 0; i < key.scalars().size(); ++i) arguments_.scalars[i] = *key.scalars()[i];
}

KnownLaunch* find_known(const LaunchKey& key) {
  return key.is_complete() ? known_launches().find(key.words()) : nullptr;
}

}  // namespace cupola
