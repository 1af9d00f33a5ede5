#pragma once
// Loops of a platform whose memory the host shares, for few elements.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "codegen/plan.h"

namespace cupola {

// output[i] = f(inputs[0][i], ...) of elements in memory of the host. The output may be an input.
using HostLoop = void (*)(const void* const* inputs, void* output, std::int64_t count);
// What `count` > 0 values, one after the other in memory, are combined to.
using HostReduction = void (*)(UfuncId combine, DType dtype, const void* values, std::int64_t count,
                               void* result);
using HostProduct = void (*)(const MatmulProblem& problem);

// A platform need not have any.
class HostLoops {
 public:
  virtual ~HostLoops() = default;

  // Loops that the calling thread may run itself, with the bits of a launch; null: there is no such
  // loop. Of a ufunc with one result and inputs of these types; `one` is the input of which it
  // reads a single element.
  virtual HostLoop host_loop(UfuncId, const DType* /*inputs*/, std::optional<int> /*one*/) const {
    return nullptr;
  }
  virtual HostLoop host_cast(DType /*from*/, DType /*to*/) const { return nullptr; }
  virtual HostReduction host_reduction(UfuncId, DType) const { return nullptr; }
  // The number, int64, of the first largest or smallest value, or the first NaN.
  virtual HostReduction host_arg_reduction(UfuncId, DType) const { return nullptr; }
  // All that the first one, two, ... values are combined to.
  virtual HostReduction host_scan(UfuncId, DType) const { return nullptr; }
  // The values in order, and their places in that order, int64: as stores of that kind, with no
  // ufunc.
  virtual HostReduction host_sort(DType) const { return nullptr; }
  virtual HostReduction host_argsort(DType) const { return nullptr; }
  // Of few elements.
  virtual HostProduct host_product(const MatmulProblem&) const { return nullptr; }
  // Of a function that has been compiled (Modules::compile_functions), with one output.
  virtual HostLoop host_function(const UserFunction&) const { return nullptr; }
  // inputs[0][i] ? inputs[1][i] : inputs[2][i]
  virtual HostLoop host_select(std::size_t /*item_size*/) const { return nullptr; }
};

}  // namespace cupola
