#pragma once
// Indexing with NumPy's rules, basic and advanced, mixed as well. IndexError for what is out of
// bounds.

#include <optional>
#include <span>
#include <vector>

#include "cupola/index_terms.h"
#include "cupola/ops/elementwise.h"

namespace cupola {

// A view for basic indices, a copy for advanced ones.
Array get_index(const Array& a, const Index& index);
// a[index] = value: `value` broadcasts and is cast as by astype.
void set_index(const Array& a, const Index& index, const Operand& value);

// mode: "raise", "wrap" or "clip". axis absent: of the flattened array.
enum class IndexMode : std::uint8_t { raise, wrap, clip };
Array take(const Array& a, const Array& indices, std::optional<std::int64_t> axis = {},
           IndexMode mode = IndexMode::raise, const Array& out = {});
void put(const Array& a, const Array& indices, const Operand& values,
         IndexMode mode = IndexMode::raise);
Array take_along_axis(const Array& a, const Array& indices, std::optional<std::int64_t> axis);
void put_along_axis(const Array& a, const Array& indices, const Operand& values,
                    std::optional<std::int64_t> axis);
// numpy.choose, numpy.select.
Array choose(const Array& selector, std::span<const Array> choices,
             IndexMode mode = IndexMode::raise, const Array& out = {});
Array select(std::span<const Array> conditions, std::span<const Operand> choices,
             const Operand& otherwise);
// One int64 array per dimension, in row-major order.
std::vector<Array> nonzero(const Array& a);
// How often each integer from 0 to length - 1 occurs among `numbers` (int64; others do not count).
Array bincount(const Array& numbers, std::int64_t length);
// On CPUs: for each 2^part_log elements, in their order, a row of `length` sums (float64): those of
// the weights of each number; others do not count. The last row may be of fewer elements.
Array sums_of_parts(const Array& numbers, const Array& weights, std::int64_t length, int part_log);
// Elements of `a` where the flattened condition holds, as numpy.compress / extract need.
Array flat_nonzero(const Array& a);

}  // namespace cupola
