#pragma once
// Hands planned work to the platform, on the calling thread's current stream of its device and in
// order with all other uses of the same storage.

#include "codegen/planner.h"

namespace cupola {

void launch(const PlannedLaunch& planned);
// The arrays are those whose memory the problem's pointers reach.
void launch_matmul(const MatmulProblem& problem, const Array& a, const Array& b, const Array& c);

}  // namespace cupola
