#pragma once
// Views of arrays that are pending. A view is not computed: it is stored with its array. Where it
// is all that is wanted of the array, a kernel computes the array's operations in the view's own
// indices, and the array itself never.

#include <memory>
#include <span>
#include <vector>

#include "graph/node.h"
#include "graph/snapshot.h"

namespace cupola {

// A pending view of a pending array: the layout is that of the view where the array's elements lie
// as its strides, which are known, say. No array where there is no such view: it repeats elements,
// or the array's strides do not decide its indices.
Array make_pending_view(const Array& base, Dims shape, const Layout& layout);

// Of an array whose node is a view of a stored one.
void publish_view(const Array& view, const Node& node);
// Where its elements lie, if those of the array that it is a view of lie so.
Layout layout_of_view(const Array& view, const Node& node, const Layout& base);

// A pending array that is computed in another way from now on.
struct Rewrite {
  WeakArray array;
  NodePointer known, next;
};
// Has pending views below the roots computed by themselves in the snapshot, as far as nobody else
// has them or the arrays that they are views of. Adds what becomes of them to the list.
void push_views_down(std::span<const Array> roots, Snapshot& snapshot,
                     std::vector<Rewrite>& rewrites);

}  // namespace cupola
