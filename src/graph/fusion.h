#pragma once
// Decides which nodes become one kernel: everything elementwise below the roots, up to limits.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/containers/pointer_map.h"
#include "graph/node.h"
#include "graph/snapshot.h"

namespace cupola {

// Why a pending array is stored before the kernel that reads it.
enum class CutReason : std::uint8_t {
  not_elementwise,     // a reduction, scan or the like is complete only as a whole
  read_elsewhere,      // by takes and rolls, at places of their own
  numbered,            // made of the row-major numbers of another space
  too_many_nodes,      // for one kernel
  too_many_arguments,  // for one launch
  repeated,            // smaller than what reads it: it would be computed again and again
  referenced           // somebody else has it, and the kernel cannot store it as well
};

// A kernel over an iteration space, before it is planned.
struct Region {
  // Pending arrays below the roots that must be stored before the roots can be one kernel: what is
  // not elementwise, row-major numbers of another space, sources of gathers and rolls, smaller
  // arrays that would be computed again and again, and whatever exceeds the limits of a kernel.
  // Each comes after those it depends on.
  std::vector<Array> materialized_inputs;
  std::vector<CutReason> reasons;  // of each of them
  // Pending arrays of the iteration space on the way that somebody else holds: the kernel is to
  // store them, too.
  std::vector<Array> live_outputs;
  // Those that it is to leave pending (graph/repeats.h).
  std::vector<Array> left;
};

// A kernel stores no more than so many arrays that somebody holds below its roots.
inline constexpr std::size_t kMaxLiveOutputs = 8;

// `row_major` says whether the kernel visits `space` with row-major numbering,
// `stores_live_outputs` whether it can have further outputs; else live ones are materialized first.
struct KernelForm {
  Dims space;
  bool row_major = true;
  bool stores_live_outputs = false;
  bool has_rolls = false;  // reads rolled arrays where they lie; else they are materialized
  // A kernel for rows along these axes: it may have values with one element for each row.
  Dims row_axes{};
  bool has_stages = false;  // reductions of such rows are a part of it; else they are materialized
  // Live outputs may be left pending after so many short operations; 0: they are stored.
  int free_operations = 0;
};
// Of pending roots that are to be computed: elementwise or rolled ones of the space, or a reduction
// over it.
Region find_region(std::span<const Array> roots, const KernelForm& form,
                   const Snapshot& snapshot = Snapshot::now());
// The same where the roots are the sources of a write, which may have to be materialized
// themselves.
Region find_source_region(std::span<const Array> sources, const KernelForm& form,
                          const Snapshot& snapshot = Snapshot::now());

// Whether the node reads nothing that is pending, besides numbers, and nothing at offsets.
bool is_alone(const Node& node, const Snapshot& snapshot = Snapshot::now());

// Rows with more elements are combined by several blocks of threads, and by kernels of their own.
inline constexpr std::int64_t kMaxOfRow = 16384;
// Rows that neighbours in memory belong to are combined side by side if there are so many.
inline constexpr std::int64_t kFewestColumns = 32;

// The elements of a row differ in `axes` (ascending) of `space`.
struct RowSpace {
  Dims space;
  Dims axes;
  // Rows that neighbours in memory belong to are combined side by side.
  bool is_outer = false;
};

// Computations over the same rows.
struct RowGroup {
  RowSpace rows;
  // Reductions over rows that the roots are, or are elementwise of.
  std::vector<Array> tops;
  // False: there is nothing but the tops and what is made of them.
  bool has_stages = false;
  Region region;
};
// Pending roots that one kernel can compute: elementwise ones over one space, row by row with the
// reductions over the same rows that are below them, or reductions of rows and what is elementwise
// of such reductions and of numbers. Nothing where that would spare no pass over memory, or where
// the order of combination would not be that of the reductions by themselves.
std::optional<RowGroup> find_row_group(std::span<const Array> roots, int free_operations = 0,
                                       const Snapshot& snapshot = Snapshot::now());
// Pending arrays of one device, in lists that may be one kernel each: reductions over the same
// rows, or arrays of one shape and stream that are computed element by element.
std::vector<std::vector<Array>> find_mates(std::span<const Array> arrays,
                                           const Snapshot& snapshot = Snapshot::now());
// The dimensions of the rows' results, reduced ones with an extent of 1.
Dims row_shape(const Dims& space, const Dims& axes);
// Whether an array broadcasts to `space` with one element for each row.
bool is_one_per_row(const Dims& shape, const Dims& row_shape);

// Whether neighbours in memory differ in a kept rather than in a reduced dimension, for most bytes
// of the arrays, which broadcast to the space. Those with one element for each row do not count.
bool is_outer_reduction(std::span<const Array> layouts, const Dims& space, const Dims& axes,
                        const Snapshot& snapshot = Snapshot::now());

// The stored arrays that the elementwise nodes below a root read.
struct Leaves {
  std::vector<Array> walked;    // element by element, in step with the root
  std::vector<Array> gathered;  // at offsets of their own, or rolled
};
Leaves find_leaves(const Array& root, const Snapshot& snapshot = Snapshot::now());
// The stored arrays that a root is made of, whatever is between.
std::vector<Array> find_stored_below(const Array& root);
// What decides the layout of a root's elements where nothing else does: the arrays below it whose
// layouts are known, in step with it.
std::vector<Array> find_layouts(const Array& root, const Snapshot& snapshot = Snapshot::now());

// The reduction of the root's shape that is the only array below an elementwise root, besides
// scalars, and that nobody else holds: then the root is computed where it ends. No array if there
// is none.
Array find_reduction_below(const Array& root, const Snapshot& snapshot = Snapshot::now());

}  // namespace cupola
