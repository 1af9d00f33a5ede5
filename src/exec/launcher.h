#pragma once
// Hands planned work to the platform, on the calling thread's current stream of its device and in
// order with all other uses of the same storage.

#include <memory>

#include "codegen/planner.h"
#include "driver/driver.h"

namespace cupola {

// Returns the kernel of the plan; null where there was nothing to do.
std::shared_ptr<Kernel> launch(const PlannedLaunch& planned);
// With a kernel that is known; the plan is not looked at, and no extent may be 0.
void launch(const std::shared_ptr<Kernel>& kernel, const PlannedLaunch& planned);
// The same for one array that is read and one that is written, whose addresses `arguments` has.
void launch(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
            const Array& read, const Array& written);
// The same for a reduction or scan into memory that nobody else has seen. One element is mirrored.
// The kernel is null where there is nothing to do.
void launch_reduction(const std::shared_ptr<Kernel>& kernel, PlannedLaunch& planned);
// The kernel of the plan, for the current stream's device; null where there is nothing to do.
std::shared_ptr<Kernel> kernel_of(const PlannedLaunch& planned);
// The arrays are those whose memory the problem's pointers reach.
void launch_matmul(const MatmulProblem& problem, const Array& a, const Array& b, const Array& c);

}  // namespace cupola
