#pragma once
// Plans that between them reach every part of the CUDA text, for tests.

#include <deque>
#include <initializer_list>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "codegen/plan.h"
#include "codegen/user_function.h"

namespace cupola {

struct NamedPlan {
  std::string name;
  KernelPlan plan;
  bool every_architecture = false;
  bool golden = false;
  friend void PrintTo(const NamedPlan& named, std::ostream* stream) { *stream << named.name; }
};

// Puts plans together step by step.
class PlanBuilder {
 public:
  explicit PlanBuilder(PlanKind kind, int rank, int reduced_rank = 0) {
    plan_.kind = kind;
    plan_.rank = rank;
    plan_.reduced_rank = reduced_rank;
  }
  std::int16_t input(DType dtype, OperandLayout layout, bool aligned = false) {
    plan_.inputs.push_back({dtype, layout, aligned});
    return static_cast<std::int16_t>(plan_.inputs.size() - 1);
  }
  std::int16_t load(DType dtype, OperandLayout layout, bool aligned = false) {
    const std::int16_t index = input(dtype, layout, aligned);
    return step({StepKind::load, dtype, {}, static_cast<std::uint16_t>(index), {-1, -1, -1}});
  }
  std::int16_t scalar(DType dtype) {
    plan_.scalars.push_back(dtype);
    const auto index = static_cast<std::uint16_t>(plan_.scalars.size() - 1);
    return step({StepKind::scalar, dtype, {}, index, {-1, -1, -1}});
  }
  std::int16_t index() { return step({StepKind::index, DType::int64, {}, 0, {-1, -1, -1}}); }
  std::int16_t cast(std::int16_t a, DType dtype) {
    return step({StepKind::cast, dtype, {}, 0, {a, -1, -1}});
  }
  std::int16_t ufunc(UfuncId id, std::int16_t a, std::int16_t b, DType dtype, int result = 0) {
    return step({StepKind::ufunc, dtype, id, static_cast<std::uint16_t>(result), {a, b, -1}});
  }
  std::int16_t select(std::int16_t c, std::int16_t a, std::int16_t b) {
    return step({StepKind::select, dtype_of_step(a), {}, 0, {c, a, b}});
  }
  std::int16_t gather(std::int16_t input, std::int16_t offset) {
    const DType dtype = plan_.inputs[static_cast<std::size_t>(input)].dtype;
    return step({StepKind::gather, dtype, {}, static_cast<std::uint16_t>(input), {offset, -1, -1}});
  }
  std::int16_t user(const UserFunction& function, std::vector<std::int16_t> args,
                    std::uint16_t result = 0) {
    plan_.calls.push_back({&function, result, std::move(args)});
    const auto index = static_cast<std::uint16_t>(plan_.calls.size() - 1);
    return step({StepKind::user, function.outputs[result], {}, index, {-1, -1, -1}});
  }
  // rows: one value for each row.
  std::int16_t combine_row(UfuncId id, std::int16_t a) {
    return step({StepKind::combine, dtype_of_step(a), id, 0, {a, -1, -1}});
  }
  std::int16_t load_of_row(DType dtype) {
    const std::int16_t value = load(dtype, OperandLayout::strided);
    plan_.inputs.back().per_row = true;
    return value;
  }
  PlanBuilder& store_row(std::int16_t value) {
    plan_.outputs.push_back({{dtype_of_step(value), OperandLayout::strided, false, true}, value});
    return *this;
  }
  PlanBuilder& store(std::int16_t value, OperandLayout layout, bool aligned = false) {
    plan_.outputs.push_back({{dtype_of_step(value), layout, aligned}, value});
    return *this;
  }
  PlanBuilder& store_as(std::int16_t value, DType dtype, OperandLayout layout) {
    plan_.outputs.push_back({{dtype, layout, false}, value});
    return *this;
  }
  PlanBuilder& scatter(std::int16_t value, std::int16_t offset, std::int16_t predicate = -1) {
    plan_.outputs.push_back({{dtype_of_step(value), OperandLayout::indexed, false},
                             value,
                             StoreKind::scatter,
                             offset,
                             predicate});
    return *this;
  }
  PlanBuilder& combine_at(UfuncId id, std::int16_t value, std::int16_t offset,
                          std::int16_t predicate = -1) {
    plan_.outputs.push_back({{dtype_of_step(value), OperandLayout::indexed, false},
                             value,
                             StoreKind::combine,
                             offset,
                             predicate,
                             id});
    return *this;
  }
  // The only output of the plan, by tiles of a mask.
  PlanBuilder& masked(StoreKind store, DType dtype, std::int16_t value, std::int16_t predicate,
                      OperandLayout layout = OperandLayout::indexed) {
    if (store != StoreKind::count) input(DType::int64, OperandLayout::indexed);
    plan_.outputs.push_back({{dtype, layout}, value, store, -1, predicate});
    return *this;
  }
  std::int16_t rank() { return step({StepKind::rank, DType::int64, {}, 0, {-1, -1, -1}}); }
  PlanBuilder& combine(UfuncId id, DType accumulator) {
    plan_.combine = id;
    plan_.accumulator = accumulator;
    return *this;
  }
  PlanBuilder& wide() {
    plan_.wide_index = true;
    return *this;
  }
  KernelPlan take() const { return plan_; }
  DType dtype_of_step(std::int16_t i) const {
    return plan_.steps[static_cast<std::size_t>(i)].dtype;
  }

 private:
  std::int16_t step(Step step) {
    plan_.steps.push_back(step);
    return static_cast<std::int16_t>(plan_.steps.size() - 1);
  }
  KernelPlan plan_;
};

namespace plans {

inline constexpr OperandLayout kContiguous = OperandLayout::contiguous;
inline constexpr OperandLayout kBroadcast = OperandLayout::broadcast;
inline constexpr OperandLayout kStrided = OperandLayout::strided;
inline constexpr OperandLayout kIndexed = OperandLayout::indexed;

// out = id(in0, in1), all of one layout.
inline KernelPlan binary(UfuncId id, DType dtype, OperandLayout layout, bool aligned,
                         int rank = 1) {
  PlanBuilder b(PlanKind::map, rank);
  const auto x = b.load(dtype, layout, aligned);
  const auto y = b.load(dtype, layout, aligned);
  return b.store(b.ufunc(id, x, y, dtype), layout, aligned).take();
}

// Reduction of in0 as it stands.
inline KernelPlan reduce(PlanKind kind, UfuncId id, DType dtype, DType accumulator, DType out,
                         OperandLayout layout, bool aligned, int rank, int reduced,
                         OperandLayout out_layout = kContiguous) {
  PlanBuilder b(kind, rank, reduced);
  auto value = b.load(dtype, layout, aligned);
  if (dtype != accumulator) value = b.cast(value, accumulator);
  return b.store_as(value, out, out_layout).combine(id, accumulator).take();
}

// out = in0, or in0 + in1 with in1 as it stands.
inline KernelPlan transposed(DType dtype, bool and_added) {
  PlanBuilder b(PlanKind::map, 2);
  const auto x = b.load(dtype, kStrided);
  if (!and_added) return b.store(x, kContiguous, true).take();
  const auto y = b.load(dtype, kContiguous, true);
  return b.store(b.ufunc(UfuncId::add, x, y, dtype), kContiguous, true).take();
}

inline KernelPlan segments(UfuncId id, DType dtype, int rank) {
  PlanBuilder b(PlanKind::segment_reduce, rank, 1);
  const auto value = b.load(dtype, kStrided);
  b.input(DType::int64, kIndexed);
  b.input(DType::int64, kIndexed);
  return b.store_as(value, dtype, kStrided).combine(id, dtype).take();
}

// out[in1[i]] = in0[i] where in2[i], or combined.
inline KernelPlan scatter(DType dtype, bool predicate, std::initializer_list<UfuncId> combine) {
  PlanBuilder b(PlanKind::map, 1);
  const auto value = b.load(dtype, kContiguous);
  const auto offset = b.load(DType::int64, kContiguous);
  const std::int16_t where = predicate ? b.load(DType::bool_, kContiguous) : std::int16_t{-1};
  if (combine.size() == 0) return b.scatter(value, offset, where).take();
  return b.combine_at(*combine.begin(), value, offset, where).take();
}

inline KernelPlan gather(DType dtype) {
  PlanBuilder b(PlanKind::map, 2);
  const auto table = b.input(dtype, kIndexed);
  const auto offset = b.load(DType::int64, kContiguous, true);
  return b.store(b.gather(table, offset), kContiguous, true).take();
}

// Of the elements of in0 that are greater than a scalar: how many there are, or they themselves.
inline KernelPlan greater(StoreKind store, DType dtype, OperandLayout layout, bool aligned,
                          int rank = 1) {
  PlanBuilder b(PlanKind::map, rank);
  const auto x = b.load(dtype, layout, aligned);
  const auto mask = b.ufunc(UfuncId::greater, x, b.scalar(dtype), DType::bool_);
  if (store == StoreKind::count) return b.masked(store, DType::int64, mask, -1).take();
  return b.masked(store, dtype, x, mask).take();
}

// The numbers of true elements, or how many there are.
inline KernelPlan nonzero(StoreKind store, bool aligned) {
  PlanBuilder b(PlanKind::map, 1);
  const auto mask = b.load(DType::bool_, kContiguous, aligned);
  if (store == StoreKind::count) return b.masked(store, DType::int64, mask, -1).take();
  return b.masked(store, DType::int64, b.index(), mask).take();
}

// out = the next of in1 where in0 is true.
inline KernelPlan expand(DType dtype, OperandLayout layout, int rank) {
  PlanBuilder b(PlanKind::map, rank);
  const auto mask = b.load(DType::bool_, layout);
  const auto values = b.input(DType::int32, kIndexed);
  const auto place = b.ufunc(UfuncId::multiply, b.rank(), b.scalar(DType::int64), DType::int64);
  const auto value = b.cast(b.gather(values, place), dtype);
  return b.masked(StoreKind::expand, dtype, value, mask, layout).take();
}

// out = in0 < scalar ? in1 * scalar : cast of the element's number; in1 is a row.
inline KernelPlan mixed() {
  PlanBuilder b(PlanKind::map, 2);
  const auto x = b.load(DType::float32, kContiguous);
  const auto row = b.load(DType::float16, kStrided);
  const auto one = b.load(DType::float64, kBroadcast);
  const auto s = b.scalar(DType::float32);
  const auto less = b.ufunc(UfuncId::less, x, s, DType::bool_);
  const auto wide_row = b.cast(row, DType::float32);
  const auto product = b.ufunc(UfuncId::multiply, wide_row, s, DType::float32);
  const auto number = b.cast(b.index(), DType::float32);
  const auto chosen = b.select(less, product, number);
  const auto sum = b.ufunc(UfuncId::add, b.cast(chosen, DType::float64), one, DType::float64);
  b.store(sum, kStrided);
  return b.store(less, kContiguous).take();
}

// The sum of squared differences along rows.
inline KernelPlan fused_reduce() {
  PlanBuilder b(PlanKind::reduce, 2, 1);
  const auto x = b.load(DType::float32, kContiguous, true);
  const auto y = b.load(DType::float32, kBroadcast);
  const auto d = b.ufunc(UfuncId::subtract, x, y, DType::float32);
  const auto q = b.ufunc(UfuncId::multiply, d, d, DType::float32);
  return b.store_as(q, DType::float32, kContiguous).combine(UfuncId::add, DType::float32).take();
}

// The running sum of exp(x).
inline KernelPlan cumulative_exp() {
  PlanBuilder b(PlanKind::scan, 2, 1);
  const auto x = b.load(DType::float64, kContiguous, true);
  b.store(b.ufunc(UfuncId::exp, x, -1, DType::float64), kContiguous, true);
  return b.combine(UfuncId::add, DType::float64).take();
}

// exp(x - max(x)) / sum(exp(x - max(x))).
inline KernelPlan softmax(DType dtype, OperandLayout layout, bool aligned, int rank = 2) {
  PlanBuilder b(PlanKind::rows, rank, 1);
  const auto x = b.load(dtype, layout, aligned);
  const auto largest = b.combine_row(UfuncId::maximum, x);
  const auto e = b.ufunc(UfuncId::exp, b.ufunc(UfuncId::subtract, x, largest, dtype), -1, dtype);
  const auto sum = b.combine_row(UfuncId::add, e);
  return b.store(b.ufunc(UfuncId::divide, e, sum, dtype), layout, aligned).take();
}

// The mean of squared deviations from the mean, with or without the deviations over their root.
inline KernelPlan variance(DType dtype, bool standardises) {
  PlanBuilder b(PlanKind::rows, 2, 1);
  const auto x = b.load(dtype, kContiguous, true);
  const auto count = b.scalar(dtype);
  const auto mean = b.ufunc(UfuncId::divide, b.combine_row(UfuncId::add, x), count, dtype);
  const auto d = b.ufunc(UfuncId::subtract, x, mean, dtype);
  const auto square = b.ufunc(UfuncId::square, d, -1, dtype);
  const auto variance = b.ufunc(UfuncId::divide, b.combine_row(UfuncId::add, square), count, dtype);
  if (!standardises) return b.store_row(variance).take();
  const auto root = b.ufunc(UfuncId::sqrt, variance, -1, dtype);
  b.store(b.ufunc(UfuncId::divide, d, root, dtype), kContiguous, true);
  return b.store_row(mean).take();
}

// The sum of a, and the sums of its distances from the first and of their squares.
inline KernelPlan moments(OperandLayout layout) {
  PlanBuilder b(PlanKind::rows, 2, 1);
  const auto x = b.load(DType::float32, layout, layout == kContiguous);
  const auto first = b.cast(b.load_of_row(DType::float32), DType::float64);
  const auto d = b.ufunc(UfuncId::subtract, b.cast(x, DType::float64), first, DType::float64);
  const auto sum = b.combine_row(UfuncId::add, x);
  const auto distances = b.combine_row(UfuncId::add, d);
  const auto squares = b.combine_row(UfuncId::add, b.ufunc(UfuncId::square, d, -1, DType::float64));
  b.store_row(b.ufunc(UfuncId::multiply, sum, b.scalar(DType::float32), DType::float32));
  return b.store_row(distances).store_row(squares).take();
}

// Two combinations in one walk, of several types, with an operand that has one element for each row
// and one that has one for each column.
inline KernelPlan mixed_rows() {
  PlanBuilder b(PlanKind::rows, 3, 1);
  const auto x = b.load(DType::float16, kStrided);
  const auto y = b.load(DType::int32, kContiguous, true);
  const auto column = b.load(DType::float32, kStrided);
  const auto weight = b.load_of_row(DType::float32);
  const auto one = b.load(DType::float64, kBroadcast);
  const auto scaled = b.ufunc(UfuncId::multiply, b.cast(x, DType::float32), weight, DType::float32);
  const auto sum = b.combine_row(UfuncId::add, scaled);
  const auto least = b.combine_row(UfuncId::minimum, y);
  const auto ratio = b.ufunc(UfuncId::multiply, sum, b.cast(least, DType::float32), DType::float32);
  const auto result =
      b.ufunc(UfuncId::add, b.ufunc(UfuncId::multiply, scaled, ratio, DType::float32), column,
              DType::float32);
  b.store(result, kStrided).store(scaled, kContiguous, true);
  b.store_row(b.ufunc(UfuncId::add, b.cast(ratio, DType::float64), one, DType::float64));
  return b.store_row(b.scalar(DType::int8)).take();
}

// Lives as long as the process.
inline const UserFunction& user_function(std::string_view in, std::string_view out,
                                         std::string operation, const std::vector<DType>& types,
                                         std::string preamble = "") {
  static std::deque<UserFunction> functions;
  UserDefinition definition;
  definition.name = "k";
  definition.inputs = parse_user_parameters(in, true);
  definition.outputs = parse_user_parameters(out, false);
  definition.operation = std::move(operation);
  definition.preamble = std::move(preamble);
  if (!may_fuse(definition)) throw std::runtime_error(definition.operation);
  return functions.emplace_back(make_user_function(definition, types));
}

// out = k(in0 + in1, s) * s with the body of two users, whose preambles have the same names.
inline KernelPlan two_users(OperandLayout layout, bool aligned) {
  const auto f32 = DType::float32;
  const UserFunction& first = user_function(
      "T x, T limit", "T y",
      "const T most = limit * FACTOR; y = scaled(x) < most ? scaled(x) : most; // x",
      {f32, f32, f32}, "#define FACTOR 3\n__device__ T scaled(T x) { return x * FACTOR; }");
  const UserFunction& second = user_function(
      "T x", "T y", "y = x; for (int i = 0; i < FACTOR; ++i) y = scaled(y);", {f32, f32},
      "#define FACTOR 2\ntemplate <class U> __device__ U scaled(U x) { return x - FACTOR; }");
  PlanBuilder b(PlanKind::map, layout == kStrided ? 2 : 1);
  const auto x = b.load(f32, layout, aligned);
  const auto y = b.load(f32, layout, aligned);
  const auto s = b.scalar(f32);
  const auto k = b.user(first, {b.ufunc(UfuncId::add, x, y, f32), s});
  const auto product = b.ufunc(UfuncId::multiply, b.user(second, {k}), s, f32);
  return b.store(b.user(first, {product, k}), layout, aligned).take();
}

// Two outputs of four inputs of different classes.
inline KernelPlan user_classes() {
  const UserFunction& function = user_function(
      "float16 h, complex64 z, bool b, T t", "T sum, complex128 w, bfloat16 g, bool none",
      "sum = b ? T(float(h) + z.real()) : t; w = complex<double>(z) * complex<double>(t, 1);\n"
      "g = h * h; none = !b && isnan(h);",
      {DType::float16, DType::complex64, DType::bool_, DType::int64, DType::int64,
       DType::complex128, DType::bfloat16, DType::bool_});
  PlanBuilder b(PlanKind::map, 1);
  const std::vector<std::int16_t> inputs{b.load(DType::float16, kContiguous),
                                         b.load(DType::complex64, kContiguous),
                                         b.load(DType::bool_, kBroadcast), b.scalar(DType::int64)};
  for (std::uint16_t i = 0; i < 4; ++i) b.store(b.user(function, inputs, i), kContiguous);
  return b.take();
}

// The sum of what a user's function makes of elements, and another of the sum.
inline KernelPlan user_reduce() {
  const UserFunction& square = user_function("T x, T y", "T z", "z = (x - y) * (x - y)",
                                             {DType::float32, DType::float32, DType::float32});
  const UserFunction& root =
      user_function("T x", "float64 y", "y = sqrt((double)x)", {DType::float32, DType::float64});
  PlanBuilder b(PlanKind::reduce, 2, 1);
  const auto x = b.load(DType::float32, kContiguous, true);
  const auto d = b.user(square, {x, b.load(DType::float32, kBroadcast)});
  KernelPlan plan =
      b.store_as(d, DType::float64, kContiguous).combine(UfuncId::add, DType::float32).take();
  plan.calls.push_back({&root, 0, {0}});
  plan.finish = {{StepKind::load, DType::float32, {}, 0, {-1, -1, -1}},
                 {StepKind::user, DType::float64, {}, 1, {-1, -1, -1}}};
  plan.finish_value = 1;
  return plan;
}

// Rows over what a user's function makes of their largest element, of a number and of an element.
inline KernelPlan user_rows() {
  const auto f32 = DType::float32;
  const UserFunction& shifted =
      user_function("T x, T top, T half, T by", "T y", "y = x > half ? (x - top) * by : by",
                    {f32, f32, f32, f32, f32});
  const UserFunction& half = user_function("T x", "T y", "y = x / 2", {f32, f32});
  PlanBuilder b(PlanKind::rows, 2, 1);
  const auto x = b.load(f32, kContiguous, true);
  const auto top = b.combine_row(UfuncId::maximum, x);
  const auto s = b.scalar(f32);
  const auto middle = b.user(half, {top});
  const auto e = b.user(shifted, {x, top, middle, b.user(half, {s})});
  const auto sum = b.combine_row(UfuncId::add, e);
  b.store(b.user(shifted, {e, sum, middle, s}), kContiguous, true);
  return b.store_row(b.user(half, {sum})).take();
}

}  // namespace plans

inline void add_user_plans(std::vector<NamedPlan>& all) {
  using namespace plans;
  all.push_back({"users", two_users(kContiguous, true), true, true});
  all.push_back({"users_strided", two_users(kStrided, false)});
  all.push_back({"user_classes", user_classes(), true, true});
  all.push_back({"user_reduce", user_reduce(), true});
  all.push_back({"user_rows", user_rows(), true, true});
}

inline void add_map_plans(std::vector<NamedPlan>& all) {
  using namespace plans;
  const auto add = UfuncId::add;
  all.push_back({"add_packs", binary(add, DType::float32, kContiguous, true), true, true});
  all.push_back({"add_elements", binary(add, DType::float32, kContiguous, false)});
  all.push_back({"add_strided", binary(add, DType::float64, kStrided, false, 3), false, true});
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    const std::string name(name_of(dtype));
    all.push_back({"multiply_" + name, binary(UfuncId::multiply, dtype, kContiguous, true)});
    all.push_back({"transposed_" + name, transposed(dtype, false)});
    all.push_back({"scatter_" + name, scatter(dtype, i % 2 == 0, {})});
    all.push_back({"scatter_max_" + name, scatter(dtype, false, {UfuncId::maximum})});
  }
  KernelPlan wide = binary(add, DType::int8, kStrided, false, 2);
  wide.wide_index = true;
  all.push_back({"add_wide", wide});
  all.push_back({"one_element", binary(add, DType::float32, kBroadcast, false)});
  all.push_back({"add_transposed", transposed(DType::float32, true), true, true});
  all.push_back({"mixed", mixed(), true, true});
  all.push_back({"gather", gather(DType::complex64)});
  all.push_back({"scatter_plain", scatter(DType::float32, true, {}), true, true});
  all.push_back({"scatter_add", scatter(DType::float32, false, {add}), true, true});
  all.push_back({"scatter_power", scatter(DType::float32, true, {UfuncId::power})});
}

inline void add_mask_plans(std::vector<NamedPlan>& all) {
  using namespace plans;
  const auto f32 = DType::float32;
  const auto count = StoreKind::count, compress = StoreKind::compress;
  all.push_back({"count_greater", greater(count, f32, kContiguous, true), true, true});
  all.push_back({"compress_greater", greater(compress, f32, kContiguous, true), true, true});
  all.push_back({"count_strided", greater(count, DType::float16, kStrided, false, 3)});
  all.push_back({"compress_strided", greater(compress, DType::complex128, kStrided, false, 3)});
  all.push_back({"count_true", nonzero(count, true)});
  all.push_back({"count_true_anywhere", nonzero(count, false)});
  all.push_back({"nonzero", nonzero(compress, true)});
  KernelPlan wide = nonzero(compress, true);
  wide.wide_index = true;
  all.push_back({"nonzero_wide", wide});
  all.push_back({"expand", expand(f32, kContiguous, 1), true});
  all.push_back({"expand_strided", expand(DType::complex64, kStrided, 2), false, true});
}

inline void add_row_plans(std::vector<NamedPlan>& all) {
  using namespace plans;
  const auto add = UfuncId::add;
  const auto f32 = DType::float32;
  all.push_back({"sum_all", reduce(PlanKind::reduce, add, f32, f32, f32, kContiguous, true, 1, 1),
                 true, true});
  all.push_back({"sum_strided", reduce(PlanKind::reduce, add, DType::float16, f32, DType::float16,
                                       kStrided, false, 3, 2, kStrided)});
  all.push_back({"subtract_rows", reduce(PlanKind::reduce, UfuncId::subtract, f32, f32, f32,
                                         kStrided, false, 2, 1)});
  all.push_back({"fused_reduce", fused_reduce(), true});
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    const std::string name(name_of(dtype));
    all.push_back({"max_" + name, reduce(PlanKind::reduce, UfuncId::maximum, dtype, dtype, dtype,
                                         kContiguous, true, 2, 1)});
    all.push_back({"argmin_" + name, reduce(PlanKind::arg_reduce, UfuncId::minimum, dtype, dtype,
                                            DType::int64, kStrided, false, 2, 1, kStrided)});
    all.push_back({"cumsum_" + name,
                   reduce(PlanKind::scan, add, dtype, dtype, dtype, kContiguous, false, 2, 1)});
  }
  all.push_back({"argmax",
                 reduce(PlanKind::arg_reduce, UfuncId::maximum, f32, f32, DType::int64, kContiguous,
                        true, 1, 1),
                 true, true});
  all.push_back({"scan_strided",
                 reduce(PlanKind::scan, UfuncId::multiply, f32, f32, DType::float64, kStrided,
                        false, 3, 1, kStrided),
                 true, true});
  all.push_back({"cumsum_exp", cumulative_exp()});
  all.push_back({"scan_divide", reduce(PlanKind::scan, UfuncId::divide, f32, f32, f32, kStrided,
                                       false, 2, 1, kStrided)});
  all.push_back({"segments", segments(add, f32, 2), true, true});
  all.push_back({"segments_subtract", segments(UfuncId::subtract, DType::int32, 1)});
  KernelPlan wide = reduce(PlanKind::reduce, add, f32, f32, f32, kStrided, false, 3, 1, kStrided);
  wide.wide_index = true;
  all.push_back({"sum_wide", wide});
}

inline void add_row_programs(std::vector<NamedPlan>& all) {
  using namespace plans;
  const auto f32 = DType::float32;
  all.push_back({"softmax", softmax(f32, kContiguous, true), true, true});
  all.push_back({"softmax_half", softmax(DType::float16, kContiguous, true)});
  all.push_back({"softmax_strided", softmax(DType::float64, kStrided, false, 3)});
  all.push_back({"softmax_complex", softmax(DType::complex64, kContiguous, false)});
  all.push_back({"variance", variance(f32, false), true, true});
  all.push_back({"standardise", variance(DType::float64, true)});
  all.push_back({"moments_rows", moments(kContiguous)});
  all.push_back({"moments_columns", moments(kStrided), true, true});
  all.push_back({"mixed_rows", mixed_rows(), false, true});
}

inline std::vector<NamedPlan> cuda_text_plans() {
  std::vector<NamedPlan> all;
  add_map_plans(all);
  add_mask_plans(all);
  add_row_plans(all);
  add_row_programs(all);
  add_user_plans(all);
  return all;
}

inline KernelPlan plan_of(const std::string& name) {
  for (const NamedPlan& named : cuda_text_plans()) {
    if (named.name == name) return named.plan;
  }
  throw std::runtime_error("no plan " + name);
}

}  // namespace cupola
