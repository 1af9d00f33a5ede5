#pragma once
// A short cut for the commonest kernels: one operation over row-major arrays of one shape and
// scalars, and a whole row-major array reduced to one element. Their plans depend on so little that
// they are looked up instead of made again.

#include "codegen/planner.h"
#include "cupola/ops/elementwise.h"
#include "driver/driver.h"

namespace cupola {

// Launches the write if it is of that kind, and exactly as launch(plan_map(...)) would; false, and
// nothing done, otherwise. The target must be writable and on the value's device.
bool launch_if_known_kind(const Write& write);

// The result of a function of one output, launched, from a thread that may not be kept waiting as
// it holds the interpreter lock. No array, and nothing done, unless nothing has to be waited for,
// cast or made: the arrays are stored, of one device, row-major of one shape, and used on no other
// stream; the kernel is known and memory is at hand. Throws LaunchError.
Array launch_at_once(UfuncId ufunc, std::span<const Operand> operands);

// For launch_at_once(): the kernel of a loop over row-major arrays and scalars if this thread has
// launched it before, and the arguments of a launch, which stay valid until the next call here.
std::shared_ptr<Kernel> known_kernel(UfuncId ufunc, const UfuncLoop& loop,
                                     std::span<const Operand> operands, const Array& target);
const LaunchArguments& flat_arguments(const UfuncLoop& loop, std::span<const Operand> operands,
                                      const Array& target);

// Launches a pending reduction or scan, free of barriers, into `target`: by its plan, or by one
// that is known already. Of `result`, which is the same array or made of it and scalars.
void launch_reduction(const Array& reduction, const Array& target, const Array& result);

}  // namespace cupola
