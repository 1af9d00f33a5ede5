#include "codegen/iteration.h"

#include <cstdlib>
#include <numeric>
#include <utility>

namespace cupola {

namespace {

void swap_dimensions(Iteration& it, std::size_t i, std::size_t j) {
  std::swap(it.extents[i], it.extents[j]);
  for (Dims& strides : it.strides) std::swap(strides[i], strides[j]);
  for (Dims& turns : it.turns) {
    if (!turns.empty()) std::swap(turns[i], turns[j]);
  }
}

void remove_dimension(Iteration& it, std::size_t i) {
  it.extents.erase(i);
  for (Dims& strides : it.strides) strides.erase(i);
  for (Dims& turns : it.turns) {
    if (!turns.empty()) turns.erase(i);
  }
}

std::int64_t turn_of(const Iteration& it, std::size_t operand, std::size_t i) {
  return operand < it.turns.size() && !it.turns[operand].empty() ? it.turns[operand][i] : 0;
}

// Negative: dimension i should stay outside j. The leading operand decides, the others break ties.
std::int64_t compare_dimensions(const Iteration& it, std::size_t leading, std::size_t i,
                                std::size_t j) {
  const auto difference = [&](const Dims& strides) -> std::int64_t {
    if (strides[i] == 0 || strides[j] == 0) return 0;
    return std::abs(strides[j]) - std::abs(strides[i]);
  };
  if (const std::int64_t first = difference(it.strides[leading])) return first;
  for (const Dims& strides : it.strides) {
    if (const std::int64_t next = difference(strides)) return next;
  }
  return 0;
}

void sort_dimensions(Iteration& it, std::size_t first, std::size_t last, std::size_t leading) {
  for (std::size_t i = first + 1; i < last; ++i) {
    for (std::size_t j = i; j > first && compare_dimensions(it, leading, j - 1, j) > 0; --j) {
      swap_dimensions(it, j - 1, j);
    }
  }
}

void turn_forward(Iteration& it, std::size_t first, std::size_t last, std::size_t leading) {
  for (std::size_t i = first; i < last; ++i) {
    if (it.strides[leading][i] >= 0) continue;
    for (std::size_t operand = 0; operand < it.strides.size(); ++operand) {
      std::int64_t& stride = it.strides[operand][i];
      it.offsets[operand] += stride * (it.extents[i] - 1);
      if (const std::int64_t turn = turn_of(it, operand, i); turn > 0) {
        it.offsets[operand] -= stride * it.extents[i];  // the last element is behind the turn
        it.turns[operand][i] = it.extents[i] - turn;
      }
      stride = -stride;
    }
  }
}

bool is_one_walk(const Iteration& it, std::size_t outer) {
  for (std::size_t operand = 0; operand < it.strides.size(); ++operand) {
    const Dims& strides = it.strides[operand];
    if (strides[outer] != strides[outer + 1] * it.extents[outer + 1]) return false;
    if (turn_of(it, operand, outer + 1) > 0) return false;
  }
  return true;
}

// Merges within [first, last); returns the new end.
std::size_t merge_dimensions(Iteration& it, std::size_t first, std::size_t last,
                             std::size_t minimum) {
  for (std::size_t i = last; i-- > first;) {
    if (it.extents[i] == 1 && last - first > minimum) {
      remove_dimension(it, i);
      --last;
    }
  }
  for (std::size_t i = last; i-- > first;) {
    if (i + 1 >= last || !is_one_walk(it, i)) continue;
    for (Dims& turns : it.turns) {
      if (!turns.empty()) turns[i + 1] = turns[i] * it.extents[i + 1];
    }
    it.extents[i + 1] *= it.extents[i];
    remove_dimension(it, i);
    --last;
  }
  return last;
}

}  // namespace

void simplify(Iteration& it, std::size_t leading) {
  const std::size_t rank = it.extents.size();
  const std::size_t kept = rank - static_cast<std::size_t>(it.reduced_rank);
  const bool has_elements = std::find(it.extents.begin(), it.extents.end(), 0) == it.extents.end();
  if (has_elements && !it.strides.empty()) {
    if (it.permute_kept) {
      turn_forward(it, 0, kept, leading);
      sort_dimensions(it, 0, kept, leading);
    }
    if (it.permute_reduced) sort_dimensions(it, kept, rank, leading);
  }
  merge_dimensions(it, kept, rank, it.reduced_rank > 0 ? 1 : 0);
  const std::size_t reduced = it.extents.size() - kept;
  merge_dimensions(it, 0, kept, 0);
  it.reduced_rank = static_cast<int>(reduced);
  if (it.extents.empty()) {
    it.extents.push_back(1);
    for (Dims& strides : it.strides) strides.push_back(0);
  }
}

}  // namespace cupola
