#pragma once
// Plans that between them reach every part of the CUDA text, for tests.

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

#include "codegen/cuda/cuda_text_plan_builder.h"
#include "codegen/cuda/cuda_text_user_plans.h"

namespace cupola {

namespace plans {

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

// How often each number occurs, or sums of values at the numbers where in2[i].
inline KernelPlan tally(DType dtype, bool of_values) {
  PlanBuilder b(PlanKind::map, 1);
  const auto offset = b.load(DType::int64, kContiguous);
  const auto value = of_values ? b.load(dtype, kContiguous) : b.scalar(dtype);
  const std::int16_t where = of_values ? b.load(DType::bool_, kStrided) : std::int16_t{-1};
  return b.tally(value, offset, where).take();
}

inline KernelPlan gather(DType dtype) {
  PlanBuilder b(PlanKind::map, 2);
  const auto table = b.input(dtype, kIndexed);
  const auto offset = b.load(DType::int64, kContiguous, true);
  return b.store(b.gather(table, offset), kContiguous, true).take();
}

// out = random numbers.
inline KernelPlan random(UfuncId id, OperandLayout layout, bool aligned, int rank) {
  PlanBuilder b(PlanKind::map, rank);
  return b.store(b.random(id), layout, aligned).take();
}

// out = numbers of a distribution, by parameters that are loaded.
inline KernelPlan sampled(UfuncId id, OperandLayout layout, int rank) {
  PlanBuilder b(PlanKind::map, rank);
  return b.store(b.sampled(id, layout), kContiguous).take();
}

// out = random integers below a scalar.
inline KernelPlan scaled_bits() {
  PlanBuilder b(PlanKind::map, 1);
  const auto bits = b.random(UfuncId::random_uint64);
  const auto scaled = b.ufunc(UfuncId::multiply_high, bits, b.scalar(DType::uint64), DType::uint64);
  return b.store(b.cast(scaled, DType::int32), kContiguous, true).take();
}

// The sum of random numbers.
inline KernelPlan random_sum() {
  PlanBuilder b(PlanKind::reduce, 1, 1);
  b.store_as(b.random(UfuncId::normal_float32), DType::float32, kContiguous);
  return b.combine(UfuncId::add, DType::float32).take();
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
// Rows by a digit of their elements, whose number is a scalar, with their numbers or without.
inline KernelPlan parted(DType dtype, OperandLayout layout, int rank, bool numbered) {
  PlanBuilder b(PlanKind::map, rank);
  const auto x = b.load(dtype, layout);
  const auto digit = b.ufunc(UfuncId::sort_digit, x, b.scalar(DType::uint8), DType::uint8);
  b.ordered(StoreKind::partition, x, digit);
  if (numbered) b.ordered(StoreKind::partition, b.cast(b.index(), DType::int32), digit);
  return b.take();
}

// Rows with what is greater than a scalar behind the rest.
inline KernelPlan parted_in_two(DType dtype, bool numbered) {
  PlanBuilder b(PlanKind::map, 2);
  const auto x = b.load(dtype, kContiguous);
  const auto is_greater = b.ufunc(UfuncId::greater, x, b.scalar(dtype), DType::bool_);
  const auto bin = b.cast(is_greater, DType::uint8);
  b.ordered(StoreKind::partition, x, bin);
  if (numbered) b.ordered(StoreKind::partition, b.cast(b.index(), DType::int32), bin);
  KernelPlan plan = b.take();
  for (OutputSpec& output : plan.outputs) output.bins = 2;
  return plan;
}

// Sorted rows, with the numbers of their elements or without.
inline KernelPlan sorted(DType dtype, OperandLayout layout, int rank, bool numbered) {
  PlanBuilder b(PlanKind::map, rank);
  const auto x = b.load(dtype, layout);
  b.ordered(StoreKind::sort, x, x);
  if (numbered) b.ordered(StoreKind::sort, b.index(), x);
  return b.take();
}

inline KernelPlan nonzero(StoreKind store, bool aligned) {
  PlanBuilder b(PlanKind::map, 1);
  const auto mask = b.load(DType::bool_, kContiguous, aligned);
  if (store == StoreKind::count) return b.masked(store, DType::int64, mask, -1).take();
  return b.masked(store, DType::int64, b.index(), mask).take();
}

// out = in0 + in1, the sum of an array rolled along some dimensions and of itself.
inline KernelPlan rolled(DType dtype, int rank, std::uint32_t turned) {
  PlanBuilder b(PlanKind::map, rank);
  const auto x = b.load_turned(dtype, turned);
  const auto y = b.load(dtype, kContiguous, true);
  return b.store(b.ufunc(UfuncId::add, x, y, dtype), kContiguous, true).take();
}

// A polynomial of in0, as long as a kernel may be, with in1 and numbers as its coefficients.
inline KernelPlan long_polynomial(DType dtype) {
  constexpr int kTerms = 220;
  PlanBuilder b(PlanKind::map, 1);
  const auto x = b.load(dtype, kContiguous, true);
  auto value = b.load(dtype, kContiguous, true);
  for (int i = 0; i < kTerms; ++i) {
    value =
        b.ufunc(UfuncId::add, b.ufunc(UfuncId::multiply, value, x, dtype), b.scalar(dtype), dtype);
  }
  return b.store(value, kContiguous, true).take();
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

}  // namespace plans

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
  all.push_back({"rolled", rolled(DType::float32, 2, 3), true, true});
  all.push_back({"rolled_line", rolled(DType::uint8, 1, 1)});
  all.push_back({"rolled_rows", rolled(DType::complex128, 3, 2)});
  all.push_back({"long_polynomial", long_polynomial(DType::float64)});
  KernelPlan wide_rolled = rolled(DType::float16, 3, 5);
  wide_rolled.wide_index = true;
  all.push_back({"rolled_wide", wide_rolled});
  all.push_back({"scatter_plain", scatter(DType::float32, true, {}), true, true});
  all.push_back({"scatter_add", scatter(DType::float32, false, {add}), true, true});
  all.push_back({"scatter_power", scatter(DType::float32, true, {UfuncId::power})});
  all.push_back({"scatter_add_int64", scatter(DType::int64, false, {add})});
  all.push_back({"tally_int64", tally(DType::int64, false), true, true});
  all.push_back({"tally_values_int64", tally(DType::int64, true)});
  all.push_back({"tally_values_uint32", tally(DType::uint32, true), true});
}

inline void add_random_plans(std::vector<NamedPlan>& all) {
  using namespace plans;
  for (const UfuncInfo& info : all_ufuncs()) {
    if (!is_random(info.id)) continue;
    const std::string name(info.name);
    const bool is_golden = info.id == UfuncId::random_float32;
    const bool is_first = is_golden || info.id == UfuncId::normal_float64;
    all.push_back({name, random(info.id, kContiguous, true, 1), is_first, is_golden});
    all.push_back({name + "_strided", random(info.id, kStrided, false, 2)});
  }
  for (const UfuncInfo& info : all_ufuncs()) {
    if (!is_distribution(info.id) || info.id == UfuncId::portable_exp) continue;
    const bool is_first = info.id == UfuncId::random_binomial;
    all.push_back({std::string(info.name), sampled(info.id, kContiguous, 1), is_first});
  }
  all.push_back({"random_gamma_strided", sampled(UfuncId::random_gamma, kStrided, 2)});
  all.push_back({"scaled_bits", scaled_bits()});
  all.push_back({"random_sum", random_sum()});
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

inline void add_order_plans(std::vector<NamedPlan>& all) {
  using namespace plans;
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    const std::string name(name_of(dtype));
    const auto layout = i % 2 == 0 ? kContiguous : kStrided;
    all.push_back({"parted_" + name, parted(dtype, layout, 2, i % 3 == 0)});
    all.push_back({"sorted_" + name, sorted(dtype, layout, 2, i % 3 == 0)});
  }
  all.push_back({"parted", parted(DType::float32, kContiguous, 1, true), true, true});
  all.push_back({"sorted", sorted(DType::float32, kStrided, 2, true), true, true});
  KernelPlan wide = parted(DType::complex128, kStrided, 3, true);
  wide.wide_index = true;
  all.push_back({"parted_wide", wide});
  all.push_back({"parted_in_two", parted_in_two(DType::float32, true), true, true});
  all.push_back({"parted_in_two_complex128", parted_in_two(DType::complex128, false)});
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
  all.push_back({"softmax_double", softmax(DType::float64, kContiguous, true)});
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
  add_random_plans(all);
  add_mask_plans(all);
  add_order_plans(all);
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
