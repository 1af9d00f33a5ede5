#include "exec/evaluation/claim.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_set>

#include "exec/evaluation/allocation.h"
#include "graph/fusion.h"
#include "graph/result_layout.h"
#include "memory/pressure/spill.h"

namespace cupola {

Claim::Claim(const std::vector<Array>& arrays) : arrays_(arrays) {
  if (arrays.size() == 1) {
    locks_.emplace_back(arrays.front().state().mutex);
    if (!is_stored(arrays.front())) pending_ = arrays;
    return;
  }
  std::sort(arrays_.begin(), arrays_.end(),
            [](const Array& a, const Array& b) { return std::less<>()(&a.state(), &b.state()); });
  arrays_.erase(std::unique(arrays_.begin(), arrays_.end(),
                            [](const Array& a, const Array& b) { return is_same(a, b); }),
                arrays_.end());
  for (const Array& array : arrays_) locks_.emplace_back(array.state().mutex);
  // Other threads may have computed some meanwhile. Equal programs give equal plans: the order
  // is not that of the addresses.
  std::unordered_set<const ArrayState*> seen;
  std::copy_if(arrays.begin(), arrays.end(), std::back_inserter(pending_), [&](const Array& array) {
    return !is_stored(array) && seen.insert(&array.state()).second;
  });
}

namespace {

// So that room for a result is not made by moving what it is computed from.
void note_operands(const Array& pending) {
  for (const Array& array : find_stored_below(pending)) note_use(*array.state().storage);
}

}  // namespace

Array allocate_for(const Array& pending) {
  if (may_spill()) [[unlikely]]
    note_operands(pending);
  const Device& device = pending.device();
  const std::vector<Array> operands =
      device.is_set() ? find_stored_below(pending) : std::vector<Array>();
  return allocate_placed(pending.dtype(), pending.shape(), device, layout_for(pending), operands);
}

std::vector<Write> writes_for(const std::vector<Array>& pending) {
  std::vector<Write> writes;
  for (const Array& array : pending) {
    writes.push_back({.value = array, .target = allocate_for(array)});
  }
  return writes;
}

}  // namespace cupola
