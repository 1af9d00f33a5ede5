#pragma once
// Hands planned work to the platform, on the calling thread's current stream of its device and in
// order with all other uses of the same storage.

#include <memory>

#include "codegen/planner.h"
#include "driver/driver.h"
#include "exec/launch/mirror.h"
#include "exec/launch/use_order.h"

namespace cupola {

// Writes over one iteration space whose inputs have been materialized, as one kernel.
void launch_writes(std::span<const Write> writes);
// A pending reduction or scan whose inputs have been materialized, into `target`, which nobody else
// has seen: of `result`, which is the same array or made of it and scalars.
void launch_reduction(const Array& reduction, const Array& target, const Array& result);

// What a RowGroup's kernel stores (plan_rows), where nobody else has seen the targets.
void launch_rows(std::span<const Write> writes, const RowSpace& rows);

// The use of memory by a kernel: from the first wait for other streams until it is launched.
class KernelUse {
 public:
  // Loads the kernel, and waits. With `may_mirror` one element that is written, into memory that
  // nobody else has seen, is mirrored where that can be (exec/launch/mirror.h).
  KernelUse(const std::shared_ptr<Kernel>& kernel, ArrayPointers reads,
            std::span<const Array> writes, bool may_mirror = false);

  // What the arguments are to have; null: none.
  void* mirror_memory() const { return mirror_ ? mirror_->memory : nullptr; }
  // No extent may be 0.
  void launch(const LaunchArguments& arguments);

 private:
  const std::shared_ptr<Kernel>& kernel_;
  const ArrayPointers reads_;
  const std::span<const Array> writes_;
  const std::shared_ptr<StreamState>& stream_;
  const std::shared_ptr<Mirror> mirror_;
  OrderedUse use_;
};

// Returns the kernel of the plan; null where there was nothing to do.
std::shared_ptr<Kernel> launch(const PlannedLaunch& planned);
// Reductions may be mirrored: not where others have the target.
bool may_mirror(const KernelPlan& plan);
// The kernel of the plan, for the current stream's device; null where there is nothing to do.
std::shared_ptr<Kernel> kernel_of(const PlannedLaunch& planned);
// The arrays are those whose memory the problem's pointers reach.
void launch_matmul(const MatmulProblem& problem, const Array& a, const Array& b, const Array& c);
void launch_fft(const FftProblem& problem, const Array& in, const Array& out);
// Driver::can_transform_columns() where `a` is.
bool can_transform_columns(const FftProblem& problem, const Array& a);
// The same, of arrays that nobody else has seen.
void launch_factor(const FactorProblem& problem, std::span<const Array> arrays);
// How many elements of each row the driver of its device selects by their rank; 0: none.
std::int64_t most_selected(const Array& rows);
// Driver::parts_rows() of its device.
bool parts_rows(const Array& rows);
// Of at most so many. `outputs`: what is selected, and the parted rows where they are asked for.
void launch_select(const SelectProblem& problem, const Array& in, const Array& ranks,
                   std::span<const Array> outputs);

}  // namespace cupola
