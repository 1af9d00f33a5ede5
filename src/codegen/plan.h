#pragma once
// What one kernel does, without any value, pointer or extent: the structure that decides its code.
// The CPU platform interprets a plan over tiles; CUDA text is generated from it. Equal plans have
// equal code.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/ufunc.h"
#include "cupola/dims.h"
#include "cupola/dtype.h"
#include "cupola/scalar.h"

namespace cupola {

struct UserFunction;

// The program of a plan is in single-assignment form: step i defines value i, for one element of
// the iteration space.
enum class StepKind : std::uint8_t {
  load,     // inputs[index] at the current element
  scalar,   // scalars[index]
  index,    // row-major number of the current element in the iteration space, int64
  cast,     // value args[0] converted to dtype
  ufunc,    // ufunc on args; result number `index`. The loop is given by the dtypes of args
  select,   // args[0] (bool) ? args[1] : args[2]; all of dtype
  gather,   // element number args[0] (int64) of inputs[index], counted from its pointer
  combine,  // rows only: values args[0] of the whole row, combined with `ufunc` or a call; one per
            // row
  user,     // calls[index] of the plan
  rank,     // expand only: how many elements before this one, row-major, have the predicate, int64
};

struct Step {
  StepKind kind;
  DType dtype;              // of the value
  UfuncId ufunc{};          // kind ufunc only
  std::uint16_t index = 0;  // operand, scalar, result or call number; combine: combining_index()
  std::array<std::int16_t, 3> args{-1, -1, -1};
  friend bool operator==(const Step&, const Step&) = default;
};

// An output of a user's function: what a step of kind `user` takes its value from.
struct UserStep {
  const UserFunction* function;
  std::uint16_t result = 0;  // which output
  std::vector<std::int16_t> args;
  friend bool operator==(const UserStep& a, const UserStep& b);
};

// How an operand moves through the collapsed iteration space.
enum class OperandLayout : std::uint8_t {
  contiguous,  // row-major without gaps: one flat index serves
  broadcast,   // one element for the whole space
  strided,     // a stride per dimension
  indexed,     // only reached by gather or scatter
};

struct OperandSpec {
  DType dtype;
  OperandLayout layout;
  // The pointer and (for strided operands) every row are multiples of 16 bytes.
  bool aligned16 = false;
  // rows only: a strided operand with one element for each row.
  bool per_row = false;
  // Inputs of maps with plain outputs, strided: bit d says that its elements along dimension d are
  // in two pieces (LaunchArguments::turns).
  std::uint32_t turned = 0;
  friend bool operator==(const OperandSpec&, const OperandSpec&) = default;
};

constexpr bool is_turned_along(std::uint32_t turned, int dimension) {
  return dimension < 32 && (turned >> dimension & 1) != 0;
}

enum class StoreKind : std::uint8_t {
  plain,    // the element's own place
  scatter,  // element number `offset`; among equal offsets the last in row-major order stays
  combine,  // out[offset] = ufunc(out[offset], value), once for every element, for ufunc.at
  tally,  // the same for sums of integers of 4 or 8 bytes, and of float64 on the CPU (see `bins`),
          // where offsets that are no places are left out
  // The output that is the plan's only one, over tiles of kMaskTile elements in row-major order.
  count,     // out[t] (int64): how many elements of tile t have a true value
  compress,  // element number r for the r-th element that has the predicate
  expand,    // the element's own place, where it has the predicate
  // Of all outputs of the plan, within rows along the last dimension; they have the shape of the
  // iteration space, without gaps, and one `offset`.
  partition,  // behind the row's elements of smaller bins and the earlier ones of its own bin;
              // `offset` (uint8): the bin
  sort,       // behind the row's elements of smaller keys and the earlier ones of an equal key;
              // `offset`: the key. At most longest_sorted_row() elements, but see
              // Driver::sorts_long_rows()
};

// Places of `tally` on GPUs: a block of threads has its own in memory that only it shares.
inline constexpr std::int64_t kMaxTallied = 4096;

// compress and expand: the last input, `indexed`, holds how many elements have the predicate up to
// the end of each tile.
inline constexpr std::int64_t kMaskTile = 1024;
constexpr std::int64_t mask_tiles(std::int64_t elements) {
  return (elements + kMaskTile - 1) / kMaskTile;
}
constexpr bool goes_by_mask_tiles(StoreKind store) {
  return store >= StoreKind::count && store <= StoreKind::expand;
}
constexpr bool orders_rows(StoreKind store) { return store >= StoreKind::partition; }

// What one block of a CUDA device holds beside its counts.
inline std::int64_t longest_sorted_row(DType key) { return item_size(key) > 8 ? 2048 : 4096; }
// The numbers that UfuncId::sort_digit takes: digits of `key` (device/sort_digits.cuh).
inline int sort_digits(DType key) {
  return static_cast<int>(item_size(key)) + (is_complex(key) ? 1 : 0);
}

struct OutputSpec {
  OperandSpec operand;
  std::int16_t value = -1;  // step whose value is stored (count: counted); of the operand's dtype
  StoreKind store = StoreKind::plain;
  std::int16_t offset = -1;  // step: int64 for scatter, combine and tally, see partition and sort
  // Step (bool): store only where true; -1: always. Not for plain and count.
  std::int16_t predicate = -1;
  UfuncId combine{};        // combine only
  std::int16_t bins = 256;  // partition: every bin is less; tally of float64: see Write::bins
  friend bool operator==(const OutputSpec&, const OutputSpec&) = default;
};

// How elements become one, or every prefix of them.
struct CombineSpec {
  // Reorderable ufuncs may be combined as a tree, the others strictly from the first element to the
  // last.
  UfuncId ufunc{};
  std::uint16_t function = 0;  // combining_index(): takes the place of `ufunc`
  // Each combined value is a step of this dtype; what comes out is cast to the output's.
  DType accumulator = DType::bool_;
  friend bool operator==(const CombineSpec&, const CombineSpec&) = default;
};

// What only the plans of one kind have.

// Every element by itself.
struct MapPlan {
  friend bool operator==(const MapPlan&, const MapPlan&) = default;
};

// The last dimensions are combined; floating-point sums start from 0 (never -0).
struct ReducePlan {
  CombineSpec combine;
  int reduced_rank = 0;
  // What becomes of a combined value before it is stored, a program like the plan's `steps` in
  // which load 0 is that value, cast to the load's dtype. Empty: it is cast to the output's dtype.
  std::vector<Step> finish{};
  std::int16_t finish_value = -1;  // the step of `finish` that is stored
  friend bool operator==(const ReducePlan&, const ReducePlan&) = default;
};

// The index (int64, row-major in the reduced dimensions) of the first largest (maximum combines) or
// smallest (minimum) value; the first NaN wins.
struct ArgReducePlan {
  CombineSpec combine;
  int reduced_rank = 0;
  friend bool operator==(const ArgReducePlan&, const ArgReducePlan&) = default;
};

// Inclusive running combination along the last dimension.
struct ScanPlan {
  CombineSpec combine;
  friend bool operator==(const ScanPlan&, const ScanPlan&) = default;
};

// out[.., s] combines elements first[s] .. last[s]-1 of the last dimension; the last two inputs are
// `first` and `last`, int64, `indexed`.
struct SegmentReducePlan {
  CombineSpec combine;
  friend bool operator==(const SegmentReducePlan&, const SegmentReducePlan&) = default;
};

// A row lies along the last dimensions: steps combine its elements, as reductions do, and others
// take what came out. No step numbers elements or gathers, and outputs are no inputs. Rows have at
// most kMaxOfRow elements, unless all that is done is to combine once (RowProgram::is_reduction).
struct RowsPlan {
  int reduced_rank = 0;
  friend bool operator==(const RowsPlan&, const RowsPlan&) = default;
};

// In this order.
using AnyPlan =
    std::variant<MapPlan, ReducePlan, ArgReducePlan, ScanPlan, SegmentReducePlan, RowsPlan>;
enum class PlanKind : std::uint8_t { map, reduce, arg_reduce, scan, segment_reduce, rows };

// What the kind has no place for is left out.
AnyPlan plan_of_kind(PlanKind kind, const CombineSpec& combine, int reduced_rank);

struct KernelPlan {
  AnyPlan own;              // what plans of its kind have
  int rank = 0;             // dimensions of the iteration space after collapsing
  bool wide_index = false;  // 64-bit arithmetic for element offsets
  std::vector<OperandSpec> inputs;
  std::vector<DType> scalars;
  std::vector<Step> steps;
  std::vector<OutputSpec> outputs;  // reductions: exactly one, plain; rows: plain
  std::vector<UserStep>
      calls;  // of `steps` and ReducePlan::finish, and without `args` what combines

  PlanKind kind() const { return static_cast<PlanKind>(own.index()); }
  // How many of the last dimensions are reduced, scanned, divided into segments, ordered, or rows.
  int reduced_rank() const;
  void set_reduced_rank(int dimensions);
  // Null for maps and rows.
  const CombineSpec* combine() const;
  friend bool operator==(const KernelPlan&, const KernelPlan&) = default;
};

// Of a step of kind `combine`.
inline CombineSpec combine_of(const Step& step) { return {step.ufunc, step.index, step.dtype}; }

// The values that a step of the plan is computed from.
std::span<const std::int16_t> arguments_of(const KernelPlan& plan, const Step& step);

// How a plan or step says that a function of a user combines, as a tree: the one of calls[call], of
// two values of the accumulator's type. 0: a ufunc does.
constexpr std::uint16_t combining_index(std::uint16_t call) {
  return static_cast<std::uint16_t>(call + 1);
}
// Null: a ufunc combines.
const UserFunction* combining_function(const KernelPlan& plan, std::uint16_t combining_index);
// Sums of floating-point numbers start from 0, so that they are never -0.
bool starts_from_zero(const CombineSpec& combine);

constexpr bool is_reduction(PlanKind kind) {
  return kind == PlanKind::reduce || kind == PlanKind::arg_reduce;
}

// ReducePlan::finish; empty for other kinds.
std::span<const Step> finish_of(const KernelPlan& plan);
// The same as a plan of its own, over the combined values.
KernelPlan finish_plan(const KernelPlan& plan);

// Of the structure: equal for equal plans, in this process. Makes nothing.
std::uint64_t hash_of(const KernelPlan& plan) noexcept;

// Serialised structure: equal exactly for equal plans.
std::string plan_key(const KernelPlan& plan);

// The values of one launch, in the order of the plan.
struct OperandArgument {
  void* pointer = nullptr;  // of the first element
  // Elements, one per iteration dimension. An output of a reduction has 0 along reduced
  // dimensions. Empty for `indexed`.
  Dims strides;
  std::int64_t places = 0;  // tally: all offsets are less
};

struct LaunchArguments {
  // The iteration space, outermost first; reduced or scanned dimensions last. segment_reduce:
  // the last extent is the number of segments, and inputs step along the last dimension by
  // their stride from element first[s].
  Dims extents;
  std::vector<OperandArgument> inputs;
  std::vector<OperandArgument> outputs;
  std::vector<Scalar> scalars;
  // For each input, or none where no input is turned: from element turns[d] > 0 of dimension d on,
  // elements lie extents[d] * strides[d] before the places that strides give. Empty for inputs that
  // are not turned.
  std::vector<Dims> turns{};
  // Reductions and scans: whether neighbours in memory differ in a kept rather than in a reduced
  // dimension, for most bytes, as if everything below had been stored before: the order of
  // combination must not depend on what is fused. Nothing: by the inputs.
  std::optional<bool> is_outer{};
  // Reductions to one element that is not complex: host memory that gets it as well, in one piece,
  // where the platform's host may poll. Null: none does.
  void* mirror = nullptr;
};

// c = a @ b for a stack of matrices; a is m x k, b is k x n, c is m x n. Strides in elements;
// each matrix has one unit stride and c is row-major. Batch dimensions broadcast by stride 0.
// dtype: float16, bfloat16, float32, float64, complex64, complex128.
struct MatmulProblem {
  DType dtype;
  std::int64_t m, n, k;
  const void* a;
  const void* b;
  void* c;
  std::int64_t a_row, a_column;
  std::int64_t b_row, b_column;
  std::int64_t c_row;
  Dims batch;  // extents of the stack, may be empty
  Dims a_batch, b_batch, c_batch;
  // b is a's transpose, in every matrix of the stack: c is symmetric.
  bool b_is_a_transposed = false;
};

}  // namespace cupola
