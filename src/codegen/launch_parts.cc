#include "codegen/launch_parts.h"

#include "base/mutant.h"

namespace cupola {

BlockRange cut(WorkPart part, std::int64_t blocks, std::int64_t elements) {
  __extension__ using Wide = __int128;
  const auto at = [&](std::int64_t element, std::int64_t up) {
    return static_cast<std::int64_t>((Wide{element} * blocks + up) / elements);
  };
  return {at(part.first, CUPOLA_MUTANT(parts_with_gaps) ? elements - 1 : 0), at(part.end, 0)};
}

}  // namespace cupola
