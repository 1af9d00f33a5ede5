#include "driver/set/set_division.h"

#include <algorithm>
#include <utility>

#include "base/mutant.h"
#include "core/layout.h"

namespace cupola {

namespace {

// Operands of a smaller part of the largest one's bytes are near enough wherever they lie.
constexpr std::int64_t kSmallShare = 8;

// Addresses that elements have, each once, in bytes.
std::int64_t distinct_bytes(const Dims& extents, const OperandSpan& span) {
  std::int64_t bytes = span.item;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (span.operand->strides[i] != 0) bytes *= extents[i];
  }
  return bytes;
}

bool rises(const Dims& extents, const Dims& strides) {
  std::int64_t inner = 0;  // elements between the first and the last of the inner dimensions
  for (std::size_t i = extents.size(); i-- > 0;) {
    if (extents[i] == 1) continue;
    if (strides[i] < 0 || (strides[i] <= inner && (strides[i] != 0 || inner != 0))) return false;
    inner += strides[i] * (extents[i] - 1);
  }
  return true;
}

}  // namespace

std::vector<OperandSpan> operands_in_order(const KernelPlan& plan,
                                           const LaunchArguments& arguments) {
  std::vector<std::pair<std::int64_t, OperandSpan>> found;
  const auto add = [&](const OperandArgument& operand, DType dtype, bool is_output) {
    if (operand.pointer == nullptr || operand.strides.size() != arguments.extents.size()) return;
    const OperandSpan span{&operand, static_cast<std::int64_t>(item_size(dtype)), is_output};
    const std::int64_t bytes = distinct_bytes(arguments.extents, span);
    found.emplace_back(is_output ? 2 * bytes : bytes, span);
  };
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    add(arguments.outputs[i], plan.outputs[i].operand.dtype, true);
  }
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    add(arguments.inputs[i], plan.inputs[i].dtype, false);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<OperandSpan> result;
  for (const auto& [bytes, span] : found) {
    if (bytes >= found.front().first / kSmallShare) result.push_back(span);
  }
  return result;
}

std::optional<std::int64_t> bytes_along(const Dims& extents, const OperandSpan& span) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (span.operand->strides[i] < 0) return std::nullopt;
    last += span.operand->strides[i] * (extents[i] - 1);
  }
  return (last + 1) * span.item;
}

std::optional<std::int64_t> elements_below(const Dims& extents, const OperandSpan& span,
                                           std::int64_t offset) {
  const Dims& strides = span.operand->strides;
  if (!rises(extents, strides)) return std::nullopt;
  std::int64_t left = std::max<std::int64_t>(offset + span.item - 1, 0) / span.item;  // rounded up
  std::int64_t below = 0;
  std::int64_t inner = element_count(extents);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    inner /= extents[i];
    if (extents[i] == 1 || strides[i] == 0) continue;
    const std::int64_t whole = left / strides[i];
    if (whole >= extents[i]) return below + extents[i] * inner;
    below += whole * inner;
    left -= whole * strides[i];
  }
  // The element that remains, with those that share its address.
  std::int64_t shared = 1;
  for (std::size_t i = extents.size(); i-- > 0 && (strides[i] == 0 || extents[i] == 1);) {
    shared *= extents[i];
  }
  return left > 0 ? below + shared : below;
}

std::vector<MemberWork> divide(const Dims& extents, const OperandSpan& guide,
                               std::span<const HeldStretch> stretches) {
  const std::int64_t elements = element_count(extents);
  const std::int64_t bytes = stretches.back().end;
  std::vector<MemberWork> work;
  std::int64_t first = 0;
  for (const HeldStretch& stretch : stretches) {
    const auto below =
        elements_below(extents, guide, CUPOLA_MUTANT(cut_by_share) ? 0 : stretch.end);
    std::int64_t end = below.value_or(
        static_cast<std::int64_t>(static_cast<double>(elements) *
                                  (static_cast<double>(stretch.end) / static_cast<double>(bytes))));
    if (&stretch == &stretches.back()) end = elements;
    end = std::clamp(end, first, elements);
    if (end == first) continue;
    if (!work.empty() && work.back().member == stretch.member) {
      work.back().part.end = end;
    } else {
      work.push_back({stretch.member, {first, end}});
    }
    first = end;
  }
  return work;
}

}  // namespace cupola
