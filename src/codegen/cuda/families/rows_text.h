#pragma once
// Body of plans of kind `rows`.

#include <string>

#include "codegen/plan.h"

namespace cupola {

// Row, row(), Values, Held, Out, start(), Stage0 .., Last, put_row(), run(); of one combination
// State, at(), quad(), combine() and finish() instead of run().
std::string rows_text(const KernelPlan& plan);

}  // namespace cupola
