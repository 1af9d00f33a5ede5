#pragma once
// Decides which nodes become one kernel: everything elementwise below the roots, up to limits.

#include <span>
#include <vector>

#include "base/pointer_map.h"
#include "graph/node.h"

namespace cupola {

// A kernel over an iteration space, before it is planned.
struct Region {
  // Pending arrays below the roots that must be stored before the roots can be one kernel: what is
  // not elementwise, row-major numbers of another space, sources of gathers, smaller arrays that
  // would be computed again and again, and whatever exceeds the limits of a kernel. Each comes
  // after those it depends on.
  std::vector<Array> barriers;
  // Pending arrays of the iteration space on the way that somebody else holds: the kernel is to
  // store them, too.
  std::vector<Array> held;
};

// `row_major` says whether the kernel visits `space` with row-major numbering, `stores_held`
// whether it can have further outputs; else what is held is a barrier.
struct KernelForm {
  Dims space;
  bool row_major = true;
  bool stores_held = false;
};
// Of pending roots that are to be computed: elementwise ones of the space, or a reduction over it.
Region find_region(std::span<const Array> roots, const KernelForm& form);
// The barriers where the roots are the sources of a write.
std::vector<Array> find_barriers(std::span<const Array> sources, const KernelForm& form);

// Whether the node reads nothing that is pending, besides numbers, and nothing at offsets.
bool is_alone(const Node& node);

// The stored arrays that the elementwise nodes below a root read.
struct Leaves {
  std::vector<Array> walked;    // element by element, in step with the root
  std::vector<Array> gathered;  // at offsets of their own
};
Leaves find_leaves(const Array& root);
// What decides the layout of a root's elements where nothing else does: the arrays below it whose
// layouts are known, in step with it.
std::vector<Array> find_layouts(const Array& root);

// The pending arrays that `sources` are made of, sources included, as far as nobody else holds
// them, and how often they read elements of the storage.
struct OwnReaders {
  PointerSet nodes;
  std::uint32_t count = 0;
};
OwnReaders find_own_readers(std::span<const Array> sources, const Storage& storage);
// Whether a pending array reads elements of the storage, itself or through others.
bool reads(const Array& root, const Storage& storage);

// The reduction of the root's shape that is the only array below an elementwise root, besides
// scalars, and that nobody else holds: then the root is computed where it ends. No array if there
// is none.
Array find_reduction_below(const Array& root);

}  // namespace cupola
