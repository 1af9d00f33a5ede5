#include "exec/host_result.h"

#include <array>

#include "base/counters.h"
#include "core/array_state.h"
#include "cupola/evaluation.h"
#include "driver/registry.h"
#include "exec/allocation.h"
#include "exec/host_access.h"
#include "exec/launch_log.h"

namespace cupola {

namespace {

// More are sooner computed together with what follows.
constexpr std::int64_t kMostAtCall = 1024;

bool may_compute(const Array& a) {
  return deferral() == Deferral::of_many && is_stored(a) && a.size() > 0 &&
         a.size() <= kMostAtCall && !a.device().is_set() && host_shares_memory(a.device()) &&
         !is_work_watched() && !is_logging_launches();
}

Array result_of(HostLoop loop, const std::array<const void*, 2>& inputs, DType dtype,
                const Array& like) {
  Array result = find_array(dtype, like.shape(), like.device());
  if (!result.has_value() || !may_fill(*result.state().storage)) return {};
  loop(inputs.data(), pointer_of(result), like.size());
  count(Counter::launches);
  return result;
}

}  // namespace

Array compute_at_call(UfuncId ufunc, DType result, const Array& a) {
  if (!may_compute(a)) return {};
  const DType type = a.dtype();
  const HostLoop loop = driver(a.device()).host_loop(ufunc, &type, {});
  HostAccess access;
  if (loop == nullptr || !access.may_read(a)) return {};
  return result_of(loop, {pointer_of(a), nullptr}, result, a);
}

Array compute_at_call(UfuncId ufunc, DType result, const Array& a, const Array& b) {
  if (!may_compute(a) || !is_stored(b)) return {};
  const std::array types{a.dtype(), a.dtype()};
  const HostLoop loop = driver(a.device()).host_loop(ufunc, types.data(), {});
  HostAccess access;
  if (loop == nullptr || !access.may_read(a) || !access.may_read(b)) return {};
  return result_of(loop, {pointer_of(a), pointer_of(b)}, result, a);
}

Array compute_at_call(UfuncId ufunc, DType result, const Array& a, const Scalar& number,
                      bool is_first) {
  if (!may_compute(a)) return {};
  const std::array types{a.dtype(), a.dtype()};
  const HostLoop loop = driver(a.device()).host_loop(ufunc, types.data(), is_first ? 0 : 1);
  HostAccess access;
  if (loop == nullptr || !access.may_read(a)) return {};
  const void* const own = pointer_of(a);
  const void* const other = number.data();
  return is_first ? result_of(loop, {other, own}, result, a)
                  : result_of(loop, {own, other}, result, a);
}

}  // namespace cupola
