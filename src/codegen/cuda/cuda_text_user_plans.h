#pragma once
// Plans with functions of users, for tests.

#include <deque>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/cuda/cuda_text_plan_builder.h"
#include "codegen/user/user_function.h"

namespace cupola {

namespace plans {

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
  ReducePlan& reduce = std::get<ReducePlan>(plan.own);
  reduce.finish = {{StepKind::load, DType::float32, {}, 0, {-1, -1, -1}},
                   {StepKind::user, DType::float64, {}, 1, {-1, -1, -1}}};
  reduce.finish_value = 1;
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

// A reduction of a user.
inline UserDefinition user_reduction(std::string_view in, std::string_view out, std::string map,
                                     std::string reduce, std::string post_map,
                                     std::string reduce_type = "") {
  UserDefinition definition;
  definition.name = "r";
  definition.is_reduction = true;
  definition.inputs = parse_user_parameters(in, true);
  definition.outputs = parse_user_parameters(out, false);
  definition.map = std::move(map);
  definition.reduce = std::move(reduce);
  definition.post_map = std::move(post_map);
  definition.reduce_type = std::move(reduce_type);
  return definition;
}
// Its functions, which live as long as the process.
inline std::span<const UserFunction> functions_of_reduction(const UserDefinition& definition,
                                                            const std::vector<DType>& types) {
  static std::deque<std::vector<UserFunction>> functions;
  if (!may_fuse(definition)) throw std::runtime_error(definition.map);
  return functions.emplace_back(make_user_functions(definition, types));
}

// The root of a sum of squares of differences, of rows or of columns, in double precision, and what
// becomes of it.
inline KernelPlan user_combine(OperandLayout layout, bool aligned) {
  UserDefinition norm = user_reduction("T x, float32 scale", "T y", "SQUARE(x)", "added(a, b)",
                                       "y = sqrt(a) * scale", "double");
  norm.preamble =
      "#define SQUARE(x) (_type_reduce(x) * (x))\n"
      "__device__ _type_reduce added(_type_reduce a, _type_reduce b) { return a + b; }";
  const auto f32 = DType::float32;
  const auto functions = functions_of_reduction(norm, {f32, f32, f32});
  PlanBuilder b(PlanKind::reduce, 2, 1);
  const auto x = b.load(f32, layout, aligned);
  const auto d = b.ufunc(UfuncId::subtract, x, b.load(f32, kBroadcast), f32);
  const auto s = b.scalar(f32);
  b.store_as(b.user(functions[kUserMap], {d, s}), f32, kStrided);
  return b.combine(functions[kUserCombine], functions[kUserFinish], {s}).take();
}

// All elements of a type, combined with what takes place in between.
inline KernelPlan user_combine_of(DType dtype) {
  UserDefinition largest = user_reduction("T x", "T y", "x", "larger(a, b)", "y = a");
  largest.preamble =
      "__device__ float size(float x) { return x; }\n"
      "template <class U> __device__ float size(complex<U> x) { return x.real(); }\n"
      "__device__ T larger(const T& a, const T& b) { return size(a) < size(b) ? b : a; }";
  const auto functions = functions_of_reduction(largest, {dtype, dtype});
  PlanBuilder b(PlanKind::reduce, 1, 1);
  const auto x = b.load(dtype, kContiguous, true);
  b.store_as(b.user(functions[kUserMap], {x}), dtype, kStrided);
  return b.combine(functions[kUserCombine], functions[kUserFinish], {}).take();
}

// Elements by the norm of their row, and a reduction of what comes out, beside a sum; with
// `reduces` the norm and the sum alone.
inline KernelPlan user_combine_rows(bool reduces) {
  const auto f32 = DType::float32;
  const auto norm = functions_of_reduction(
      user_reduction("T x", "T y", "x * x", "a + b", "y = sqrt(a)"), {f32, f32});
  const auto both = functions_of_reduction(
      user_reduction("T x", "T y, int32 sign", "x", "a * b", "y = a; sign = a < 0"),
      {f32, f32, DType::int32});
  PlanBuilder b(PlanKind::rows, 2, 1);
  const auto x = b.load(f32, kContiguous, true);
  const auto squares = b.combine_row(norm[kUserCombine], b.user(norm[kUserMap], {x}));
  const auto root = b.user(norm[kUserFinish], {squares});
  const auto sum = b.combine_row(UfuncId::add, x);
  if (reduces) return b.store_row(root).store_row(sum).take();
  const auto scaled = b.ufunc(UfuncId::divide, x, root, f32);
  const auto product = b.combine_row(both[kUserCombine], b.user(both[kUserMap], {scaled}));
  b.store(scaled, kContiguous, true).store_row(sum);
  b.store_row(b.user(both[kUserFinish], {product}, 0));
  return b.store_row(b.user(both[kUserFinish], {product}, 1)).take();
}

}  // namespace plans

inline void add_user_plans(std::vector<NamedPlan>& all) {
  using namespace plans;
  all.push_back({"users", two_users(kContiguous, true), true, true});
  all.push_back({"users_strided", two_users(kStrided, false)});
  all.push_back({"user_classes", user_classes(), true, true});
  all.push_back({"user_reduce", user_reduce(), true});
  all.push_back({"user_rows", user_rows(), true, true});
  all.push_back({"user_combine", user_combine(kContiguous, true), true, true});
  all.push_back({"user_combine_strided", user_combine(kStrided, false)});
  all.push_back({"user_combine_rows", user_combine_rows(false), true});
  all.push_back({"user_combine_results", user_combine_rows(true), true});
  for (const DType dtype : {DType::bool_, DType::int8, DType::uint16, DType::int64, DType::float16,
                            DType::bfloat16, DType::complex64, DType::complex128}) {
    all.push_back({"user_combine_" + std::string(name_of(dtype)), user_combine_of(dtype)});
  }
}

}  // namespace cupola
