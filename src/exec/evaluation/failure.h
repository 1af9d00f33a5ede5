#pragma once
// What a failed evaluation says: which operation it was, and which line of the program asked for
// it.

#include "graph/node.h"

namespace cupola {

// Within a handler: throws the exception on, as what it is, with the operation, dtype and shape of
// the array that was being computed, and the place of the program, behind its message.
[[noreturn]] void rethrow_for(const Array& computed, const Node& node);

// Computes for the array: what `function` does is done for the place where the program asked for
// it, and what it throws says so. Calls function() where the array is stored already.
template <typename Function>
auto compute_for(const Array& array, const Node& node, const Function& function) {
  const AtPosition position(node.made_at);
  try {
    return function();
  } catch (...) {
    rethrow_for(array, node);
  }
}
template <typename Function>
auto compute_for(const Array& array, const Function& function) {
  const NodePointer node = node_of(array);
  return node ? compute_for(array, *node, function) : function();
}

}  // namespace cupola
