#include "platforms/cpu/simt/warp.h"

#include <bit>

namespace cupola::cpu {
namespace {

using cupola_simt::WarpOp;
using Lane = WarpState::Lane;
using Values = std::array<unsigned long long, cupola_simt::kWarp>;

template <typename Function>
void for_each_lane(std::uint32_t lanes, const Function& function) {
  for (; lanes != 0; lanes &= lanes - 1) {
    function(static_cast<std::size_t>(std::countr_zero(lanes)));
  }
}

template <typename T, typename Function>
unsigned long long folded(std::uint32_t lanes, const Values& values, const Function& function) {
  auto result = static_cast<T>(values[static_cast<std::size_t>(std::countr_zero(lanes))]);
  for_each_lane(lanes & (lanes - 1),
                [&](std::size_t i) { result = function(result, static_cast<T>(values[i])); });
  return static_cast<unsigned long long>(result);
}

// What is the same for all lanes.
unsigned long long common_result(WarpOp op, std::uint32_t lanes, const Values& values) {
  using Signed = long long;
  using Unsigned = unsigned long long;
  const auto least = [](auto a, auto b) { return b < a ? b : a; };
  const auto greatest = [](auto a, auto b) { return a < b ? b : a; };
  switch (op) {
    case WarpOp::sync:
    case WarpOp::shuffle:
    case WarpOp::match:
    case WarpOp::active:
      break;
    case WarpOp::ballot: {
      std::uint32_t votes = 0;
      for_each_lane(lanes, [&](std::size_t i) { votes |= std::uint32_t{values[i] != 0} << i; });
      return votes;
    }
    case WarpOp::sum:
      return folded<Unsigned>(lanes, values, [](Unsigned a, Unsigned b) { return a + b; });
    case WarpOp::least:
      return folded<Signed>(lanes, values, least);
    case WarpOp::greatest:
      return folded<Signed>(lanes, values, greatest);
    case WarpOp::least_unsigned:
      return folded<Unsigned>(lanes, values, least);
    case WarpOp::greatest_unsigned:
      return folded<Unsigned>(lanes, values, greatest);
    case WarpOp::bits_and:
      return folded<Unsigned>(lanes, values, [](Unsigned a, Unsigned b) { return a & b; });
    case WarpOp::bits_or:
      return folded<Unsigned>(lanes, values, [](Unsigned a, Unsigned b) { return a | b; });
    case WarpOp::bits_xor:
      return folded<Unsigned>(lanes, values, [](Unsigned a, Unsigned b) { return a ^ b; });
  }
  return 0;
}

std::uint32_t lanes_with(std::uint32_t lanes, const Values& values, unsigned long long value) {
  std::uint32_t same = 0;
  for_each_lane(lanes, [&](std::size_t i) { same |= std::uint32_t{values[i] == value} << i; });
  return same;
}

}  // namespace

std::uint32_t WarpState::complete(unsigned int lane) {
  const Lane& own = lanes[lane];
  const std::uint32_t group = own.mask & alive;
  if (own.op == WarpOp::active || (group & ~arrived) != 0) return 0;
  Values values;
  bool is_whole = true;
  for_each_lane(group, [&](std::size_t i) {
    values[i] = lanes[i].value;
    is_whole = is_whole && lanes[i].op == own.op && lanes[i].mask == own.mask;
  });
  if (!is_whole) return 0;
  const unsigned long long common = common_result(own.op, group, values);
  for_each_lane(group, [&](std::size_t i) {
    Lane& each = lanes[i];
    if (each.op == WarpOp::shuffle) {
      // Of a lane that does not take part nothing is defined.
      each.value = group >> each.source & 1 ? values[each.source] : values[i];
    } else {
      each.value = each.op == WarpOp::match ? lanes_with(group, values, values[i]) : common;
    }
  });
  arrived &= ~group;
  if (own.op == WarpOp::sync) ++epoch;
  return group;
}

std::uint32_t WarpState::complete_active() {
  std::uint32_t group = 0;
  const void* place = nullptr;
  for_each_lane(arrived, [&](std::size_t i) {
    if (lanes[i].op != WarpOp::active || (group != 0 && lanes[i].place != place)) return;
    place = lanes[i].place;
    group |= std::uint32_t{1} << i;
  });
  for_each_lane(group, [&](std::size_t i) { lanes[i].value = group; });
  arrived &= ~group;
  return group;
}

}  // namespace cupola::cpu
