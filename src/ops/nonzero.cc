// Masks to positions: a running count says where each true element goes.

#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "cupola/ops/manip.h"
#include "exec/evaluator.h"
#include "ops/index_plan.h"
#include "ops/support.h"

namespace cupola {

namespace {

Array constant(std::int64_t value, const Device& device) {
  return make_constant(value, DType::int64, device);
}

Array last_element(const Array& line) {
  return make_view(line, {},
                   {{}, line.state().layout.offset + (line.size() - 1) * strides_of(line)[0]});
}

}  // namespace

MaskCount count_mask(const Array& mask) {
  const Array line = ravel(mask);
  if (line.size() == 0) {
    return {make_scalar(Scalar(std::int64_t{0}), mask.shape(), mask.device()), 0};
  }
  const Array running = evaluate(make_scan(line, 0, UfuncId::add, DType::int64, DType::int64));
  const std::int64_t count = read_int64(last_element(running));
  return {reshape(running, mask.shape()), count};
}

Array compress(const Array& values, const Array& mask) {
  const MaskCount counted = count_mask(mask);
  const Array target = allocate_array(values.dtype(), {counted.count}, values.device());
  if (counted.count == 0) return target;
  const Array place = make_ufunc(UfuncId::subtract, {counted.running, constant(1, mask.device())});
  const Write scatter{.value = values,
                      .target = target,
                      .store = StoreKind::scatter,
                      .offset = place,
                      .predicate = mask};
  write({&scatter, 1});
  return target;
}

Array flat_nonzero(const Array& a) {
  const Array mask = evaluate(make_cast(a, DType::bool_));
  return compress(make_index(mask.shape(), mask.device()), mask);
}

std::vector<Array> nonzero(const Array& a) {
  if (a.rank() == 0) {
    throw ValueError(
        "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() "
        "instead.");
  }
  const Array numbers = flat_nonzero(a);
  if (a.rank() == 1) return {numbers};
  std::vector<Array> result(a.shape().size());
  Array rest = numbers;
  for (std::size_t d = a.shape().size(); d-- > 0;) {
    // Without elements the extents may be 0; any divisor will do.
    const Array extent = constant(std::max<std::int64_t>(a.shape()[d], 1), a.device());
    result[d] = d == 0 ? make_ufunc(UfuncId::positive, {rest})
                       : make_ufunc(UfuncId::remainder, {rest, extent});
    rest = make_ufunc(UfuncId::floor_divide, {rest, extent});
  }
  evaluate(result);
  return result;
}

}  // namespace cupola
