// What masks select: the running counts of tiles of the mask say where their elements go.

#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "cupola/ops/manip.h"
#include "exec/evaluation/evaluator.h"
#include "exec/host/host_access.h"
#include "ops/few_elements.h"
#include "ops/indexing/index_host.h"
#include "ops/indexing/index_plan.h"
#include "ops/indexing/known_range.h"
#include "ops/support.h"

namespace cupola {

namespace {

Array last_element(const Array& line) {
  return make_view(line, {},
                   {{}, line.state().layout.offset + (line.size() - 1) * strides_of(line)[0]});
}

// More bytes than these for each element are worth storing the mask.
constexpr std::int64_t kReadAgain = 2;

// Bytes for each element that computing the mask reads besides `values`; many where it is more than
// a few comparisons of stored arrays.
std::int64_t bytes_read_again(const Array& mask, const Array& values, int depth = 4) {
  constexpr std::int64_t kMany = 1 << 20;
  const NodePointer node = node_of(mask);
  if (!node) {
    const bool is_read_anyway =
        is_stored(values) && mask.dtype() == values.dtype() && is_same_view(mask, values);
    return is_read_anyway ? 0 : mask.size() > 1 ? mask.item_size() : 0;
  }
  if (node->kind == NodeKind::scalar) return 0;
  const bool compares = node->kind == NodeKind::cast ||
                        (node->kind == NodeKind::ufunc && mask.dtype() == DType::bool_);
  if (!compares || depth == 0) return kMany;
  std::int64_t bytes = 0;
  for (const Array& input : node->inputs) bytes += bytes_read_again(input, values, depth - 1);
  return bytes;
}

}  // namespace

MaskCount count_mask(const Array& mask) {
  if (mask.size() == 0) return {{}, 0};
  const Array counts = allocate_array(DType::int64, {mask_tiles(mask.size())}, mask.device());
  const Write count{.value = mask, .target = counts, .store = StoreKind::count};
  write({&count, 1});
  if (counts.size() == 1) return {counts, read_int64(last_element(counts))};
  const Array ends = evaluate(make_scan(counts, 0, UfuncId::add, DType::int64, DType::int64));
  return {ends, read_int64(last_element(ends))};
}

Array compress(const Array& values, const Array& mask) {
  const bool is_little = values.size() <= kMaxOnHost && host_shares_memory(values.device());
  if (is_little || bytes_read_again(mask, values) > kReadAgain) evaluate(mask);
  if (is_little) {
    if (Array selected = compress_on_host(values, mask); selected.has_value()) return selected;
  }
  const MaskCount counted = count_mask(mask);
  const Array target = allocate_array(values.dtype(), {counted.count}, values.device());
  if (counted.count == 0) return target;
  const Write selected{.value = values,
                       .target = target,
                       .store = StoreKind::compress,
                       .offset = counted.ends,
                       .predicate = mask};
  write({&selected, 1});
  return target;
}

Array flat_nonzero(const Array& a) {
  const std::vector<Array> now = nonzero_on_host(a, {a.size()});
  if (!now.empty()) {
    note_range(now.front(), 0, a.size() - 1);
    return now.front();
  }
  const Array mask = make_cast(a, DType::bool_);
  const Array numbers = compress(make_index(mask.shape(), mask.device()), mask);
  note_range(numbers, 0, mask.size() - 1);
  return numbers;
}

std::vector<Array> nonzero(const Array& a) {
  if (a.rank() == 0) {
    throw ValueError(
        "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() "
        "instead.");
  }
  if (a.rank() == 1) return {flat_nonzero(a)};
  const auto note_ranges = [&a](std::vector<Array> indices) {
    for (std::size_t d = 0; d < indices.size(); ++d) note_range(indices[d], 0, a.shape()[d] - 1);
    return indices;
  };
  std::vector<Array> now = nonzero_on_host(a, a.shape());
  if (!now.empty()) return note_ranges(std::move(now));
  const Array numbers = flat_nonzero(a);
  std::vector<Array> result(a.shape().size());
  Array rest = numbers;
  for (std::size_t d = a.shape().size(); d-- > 0;) {
    // Without elements the extents may be 0; any divisor will do.
    const Array extent = make_int64(std::max<std::int64_t>(a.shape()[d], 1), a.device());
    result[d] = d == 0 ? make_ufunc(UfuncId::positive, {rest})
                       : make_ufunc(UfuncId::remainder, {rest, extent});
    rest = make_ufunc(UfuncId::floor_divide, {rest, extent});
  }
  evaluate(result);
  return note_ranges(std::move(result));
}

}  // namespace cupola
