#pragma once
// Arrays of numbers that are written in the program.

#include <initializer_list>
#include <optional>
#include <vector>

#include "cupola/array.h"
#include "cupola/scalar.h"

namespace cupola {

// A number, or a list of such lists.
class NestedNumbers {
 public:
  NestedNumbers(const Scalar& number) : number_(number) {}
  template <CppNumber T>
  NestedNumbers(T number) : number_(Number(number)) {}
  NestedNumbers(std::initializer_list<NestedNumbers> list) : list_(list) {}

  // Nothing: it is a list.
  const std::optional<Scalar>& number() const { return number_; }
  const std::vector<NestedNumbers>& list() const { return list_; }

 private:
  std::optional<Scalar> number_;
  std::vector<NestedNumbers> list_;
};

// numpy.array of numbers and lists of them: array({{1, 2}, {3, 4}}). Without a dtype, the one to
// which all numbers cast, where C++ numbers are Python's: int64, float64 ...; float64 for no
// numbers. Throws ValueError for lists of different lengths, and OverflowError for integers that
// the dtype cannot hold.
Array array(const NestedNumbers& numbers, std::optional<DType> dtype = {},
            const std::optional<Device>& device = {});

}  // namespace cupola
