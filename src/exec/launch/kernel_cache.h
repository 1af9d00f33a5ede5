#pragma once
// Kernels that this process has built: one build per kernel and architecture, however many
// threads ask at once.

#include <memory>
#include <vector>

#include "driver/driver.h"

namespace cupola {

// Blocks while another thread builds the same kernel. Throws CompileError; a failed build is
// tried again by the next caller.
std::shared_ptr<Kernel> find_kernel(Driver& driver, int device, const KernelPlan& plan);

// Whether find_kernel() has the kernel at hand. Builds nothing and waits for nobody.
bool is_built(Driver& driver, int device, const KernelPlan& plan);
// The plan that a kernel of find_kernel() was built from, for as long as the process lives; null
// for other kernels.
const KernelPlan* plan_of(const Kernel& kernel);

// Notes the plans that its thread asks find_kernel() for, as long as it lives; one at a time.
class PlanRecorder {
 public:
  explicit PlanRecorder(std::vector<KernelPlan>& plans);
  ~PlanRecorder();
  PlanRecorder(const PlanRecorder&) = delete;
  PlanRecorder& operator=(const PlanRecorder&) = delete;
  static bool is_at_work();  // on this thread
};

}  // namespace cupola
