#pragma once
// What families of kernels ask of a plan.

#include "codegen/plan.h"

namespace cupola {

// Dimensions that are not reduced, scanned or ordered.
inline int kept_rank(const KernelPlan& plan) { return plan.rank - plan.reduced_rank(); }
bool is_plain(const OutputSpec& output);
// Whether a plan that combines may do so as a tree.
bool is_reorderable(const KernelPlan& plan);
// Contiguous and aligned for loads and stores of 16 bytes.
bool is_wide(const OperandSpec& operand);
// An input that steps load at the current element, once per element.
bool is_loaded(const KernelPlan& plan, std::size_t input);
// Whether all that is loaded for each element may be by packs of neighbours.
bool loads_by_packs(const KernelPlan& plan);
// Whether all outputs may be stored so as well.
bool goes_by_packs(const KernelPlan& plan);
// Whether an input is in two pieces (LaunchArguments::turns).
bool has_turns(const KernelPlan& plan);
// Steps that keep a thread busy, and take much code: it does one thing at a time.
bool has_long_steps(const KernelPlan& plan);
// An operand that lies in the order of the iteration space.
bool has_contiguous_operands(const KernelPlan& plan);
// segment_reduce walks along the last dimension from given elements: its inputs go by strides.
OperandLayout effective_layout(const KernelPlan& plan, std::size_t input);

// Bytes of elements.
struct ElementWidths {
  int smallest = 16;
  int largest = 1;
  int read = 0;  // of all inputs together
};
ElementWidths widths_of_inputs(const KernelPlan& plan);
ElementWidths widths_of(const KernelPlan& plan);  // outputs too

}  // namespace cupola
