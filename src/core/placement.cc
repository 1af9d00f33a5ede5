#include "core/placement.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/mutant.h"
#include "base/text/text.h"
#include "cupola/error.h"

namespace cupola {

namespace {

using Granules = std::vector<std::size_t>;

std::size_t sum_of(const Granules& values) {
  return std::accumulate(values.begin(), values.end(), std::size_t{0});
}

std::string account(const PlacementRequest& request, std::span<const std::string> names) {
  std::string text;
  if (CUPOLA_MUTANT(no_account)) return text;
  for (std::size_t i = 0; i < request.free.size(); ++i) {
    text += fmt::format("{}{} has {} free", i == 0 ? "" : ", ", names[i], request.free[i]);
  }
  return text;
}

[[noreturn]] void throw_too_large(const PlacementRequest& request,
                                  std::span<const std::string> names, const std::string& what) {
  throw OutOfMemoryError(fmt::format("{} bytes {}: {} (in pieces of {} bytes)", request.bytes, what,
                                     account(request, names), request.granularity));
}

std::vector<double> check_weights(const std::vector<double>& weights, std::size_t members) {
  if (weights.size() != members) {
    throw ValueError(fmt::format("{} weights for {} devices: there must be one for each",
                                 weights.size(), members));
  }
  for (const double weight : weights) {
    if (!std::isfinite(weight) || weight < 0) {
      throw ValueError(
          fmt::format("weights must be finite and not negative, got [{}]", joined(weights, ", ")));
    }
  }
  if (std::ranges::all_of(weights, [](double weight) { return weight == 0; })) {
    throw ValueError("the weights are all 0: at least one device must take something");
  }
  return weights;
}

// Work on a divided array takes as long as its largest part, so parts differ only where memory
// makes them: members that have less than the most free by no more than 1/kAlike of it count as
// equal.
constexpr std::size_t kAlike = 8;

std::vector<double> free_weights(const std::vector<std::size_t>& free) {
  const std::size_t most = *std::ranges::max_element(free);
  std::vector<double> weights;
  for (const std::size_t bytes : free) {
    weights.push_back(static_cast<double>(most - bytes <= most / kAlike ? most : bytes));
  }
  return weights;
}

std::vector<double> weights_of(const PlacementRequest& request) {
  const std::size_t members = request.free.size();
  switch (request.rule.kind) {
    case PlacementRule::Kind::even:
      return std::vector<double>(members, 1.0);
    case PlacementRule::Kind::weights:
      return check_weights(request.rule.weights, members);
    default:
      if (CUPOLA_MUTANT(ignore_free_memory)) return std::vector<double>(members, 1.0);
      return free_weights(request.free);
  }
}

std::vector<double> normalised(std::vector<double> weights) {
  // The largest first, so that sums of large weights stay finite.
  const double largest = *std::max_element(weights.begin(), weights.end());
  double sum = 0;
  for (double& weight : weights) sum += weight = largest > 0 ? weight / largest : 1;
  for (double& weight : weights) weight /= sum;
  return weights;
}

// `total` by the weights of the members that are not fixed, the cuts rounded.
void divide(std::size_t total, const std::vector<double>& weights, const std::vector<bool>& fixed,
            Granules& parts) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += fixed[i] ? 0 : weights[i];
  double running = 0;
  std::size_t before = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (fixed[i] || weights[i] == 0) continue;
    running += weights[i];
    const double cut = std::floor(static_cast<double>(total) * (running / sum) + 0.5);
    const std::size_t end = std::clamp(static_cast<std::size_t>(cut), before, total);
    parts[i] = end - before;
    before = end;
  }
  // The last of them ends where the whole does, whatever was lost in rounding.
  for (std::size_t i = weights.size(); i-- > 0 && before < total;) {
    if (fixed[i] || weights[i] == 0) continue;
    parts[i] += total - before;
    before = total;
  }
}

// Nobody gets more than there is room for; `room` has enough for all.
Granules fill(std::size_t total, const std::vector<double>& weights, const Granules& room) {
  Granules parts(weights.size(), 0);
  std::vector<bool> fixed(weights.size(), false);
  for (;;) {
    std::size_t left = total;
    for (std::size_t i = 0; i < parts.size(); ++i) left -= fixed[i] ? parts[i] : 0;
    divide(left, weights, fixed, parts);
    bool fits = true;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (fixed[i] || parts[i] <= room[i]) continue;
      parts[i] = room[i];
      fixed[i] = true;
      fits = false;
    }
    if (fits) return parts;
  }
}

Granules cut_parts(const PlacementRequest& request, std::size_t total,
                   std::span<const std::string> names) {
  const std::vector<std::size_t>& cuts = request.rule.cuts;
  if (cuts.size() + 1 != request.free.size()) {
    throw ValueError(
        fmt::format("{} cut points for {} devices: there must be one less than devices",
                    cuts.size(), request.free.size()));
  }
  Granules parts;
  std::size_t before = 0;
  for (const std::size_t cut : cuts) {
    if (cut > request.bytes || (!parts.empty() && cut < cuts[parts.size() - 1])) {
      throw ValueError(
          fmt::format("cut points must rise from 0 to the {} bytes there are, got [{}]",
                      request.bytes, joined(cuts, ", ")));
    }
    const std::size_t rest = cut % request.granularity;
    const std::size_t up = rest != 0 && rest >= request.granularity - rest ? 1 : 0;
    const std::size_t end = CUPOLA_MUTANT(ignore_cuts)
                                ? total
                                : std::clamp(cut / request.granularity + up, before, total);
    parts.push_back(end - before);
    before = end;
  }
  parts.push_back(total - before);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] > request.free[i] / request.granularity) {
      throw_too_large(request, names,
                      fmt::format("with these cut points need {} on {}",
                                  parts[i] * request.granularity, names[i]));
    }
  }
  return parts;
}

// The member that takes all of a small allocation; none has room for it: past the last.
std::size_t member_for_small(std::size_t total, const std::vector<double>& weights,
                             const Granules& room) {
  std::size_t best = room.size();
  for (std::size_t i = 0; i < room.size(); ++i) {
    if (weights[i] == 0 || room[i] < total) continue;
    if (i == 0) return 0;
    if (best == room.size() || room[i] > room[best]) best = i;
  }
  return best;
}

Granules weighted_parts(const PlacementRequest& request, std::size_t total,
                        const std::vector<double>& weights, std::span<const std::string> names) {
  Granules room;
  for (std::size_t i = 0; i < request.free.size(); ++i) {
    room.push_back(weights[i] == 0 ? 0 : request.free[i] / request.granularity);
  }
  if (request.bytes < request.rule.threshold) {
    const std::size_t chosen = member_for_small(total, weights, room);
    if (chosen < room.size()) {
      Granules parts(room.size(), 0);
      parts[chosen] = total;
      return parts;
    }
  }
  if (sum_of(room) < total) {
    throw_too_large(request, names, "are more than all devices of the set together have");
  }
  return fill(total, weights, room);
}

double deviation_of(const Placement& placement, std::size_t whole) {
  double result = 0;
  for (std::size_t i = 0; i < placement.bytes.size(); ++i) {
    const double wished = placement.wished[i] * static_cast<double>(whole);
    result = std::max(result, std::abs(static_cast<double>(placement.bytes[i]) - wished));
  }
  return result;
}

}  // namespace

Placement place(const PlacementRequest& request, std::span<const std::string> names) {
  const std::size_t total =
      request.bytes / request.granularity + (request.bytes % request.granularity != 0 ? 1 : 0);
  Placement result;
  if (request.rule.kind == PlacementRule::Kind::cuts) {
    result.bytes = cut_parts(request, total, names);
    std::size_t before = 0;
    for (std::size_t i = 0; i < result.bytes.size(); ++i) {
      const std::size_t end = i < request.rule.cuts.size() ? request.rule.cuts[i] : request.bytes;
      result.wished.push_back(static_cast<double>(end - before) /
                              static_cast<double>(request.bytes));
      before = end;
    }
  } else {
    result.wished = normalised(weights_of(request));
    result.bytes = weighted_parts(request, total, result.wished, names);
  }
  for (std::size_t& part : result.bytes) part *= request.granularity;
  result.deviation = deviation_of(result, total * request.granularity);
  return result;
}

}  // namespace cupola
