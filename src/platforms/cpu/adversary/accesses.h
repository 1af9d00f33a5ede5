#pragma once
// Which memory a piece of work touches, as ranges that contain all of it. Where the extent is not
// known before the work runs (gather, scatter, segments), only what is: at least one element.

#include <string>
#include <vector>

#include "codegen/plan.h"
#include "driver/factor_problem.h"
#include "driver/fft_problem.h"
#include "driver/select_problem.h"
#include "platforms/cpu/adversary/checker.h"

namespace cupola::cpu::adversary {

Range range_of(const void* pointer, std::size_t bytes);
std::vector<MemoryAccess> accesses_of(const KernelPlan& plan, const LaunchArguments& arguments);
std::vector<MemoryAccess> accesses_of(const MatmulProblem& problem);
// Of a part of a matrix' columns each line by itself: other parts lie between.
std::vector<MemoryAccess> accesses_of(const FftProblem& problem);
std::vector<MemoryAccess> accesses_of(const FactorProblem& problem);
std::vector<MemoryAccess> accesses_of(const SelectProblem& problem);
// "kernel add, sqrt"
std::string describe_plan(const KernelPlan& plan);

}  // namespace cupola::cpu::adversary
