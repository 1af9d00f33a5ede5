#pragma once

#include <cstdint>
#include <vector>

#include "cupola/dtype.h"
#include "platforms/cpu/interpreter/loops.h"

namespace cupola::cpu {

// Of the first result of a ufunc of operands of one type.
template <typename T>
std::vector<T> results_of(UfuncId id, const std::vector<std::vector<T>>& inputs) {
  const std::vector<DType> types(inputs.size(), dtype_of<T>);
  std::vector<const void*> pointers;
  for (const std::vector<T>& values : inputs) pointers.push_back(values.data());
  std::vector<T> results(inputs[0].size());
  find_loop(id, find_loop_number(id, types.data()), 0)(pointers.data(), results.data(),
                                                       static_cast<std::int64_t>(results.size()));
  return results;
}

}  // namespace cupola::cpu
