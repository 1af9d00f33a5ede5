#pragma once
// Pending computations. A node is immutable; its shape, dtype and device are checked when it is
// made. Elementwise nodes broadcast their inputs to their own shape.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/call_site.h"
#include "core/array_state.h"
#include "core/ufunc.h"
#include "cupola/scalar.h"

namespace cupola {

struct UserFunction;

enum class NodeKind : std::uint8_t {
  // elementwise
  scalar,
  index,
  cast,
  ufunc,
  select,
  user,
  gather,
  // another array's elements at other places
  roll,
  // over whole dimensions
  reduce,
  arg_reduce,
  scan,
  segment_reduce,
  // the elements of another array
  view,
};

struct Operation {
  NodeKind kind;
  UfuncId ufunc{};           // ufunc; the combining one for reductions and scans
  std::uint16_t result = 0;  // ufunc, user: which output
  Scalar value{};            // scalar
  Dims axes{};               // reductions: normalised, ascending; scan: one axis
  DType accumulator{};       // reductions and scans
  Dims shifts{};             // roll: see make_roll()
  // view: where its elements would lie if the other array's lay in row-major order.
  Layout place{};
  const UserFunction* function = nullptr;  // user; reduce: combines, if there is one
};

// Owns no array, as owners decide what is stored.
using WeakArray = std::weak_ptr<ArrayState>;

// The results of one operation that has several.
struct Siblings {
  std::vector<WeakArray> all;
};

struct Node : Operation, Computation {
  Node(Operation&& operation, std::vector<Array>&& read, const CallPosition& made = noted_position,
       std::shared_ptr<const Siblings> others = nullptr)
      : Operation(std::move(operation)),
        Computation(std::move(read), kind == NodeKind::view),
        made_at(made),
        siblings(std::move(others)) {}
  // A number that nothing is to be done for.
  explicit Node(const Scalar& number) : Operation{.kind = NodeKind::scalar, .value = number} {}
  const CallPosition made_at;                      // of the user's program
  const std::shared_ptr<const Siblings> siblings;  // null: it is the operation's only result
};
using NodePointer = std::shared_ptr<const Node>;

// Null once the array is stored, which may be at any moment: another thread may compute it. A view
// is stored with the array that it is a view of.
NodePointer node_of(const Array& array);

// Whether a reduction may combine its elements in any order. Functions of users may be called so.
inline bool is_reorderable(const Operation& reduction) {
  return reduction.function || ufunc_info(reduction.ufunc).reorderable;
}

inline bool is_elementwise(NodeKind kind) { return kind <= NodeKind::gather; }
// What kernels that compute every element by itself can have as steps.
inline bool is_mapped(NodeKind kind) { return kind <= NodeKind::roll; }

// The factories below return pending arrays. Types must already fit: they check shapes and
// devices (DeviceError names both) and insert no cast unless they say so.

// `value` in every element.
Array make_scalar(const Scalar& value, Dims shape, Device device);
// A number that is known already, laid out.
Array make_number(const Scalar& value, Device device);
// The row-major number of each element, int64.
Array make_index(Dims shape, Device device);
// The same array when it has the dtype already.
Array make_cast(const Array& input, DType dtype);
// One array per output of the loop. Inputs are cast to the loop's types.
std::vector<Array> make_ufunc(UfuncId ufunc, const UfuncLoop& loop, std::vector<Array> inputs);
// The common case of one output; the loop is resolved from the dtypes.
Array make_ufunc(UfuncId ufunc, std::initializer_list<Array> inputs);
// Of inputs of one shape and device that the loop takes as they are; it has one output.
Array make_uniform_ufunc(UfuncId ufunc, DType output, const Array& a, const Array& b);
// condition (bool) ? a : b; a and b have one dtype.
Array make_select(const Array& condition, const Array& a, const Array& b);
// One array per output of a function of a user's kernel, whose inputs have its types.
std::vector<Array> make_user(const UserFunction& function, std::vector<Array> inputs);
// source (stored) at `offsets` (int64): element offsets counted from source's first element
// (pointer_of). The offsets must be in bounds.
Array make_gather(const Array& source, const Array& offsets);
// Arrays with more dimensions are not rolled so.
inline constexpr int kMaxRolledRank = 32;
// The element at index i along dimension d is source's at i - shifts[d], or its extent behind that
// where there is none; 0 <= shifts[d] < extent. The source is read where it lies.
Array make_roll(const Array& source, Dims shifts);

// Whether reduced dimensions leave the shape or stay with an extent of 1.
enum class KeepAxes : bool { no, yes };

// Combines over `axes` (none given means none reduced). The input is cast to `accumulator` first,
// the result to `result`. Reduced dimensions must not be empty.
Array make_reduce(const Array& input, const Dims& axes, UfuncId combine, DType accumulator,
                  DType result, KeepAxes keep = KeepAxes::no);
// The same by a function of a user, of two values of the input's type.
Array make_user_reduce(const Array& input, const Dims& axes, const UserFunction& combine,
                       KeepAxes keep = KeepAxes::no);
// Index (int64) along the flattened `axes` of the first maximum (combine == maximum) or minimum.
Array make_arg_reduce(const Array& input, const Dims& axes, UfuncId combine,
                      KeepAxes keep = KeepAxes::no);
// Inclusive running combination along `axis`.
Array make_scan(const Array& input, int axis, UfuncId combine, DType accumulator, DType result);
// Segment s of the result's `axis` combines input elements first[s] .. last[s]-1 along `axis`;
// `first` and `last` are stored int64 arrays of rank 1, and no segment is empty.
Array make_segment_reduce(const Array& input, int axis, const Array& first, const Array& last,
                          UfuncId combine, DType accumulator, DType result);

}  // namespace cupola
