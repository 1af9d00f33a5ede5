#pragma once
// a[mask] before its elements are counted: the host would wait for their number. What needs no
// number is computed of the whole array instead.

#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "cupola/ops/elementwise.h"
#include "cupola/ops/index.h"

namespace cupola {

class Uncounted;
// What an operation on selections takes: one of them, or what is the same for all elements.
using UncountedOperand = std::variant<Uncounted, Operand>;

// Copying shares the selection, as a handle of an array does. Its elements are those that the array
// has now: they are counted and copied before the array or the mask is written to, and when the
// stream is synchronised.
class Uncounted {
 public:
  // Where the mask is true, the values are the elements.
  struct Whole {
    Array values;
    Array mask;
  };

  // a[index]. Nothing where that is no mask of all dimensions, and where the number is known
  // without waiting.
  static std::optional<Uncounted> select(const Array& a, const Index& index);
  // ufunc(operands) where all selections are by one mask, and all else are numbers or arrays
  // without dimensions. Nothing elsewhere, and where elements were counted.
  static std::optional<Uncounted> apply(UfuncId ufunc, std::span<const UncountedOperand> operands);

  DType dtype() const;
  const Device& device() const;
  // The elements, in an array of their own: waits for their number, once.
  const Array& elements() const;
  // Nothing where the elements were counted.
  std::optional<Whole> whole() const;
  // Becomes the other selection, by the same mask, with a cast to the own dtype. False: elements
  // were counted, or "same_kind" does not allow the cast.
  bool replace(const Uncounted& other) const;
  // Whether they are elements of as many dimensions as a[index] selects, by the very mask.
  bool is_selected_by(const Array& a, const Index& index) const;
  // a[index] = elements, where is_selected_by(a, index). Other owners keep the elements.
  void store(const Array& a, const Index& index) &&;

 private:
  class State;
  Uncounted(Array values, Array mask);

  std::shared_ptr<State> state_;
};

}  // namespace cupola
