#pragma once
// Memory that programs place by hand on the members of a set, and what is computed from it: results
// are divided as their operands are, so that members find near what they work on.

#include <span>

#include "core/storage.h"
#include "cupola/placement.h"
#include "memory/resources/resource.h"

namespace cupola {

// For one array on a set, of `bytes`. Arrays that are computed from it are divided by the same
// weights, or the same shares of the whole for cuts, unless the rule goes by free memory.
ResourcePointer placed_resource(const Device& set, const PlacementRule& rule, std::size_t bytes);

// What serves a result of so many bytes on `device`, computed from `operands`: memory divided as
// the largest of them that was placed by hand. Null: none was, the result is too small to be
// divided, or the program has chosen an allocator.
ResourcePointer resource_likewise(const Device& device, std::size_t bytes,
                                  std::span<const Storage* const> operands);

}  // namespace cupola
