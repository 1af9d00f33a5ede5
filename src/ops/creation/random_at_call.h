#pragma once
// Random numbers of few elements, computed by the calling thread with the loops that launches run:
// see exec/host/host_result.h.

#include <optional>
#include <span>
#include <vector>

#include "core/ufunc.h"
#include "cupola/ops/random.h"
#include "cupola/scalar.h"
#include "driver/host_loops.h"

namespace cupola {

// The numbers of a draw, by one of the functions of random bits, and what other functions make of
// them, one after the other.
class DrawAtCall {
 public:
  DrawAtCall(UfuncId bits, const RandomDraw& draw, const Device& device);

  // value = ufunc(value, numbers...), by the function's loop for the value so far.
  DrawAtCall& apply(UfuncId ufunc, std::span<const Scalar> numbers);
  DrawAtCall& cast(DType dtype);
  // No array: they are to wait.
  Array run(const Dims& shape) const;

 private:
  struct Step {
    HostLoop loop;
    std::vector<Scalar> numbers;
  };
  HostLoop host_loop_of(UfuncId ufunc, const UfuncLoop& loop) const;

  RandomDraw draw_;
  Device device_;
  DType dtype_;  // of the value so far
  std::vector<Step> steps_;
};

}  // namespace cupola
