#pragma once
// What operators and functions of elements take.

#include <utility>

#include "cupola/array.h"
#include "cupola/scalar.h"

namespace cupola {

// An array or one number. C++ numbers are Python's: they adapt to the arrays (scalar.h).
class Operand {
 public:
  Operand(Array array) : array_(std::move(array)) {}
  Operand(const Selection& selection);
  Operand(const Scalar& scalar) : scalar_(scalar) {}
  template <CppNumber T>
  Operand(T value) : scalar_(Number(value)) {}
  Operand(const Number& number) : scalar_(number) {}

  bool is_array() const { return array_.has_value(); }
  const Array& array() const { return array_; }
  const Scalar& scalar() const { return scalar_; }

 private:
  Array array_;
  Scalar scalar_;
};

}  // namespace cupola
