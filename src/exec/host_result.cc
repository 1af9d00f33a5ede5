#include "exec/host_result.h"

#include <array>
#include <optional>
#include <span>

#include "base/counters.h"
#include "core/array_state.h"
#include "core/layout.h"
#include "cupola/evaluation.h"
#include "driver/registry.h"
#include "exec/allocation.h"
#include "exec/host_access.h"
#include "exec/host_copy.h"
#include "exec/launch_log.h"
#include "exec/result_layout.h"

namespace cupola {

namespace {

// More are sooner computed together with what follows.
constexpr std::int64_t kMostAtCall = 1024;

bool may_compute(const Array& a) { return is_stored(a) && a.size() > 0 && a.size() <= kMostAtCall; }

// Whether results of that shape beside `a` are computed now.
bool is_now(const Array& a, const Dims& shape) {
  return deferral() == Deferral::of_many && may_compute(a) && !a.device().is_set() &&
         element_count(shape) <= kMostAtCall && host_shares_memory(a.device()) &&
         !is_work_watched() && !is_logging_launches();
}

// Whether its elements lie as those of a row-major array of that shape.
bool lies_so(const Array& a, const Dims& shape) { return a.shape() == shape && is_c_contiguous(a); }

bool has_row_major_result(const Array& a) {
  return is_c_contiguous(a) || like_strides(a.shape(), {&a, 1}) == c_strides(a.shape());
}

bool has_row_major_result(const Dims& shape, const Array& a, const Array& b) {
  if (lies_so(a, shape) && lies_so(b, shape)) return true;
  const std::array operands{a, b};
  return like_strides(shape, operands) == c_strides(shape);
}

// The elements of an operand, broadcast to a shape and in row-major order.
class Elements {
 public:
  const void* of(const Chosen& chosen, DType dtype, const Dims& shape) {
    if (chosen.array != nullptr) return of(*chosen.array, shape);
    const Dims none = broadcast_strides({}, {}, shape);
    copy_strided(memory_, byte_strides(c_strides(shape), dtype),
                 static_cast<const char*>(chosen.number), none, shape, item_size(dtype));
    return memory_;
  }
  const void* of(const Array& a, const Dims& shape) {
    if (lies_so(a, shape)) return pointer_of(a);
    const Dims strides = broadcast_strides(a.shape(), strides_of(a), shape);
    copy_strided(memory_, byte_strides(c_strides(shape), a.dtype()),
                 static_cast<const char*>(pointer_of(a)), byte_strides(strides, a.dtype()), shape,
                 item_size(a.dtype()));
    return memory_;
  }

 private:
  static constexpr std::int64_t kLargestItem = 16;
  alignas(64) char memory_[kMostAtCall * kLargestItem];
};

Array result_of(HostLoop loop, std::span<const void* const> inputs, DType dtype, const Dims& shape,
                const Device& device) {
  Array result = find_array(dtype, shape, device);
  if (!result.has_value() || !may_fill(*result.state().storage)) return {};
  loop(inputs.data(), pointer_of(result), result.size());
  count(Counter::launches);
  return result;
}

Array result_of_one(HostLoop loop, const Array& a, DType dtype) {
  HostAccess access;
  if (loop == nullptr || !access.may_read(a)) return {};
  Elements elements;
  const std::array inputs{elements.of(a, a.shape())};
  return result_of(loop, inputs, dtype, a.shape(), a.device());
}

}  // namespace

Array compute_at_call(UfuncId ufunc, DType result, const Array& a) {
  if (!is_now(a, a.shape()) || !has_row_major_result(a)) return {};
  const DType type = a.dtype();
  return result_of_one(driver(a.device()).host_loop(ufunc, &type, {}), a, result);
}

Array cast_at_call(const Array& a, DType dtype) {
  if (!is_now(a, a.shape())) return {};
  return result_of_one(driver(a.device()).host_cast(a.dtype(), dtype), a, dtype);
}

Array compute_at_call(UfuncId ufunc, DType result, const Dims& shape, const Array& a,
                      const Array& b) {
  if (!is_now(a, shape) || !may_compute(b)) return {};
  const std::array types{a.dtype(), b.dtype()};
  // Loops know an operand that is one number.
  std::optional<int> one;
  if (a.shape() != b.shape() && (a.size() == 1 || b.size() == 1)) one = a.size() == 1 ? 0 : 1;
  const HostLoop loop = driver(a.device()).host_loop(ufunc, types.data(), one);
  HostAccess access;
  if (loop == nullptr || !access.may_read(a) || !access.may_read(b) ||
      !has_row_major_result(shape, a, b)) {
    return {};
  }
  Elements first, second;
  const std::array inputs{one == 0 ? pointer_of(a) : first.of(a, shape),
                          one == 1 ? pointer_of(b) : second.of(b, shape)};
  return result_of(loop, inputs, result, shape, a.device());
}

Array compute_at_call(UfuncId ufunc, DType result, const Array& a, const Scalar& number,
                      bool is_first) {
  if (!is_now(a, a.shape())) return {};
  const std::array types{a.dtype(), a.dtype()};
  const HostLoop loop = driver(a.device()).host_loop(ufunc, types.data(), is_first ? 0 : 1);
  HostAccess access;
  if (loop == nullptr || !access.may_read(a) || !has_row_major_result(a)) return {};
  Elements elements;
  const void* const own = elements.of(a, a.shape());
  const void* const other = number.data();
  const std::array inputs{is_first ? other : own, is_first ? own : other};
  return result_of(loop, inputs, result, a.shape(), a.device());
}

Array select_at_call(const Array& condition, const Chosen& yes, const Chosen& no, DType dtype,
                     const Dims& shape) {
  if (!is_now(condition, shape)) return {};
  const HostLoop loop = driver(condition.device()).host_select(item_size(dtype));
  HostAccess access;
  if (loop == nullptr || !access.may_read(condition)) return {};
  for (const Array* const array : {yes.array, no.array}) {
    if (array != nullptr && (!may_compute(*array) || !access.may_read(*array))) return {};
  }
  Elements of_condition, of_yes, of_no;
  const std::array inputs{of_condition.of(condition, shape), of_yes.of(yes, dtype, shape),
                          of_no.of(no, dtype, shape)};
  return result_of(loop, inputs, dtype, shape, condition.device());
}

}  // namespace cupola
