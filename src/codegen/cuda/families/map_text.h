#pragma once
// Parts of the Body of maps.

#include <string>

#include "codegen/plan.h"

namespace cupola {

// load(): the inputs at an element.
std::string map_load_text(const KernelPlan& plan);
// The same, of an element `far` behind another: the compiler knows how far.
std::string map_far_load_text(const KernelPlan& plan);
// Result and compute(): the values of one element that are stored, and where, if that is computed.
std::string map_compute_text(const KernelPlan& plan);
// store_others() of what is stored in the element's own place or combined, and put(), which
// computes first.
std::string map_store_text(const KernelPlan& plan, std::string_view stores);
// For store_others(), where the output is plain.
std::string plain_store(const KernelPlan& plan, std::size_t output);
// kPack, Pack, load_pack() and one(), an element of a pack.
std::string packs_text(const KernelPlan& plan, int pack);
// All of these that maps have whose outputs are plain.
std::string plain_map_text(const KernelPlan& plan);

}  // namespace cupola
