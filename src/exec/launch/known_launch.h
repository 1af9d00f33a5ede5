#pragma once
// Launches whose plans this thread has made before take their kernels and arguments from there.

#include "codegen/planner.h"
#include "driver/driver.h"
#include "exec/launch/launch_key.h"

namespace cupola {

// A kernel with the arguments of one launch, for others with the same key.
class KnownLaunch {
 public:
  // False: the plan's arguments do not follow from the key alone.
  bool learn(const LaunchKey& key, const PlannedLaunch& planned, std::shared_ptr<Kernel> kernel);

  const std::shared_ptr<Kernel>& kernel() const { return kernel_; }
  // Reductions to one element may be mirrored (exec/launch/mirror.h).
  bool may_mirror() const { return may_mirror_; }
  // Valid until the next call, or until the thread launches something else.
  const LaunchArguments& arguments(const LaunchKey& key, std::span<const Array> targets,
                                   void* mirror);
  // The same where there is one target, which starts there.
  const LaunchArguments& arguments(const LaunchKey& key, void* target, void* mirror);

 private:
  struct Source {
    std::size_t array;     // of the key's
    std::ptrdiff_t bytes;  // from its first element
  };
  void set_inputs(const LaunchKey& key);

  std::shared_ptr<Kernel> kernel_;
  LaunchArguments arguments_;
  std::vector<Source> inputs_;
  std::vector<std::ptrdiff_t> output_bytes_;
  bool may_mirror_ = false;
};

// Null: this thread has not launched it yet, or it has no key.
KnownLaunch* find_known(const LaunchKey& key);

// `kernel` was launched with the plan: the thread knows it from now on. Null: nothing to know.
void remember(const LaunchKey& key, const PlannedLaunch& planned, std::shared_ptr<Kernel> kernel);

}  // namespace cupola
