#include "exec/host/host_result.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/counters.h"
#include "core/array_state.h"
#include "core/layout.h"
#include "cupola/evaluation.h"
#include "driver/registry.h"
#include "exec/evaluation/allocation.h"
#include "exec/host/host_access.h"
#include "exec/host/host_copy.h"
#include "exec/host/host_element.h"
#include "exec/host/reduction_order.h"
#include "exec/observation/launch_log.h"
#include "graph/result_layout.h"

namespace cupola {

namespace {

// What an operation reads: an array or a number, as elements of the dtype that its loop takes.
struct Input {
  Chosen from;
  DType dtype{};
  bool is_one = false;  // the loop takes one element for all
};

// A function of an array and a number.
struct BesideNumber {
  BesideNumber(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Scalar& number,
               bool is_first) {
    const std::array types{loop.input(0), loop.input(1)};
    const std::size_t one = is_first ? 0 : 1;
    inputs[one] = {{.number = number.data()}, types[one], true};
    inputs[1 - one] = {{.array = &a}, types[1 - one]};
    run = driver(a.device()).host_loop(ufunc, types.data(), static_cast<int>(one));
  }
  std::array<Input, 2> inputs;
  HostLoop run = nullptr;
};

// Whether a result of that shape is computed now.
bool is_now(const Dims& shape, const Device& device) {
  const std::int64_t count = element_count(shape);
  return deferral() == Deferral::of_many && count > 0 && count <= kMaxOnHost && !device.is_set() &&
         host_shares_memory(device) && !is_work_watched() && !is_logging_launches();
}

bool is_little(const Array& a) { return is_stored(a) && a.size() > 0 && a.size() <= kMaxOnHost; }

// Whether its elements lie as those of a row-major array of that shape.
bool lies_so(const Array& a, const Dims& shape) { return a.shape() == shape && is_c_contiguous(a); }

bool has_row_major_result(const Dims& shape, std::span<const Input> inputs) {
  const auto fits = [&](const Input& input) {
    return input.from.array == nullptr || lies_so(*input.from.array, shape);
  };
  if (shape.rank() < 2 || std::ranges::all_of(inputs, fits)) return true;
  std::vector<Array> operands;
  for (const Input& input : inputs) {
    if (input.from.array != nullptr) operands.push_back(*input.from.array);
  }
  return like_strides(shape, operands) == c_strides(shape);
}

// Row-major; no array where there is no memory that may be written to at once.
Array array_to_fill(DType dtype, const Dims& shape, const Device& device) {
  Array result = find_array(dtype, shape, device);
  return result.has_value() && may_fill(*result.state().storage) ? result : Array();
}

using Memory = std::unique_ptr<char[]>;

Memory memory(std::int64_t count, DType dtype) {
  return std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(count) * item_size(dtype));
}

// The elements of an input, broadcast to a shape and in row-major order.
class Elements {
 public:
  // Null: there is no loop that casts them.
  const void* of(const Input& input, const Dims& shape) {
    if (input.from.array == nullptr) return of_number(input, shape);
    const Array& a = *input.from.array;
    const void* const found = lies_so(a, shape) ? pointer_of(a) : gathered(a, shape);
    return as(input.dtype, a, found, element_count(shape));
  }
  // The same of an array whose reduced dimensions come last.
  const void* of(const Array& a, const Dims& axes, DType dtype) {
    const Dims shape = reduced_last(a.shape(), axes), strides = reduced_last(strides_of(a), axes);
    const void* const found = is_c_contiguous(shape, strides)
                                  ? pointer_of(a)
                                  : gather(pointer_of(a), a.dtype(), strides, shape);
    return as(dtype, a, found, a.size());
  }

 private:
  const void* as(DType dtype, const Array& a, const void* elements, std::int64_t count) {
    if (a.dtype() == dtype) return elements;
    const HostLoop cast = driver(a.device()).host_cast(a.dtype(), dtype);
    if (cast == nullptr) return nullptr;
    cast_ = memory(count, dtype);
    cast(&elements, cast_.get(), count);
    return cast_.get();
  }
  const void* of_number(const Input& input, const Dims& shape) {
    if (input.is_one) return input.from.number;
    return gather(input.from.number, input.dtype, broadcast_strides({}, {}, shape), shape);
  }
  const void* gathered(const Array& a, const Dims& shape) {
    const Dims strides = broadcast_strides(a.shape(), strides_of(a), shape);
    return gather(pointer_of(a), a.dtype(), strides, shape);
  }
  const void* gather(const void* from, DType dtype, const Dims& strides, const Dims& shape) {
    gathered_ = memory(element_count(shape), dtype);
    copy_strided(gathered_.get(), byte_strides(c_strides(shape), dtype),
                 static_cast<const char*>(from), byte_strides(strides, dtype), shape,
                 item_size(dtype));
    return gathered_.get();
  }

  Memory gathered_, cast_;
};

// Whether the loop may write them while it reads the inputs, which lie row by row.
bool is_undisturbed(const Array& out, std::span<const Input> inputs) {
  return std::ranges::all_of(inputs, [&](const Input& input) {
    const Array* const array = input.from.array;
    return array == nullptr || pointer_of(*array) == pointer_of(out) || !may_overlap(*array, out);
  });
}

// The loop reads elements as they lie.
bool store(HostLoop loop, std::span<const Input> inputs, const Array& out) {
  if (loop == nullptr || !is_now(out.shape(), out.device()) || !is_little(out)) return false;
  HostAccess access;
  std::array<const void*, 2> memory{};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto& [array, number] = inputs[i].from;
    if (array != nullptr && !(is_little(*array) && access.may_read(*array))) return false;
    memory[i] = array != nullptr ? pointer_of(*array) : number;
  }
  if (!is_undisturbed(out, inputs) || !access.may_write(out)) return false;
  loop(memory.data(), pointer_of(out), out.size());
  count(Counter::launches);
  return true;
}

Array compute(HostLoop loop, std::span<const Input> inputs, DType dtype, const Dims& shape,
              const Device& device) {
  HostAccess access;
  const auto may_read = [&](const Input& input) {
    const Array* const array = input.from.array;
    return array == nullptr || (is_little(*array) && access.may_read(*array));
  };
  if (loop == nullptr || !std::ranges::all_of(inputs, may_read)) return {};
  if (!has_row_major_result(shape, inputs)) return {};
  std::array<Elements, 3> elements;
  std::array<const void*, 3> memory{};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    memory[i] = elements[i].of(inputs[i], shape);
    if (memory[i] == nullptr) return {};
  }
  const Array result = array_to_fill(dtype, shape, device);
  if (!result.has_value()) return {};
  loop(memory.data(), pointer_of(result), result.size());
  count(Counter::launches);
  return result;
}

// Strides and the shape as copy_strided() takes them; of dimensions before `d` nothing is rolled.
void copy_rolled(char* target, const Dims& to, const char* source, const Dims& from, Dims shape,
                 const Dims& shifts, std::size_t item, std::size_t d = 0) {
  while (d < shifts.size() && shifts[d] == 0) ++d;
  if (d == shifts.size()) return copy_strided(target, to, source, from, shape, item);
  const std::int64_t first = shape[d] - shifts[d];
  shape[d] = shifts[d];
  copy_rolled(target, to, source + first * from[d], from, shape, shifts, item, d + 1);
  shape[d] = first;
  copy_rolled(target + shifts[d] * to[d], to, source, from, shape, shifts, item, d + 1);
}

Array copied(const Array& a, const Dims& shifts) {
  HostAccess access;
  if (!is_little(a) || !access.may_read(a)) return {};
  const DType dtype = a.dtype();
  const Array result = array_to_fill(dtype, a.shape(), a.device());
  if (!result.has_value()) return {};
  copy_rolled(static_cast<char*>(pointer_of(result)), byte_strides(strides_of(result), dtype),
              static_cast<const char*>(pointer_of(a)), byte_strides(strides_of(a), dtype),
              a.shape(), shifts, item_size(dtype));
  return result;
}

// What a function of rows reads, and what it makes of them.
struct RowFunction {
  HostReduction run = nullptr;
  UfuncId ufunc{};
  DType elements{}, found{};
};

// Where what is found goes, and the array of another dtype that is made of it.
class FoundResults {
 public:
  FoundResults(DType found, DType dtype, const Dims& shape, const Device& device)
      : item_(static_cast<std::int64_t>(item_size(found))) {
    if (found != dtype) {
      cast_ = driver(device).host_cast(found, dtype);
      if (cast_ == nullptr) return;
      uncast_ = memory(element_count(shape), found);
    }
    result_ = array_to_fill(dtype, shape, device);
  }
  // False: there is no memory for them, or no loop that casts them.
  bool has_place() const { return result_.has_value(); }
  char* element(std::int64_t i) const {
    return (uncast_ ? uncast_.get() : static_cast<char*>(pointer_of(result_))) + i * item_;
  }
  Array finish() {
    const void* const found = uncast_.get();
    if (cast_ != nullptr) cast_(&found, pointer_of(result_), result_.size());
    count(Counter::launches);
    return std::move(result_);
  }

 private:
  std::int64_t item_;
  HostLoop cast_ = nullptr;
  Memory uncast_;
  Array result_;
};

Array reduce(const RowFunction& how, const Array& a, const Dims& axes, DType dtype,
             const Dims& shape) {
  if (how.run == nullptr || !is_now(a.shape(), a.device())) return {};
  HostAccess access;
  if (!is_little(a) || !lies_in_order(a) || !access.may_read(a)) return {};
  Elements elements;
  const auto* values = static_cast<const char*>(elements.of(a, axes, how.elements));
  if (values == nullptr) return {};
  FoundResults results(how.found, dtype, shape, a.device());
  if (!results.has_place()) return {};
  const std::int64_t count = element_count(shape), length = a.size() / count;
  const auto bytes = length * static_cast<std::int64_t>(item_size(how.elements));
  for (std::int64_t i = 0; i < count; ++i) {
    how.run(how.ufunc, how.elements, values + i * bytes, length, results.element(i));
  }
  return results.finish();
}

// A result for each element of each row, along the last dimension.
Array of_rows(const RowFunction& how, const Array& a, DType dtype) {
  if (how.run == nullptr || !is_now(a.shape(), a.device())) return {};
  HostAccess access;
  if (!is_little(a) || !access.may_read(a)) return {};
  const Input input{{.array = &a}, how.elements};
  Elements elements;
  const auto* const values = has_row_major_result(a.shape(), {&input, 1})
                                 ? static_cast<const char*>(elements.of(input, a.shape()))
                                 : nullptr;
  if (values == nullptr) return {};
  FoundResults results(how.found, dtype, a.shape(), a.device());
  if (!results.has_place()) return {};
  const std::int64_t length = a.shape().back();
  const auto item = static_cast<std::int64_t>(item_size(how.elements));
  for (std::int64_t at = 0; at < a.size(); at += length) {
    how.run(how.ufunc, how.elements, values + at * item, length, results.element(at));
  }
  return results.finish();
}

}  // namespace

Array reduce_at_call(UfuncId combine, const Array& a, const Dims& axes, DType accumulator,
                     DType dtype, const Dims& shape) {
  const HostReduction found = driver(a.device()).host_reduction(combine, accumulator);
  return reduce({found, combine, accumulator, accumulator}, a, axes, dtype, shape);
}

Array arg_reduce_at_call(UfuncId combine, const Array& a, const Dims& axes, const Dims& shape) {
  const HostReduction found = driver(a.device()).host_arg_reduction(combine, a.dtype());
  return reduce({found, combine, a.dtype(), DType::int64}, a, axes, DType::int64, shape);
}

Array scan_at_call(UfuncId combine, const Array& a, DType accumulator, DType dtype) {
  const HostReduction scan = driver(a.device()).host_scan(combine, accumulator);
  return of_rows({scan, combine, accumulator, accumulator}, a, dtype);
}

Array sort_at_call(const Array& a) {
  const DType dtype = a.dtype();
  return of_rows({driver(a.device()).host_sort(dtype), {}, dtype, dtype}, a, dtype);
}

Array argsort_at_call(const Array& a) {
  const HostReduction order = driver(a.device()).host_argsort(a.dtype());
  return of_rows({order, {}, a.dtype(), DType::int64}, a, DType::int64);
}

bool sort_in_place_at_call(const Array& a) {
  const HostReduction sort = driver(a.device()).host_sort(a.dtype());
  if (sort == nullptr || !is_now(a.shape(), a.device())) return false;
  HostAccess access;
  if (!is_little(a) || !is_c_contiguous(a) || !access.may_write(a)) return false;
  const std::int64_t length = a.shape().back();
  const auto bytes = length * static_cast<std::int64_t>(item_size(a.dtype()));
  auto* row = static_cast<char*>(pointer_of(a));
  for (std::int64_t at = 0; at < a.size(); at += length, row += bytes) {
    sort({}, a.dtype(), row, length, row);
  }
  count(Counter::launches);
  return true;
}

Array product_at_call(MatmulProblem problem, const Array& a, const Array& b, const Dims& shape) {
  if (!is_now(shape, a.device()) || !is_stored(a) || !is_stored(b)) return {};
  const HostProduct multiply = driver(a.device()).host_product(problem);
  HostAccess access;
  if (multiply == nullptr || !access.may_read(a) || !access.may_read(b)) return {};
  const Array result = array_to_fill(problem.dtype, shape, a.device());
  if (!result.has_value()) return {};
  problem.c = pointer_of(result);
  multiply(problem);
  count(Counter::launches);
  return result;
}

Array compute_at_call(UfuncId ufunc, const UfuncLoop& loop, const Array& a) {
  if (!is_now(a.shape(), a.device())) return {};
  const DType type = loop.input(0);
  const Input input{{.array = &a}, type};
  return compute(driver(a.device()).host_loop(ufunc, &type, {}), {&input, 1}, loop.output(0),
                 a.shape(), a.device());
}

Array compute_at_call(UfuncId ufunc, const UfuncLoop& loop, const Dims& shape, const Array& a,
                      const Array& b) {
  if (!is_now(shape, a.device())) return {};
  const std::array types{loop.input(0), loop.input(1)};
  std::array inputs{Input{{.array = &a}, types[0]}, Input{{.array = &b}, types[1]}};
  // Loops know an operand that is one number.
  std::optional<int> one;
  std::optional<Scalar> number;
  if (a.shape() != b.shape() && (a.size() == 1 || b.size() == 1)) {
    one = a.size() == 1 ? 0 : 1;
    Input& input = inputs[static_cast<std::size_t>(*one)];
    number = known_element(*input.from.array);
    if (!number) return {};
    number = number->cast(input.dtype);
    input = {{.number = number->data()}, input.dtype, true};
  }
  return compute(driver(a.device()).host_loop(ufunc, types.data(), one), inputs, loop.output(0),
                 shape, a.device());
}

Array compute_at_call(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Scalar& number,
                      bool is_first) {
  if (!is_now(a.shape(), a.device())) return {};
  const BesideNumber given(ufunc, loop, a, number, is_first);
  return compute(given.run, given.inputs, loop.output(0), a.shape(), a.device());
}

bool store_at_call(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Array& out) {
  const DType type = loop.input(0);
  const Input input{{.array = &a}, type};
  return store(driver(a.device()).host_loop(ufunc, &type, {}), {&input, 1}, out);
}

bool store_at_call(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Array& b,
                   const Array& out) {
  const std::array types{loop.input(0), loop.input(1)};
  const std::array inputs{Input{{.array = &a}, types[0]}, Input{{.array = &b}, types[1]}};
  return store(driver(a.device()).host_loop(ufunc, types.data(), {}), inputs, out);
}

bool store_at_call(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Scalar& number,
                   bool is_first, const Array& out) {
  const BesideNumber given(ufunc, loop, a, number, is_first);
  return store(given.run, given.inputs, out);
}

Array array_at_call(DType dtype, const Dims& shape, const Device& device) {
  return is_now(shape, device) ? array_to_fill(dtype, shape, device) : Array();
}

Array cast_at_call(const Array& a, DType dtype) {
  if (!is_now(a.shape(), a.device())) return {};
  if (a.dtype() == dtype) return copied(a, {});
  const Input input{{.array = &a}, a.dtype()};
  return compute(driver(a.device()).host_cast(a.dtype(), dtype), {&input, 1}, dtype, a.shape(),
                 a.device());
}

Array roll_at_call(const Array& a, const Dims& shifts) {
  return is_now(a.shape(), a.device()) ? copied(a, shifts) : Array();
}

Array select_at_call(const Array& condition, const Chosen& yes, const Chosen& no, DType dtype,
                     const Dims& shape) {
  const Device device = condition.device();
  if (!is_now(shape, device)) return {};
  const std::array inputs{Input{{.array = &condition}, DType::bool_}, Input{yes, dtype},
                          Input{no, dtype}};
  return compute(driver(device).host_select(item_size(dtype)), inputs, dtype, shape, device);
}

}  // namespace cupola
