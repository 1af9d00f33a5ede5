// The pieces are sorted; sorted runs change places until each piece has the elements that belong
// there; the pieces are sorted again. Runs are cut at a rank by looking at some of their elements
// (Varman et al., "Merging Multiple Lists on Hierarchical-Memory Multiprocessors", 1991).

#include "ops/sorting/sort_pieces.h"

#include <algorithm>

#include "cupola/ops/manip.h"
#include "cupola/ops/sort.h"
#include "cupola/transfer.h"
#include "exec/evaluation/allocation.h"
#include "exec/evaluation/evaluator.h"
#include "ops/sorting/sort_digits.h"

namespace cupola {
namespace {

constexpr std::int64_t kSamples = 1024;  // elements of a run that are looked at together

// What is not known yet of where a run is cut: the cut is one of [begin, end].
struct Stretch {
  std::int64_t begin = 0, end = 0;
  std::int64_t step = 1;    // of its elements, each step-th one is looked at
  std::int64_t passed = 0;  // those of them that come before some element
  std::int64_t looks() const { return (end - begin) / step; }
  // Elements that come before it, too: so many at least, and at most.
  std::int64_t least() const { return step * passed; }
  std::int64_t most() const { return std::min(end - begin, step * (passed + 1) - 1); }
};

// The numbers of the stretches whose elements are looked at, in the order of these elements.
std::vector<std::size_t> looks_in_order(const Array& row, std::span<const Stretch> stretches) {
  std::vector<Array> parts;
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const Stretch& stretch = stretches[i];
    const std::int64_t looks = stretch.looks();
    if (looks == 0) continue;
    const std::int64_t first = stretch.begin + stretch.step - 1;
    parts.push_back(part_of(row, first, first + (looks - 1) * stretch.step + 1, stretch.step));
    owners.insert(owners.end(), static_cast<std::size_t>(looks), i);
  }
  std::vector<std::int64_t> order(owners.size());
  to_host(argsort(concatenate(parts, 0)), order.data(),
          Dims{static_cast<std::int64_t>(sizeof(std::int64_t))});
  std::vector<std::size_t> result;
  result.reserve(order.size());
  for (const std::int64_t place : order) result.push_back(owners[static_cast<std::size_t>(place)]);
  return result;
}

void pass(std::vector<Stretch>& stretches, std::span<const std::size_t> looks) {
  for (Stretch& stretch : stretches) stretch.passed = 0;
  for (const std::size_t owner : looks) ++stretches[owner].passed;
}

// Makes the stretches shorter; returns how many of `rank` > 0 elements are still to be found there.
std::int64_t narrow(const Array& row, std::vector<Stretch>& stretches, std::int64_t rank) {
  std::int64_t least = 0, most = 0;
  for (Stretch& stretch : stretches) {
    stretch.step = std::max<std::int64_t>(1, (stretch.end - stretch.begin) / kSamples);
    stretch.passed = 0;
    most += stretch.most();
  }
  const std::vector<std::size_t> looks = looks_in_order(row, stretches);
  // So many looks are surely at elements before the cuts; the last of so many surely is not behind
  // an element that stands before them.
  std::size_t inside = 0, enough = 0;
  while (enough < looks.size() && least < rank) {
    Stretch& stretch = stretches[looks[enough++]];
    most -= stretch.most();
    ++stretch.passed;
    least += stretch.step;
    if (most + stretch.least() <= rank) inside = enough;
    most += stretch.most();
  }
  std::vector<std::int64_t> ends;
  for (const Stretch& stretch : stretches) {
    ends.push_back(least < rank ? stretch.end : stretch.begin + stretch.most());
  }
  pass(stretches, std::span(looks).first(inside));
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    rank -= stretches[i].least();
    stretches[i].begin += stretches[i].least();
    stretches[i].end = ends[i];
  }
  return rank;
}

void exchange(const Array& row, std::int64_t a, std::int64_t b, std::int64_t count,
              std::int64_t at_once) {
  for (std::int64_t done = 0; done < count; done += at_once) {
    const std::int64_t size = std::min(at_once, count - done);
    const Array first = part_of(row, a + done, a + done + size);
    const Array second = part_of(row, b + done, b + done + size);
    const Array kept = allocate_array(row.dtype(), {size}, row.device());
    write(first, kept);
    write(second, first);
    write(kept, second);
  }
}

// Brings the smallest elements of the runs, which fill the pieces from `first` to `last`, into the
// first half of these, and so on in each half.
void deal(const Array& row, std::vector<SortedRun> runs, std::int64_t first, std::int64_t last,
          std::int64_t size) {
  if (last - first == 1) return;
  const std::int64_t middle = (first + last) / 2, border = middle * size;
  if (border >= row.size()) return deal(row, std::move(runs), first, middle, size);
  const std::vector<std::int64_t> cuts = cuts_at_rank(row, runs, border - first * size);
  std::vector<SortedRun> left, right, too_high, too_low;
  const auto add = [](std::vector<SortedRun>& list, std::int64_t begin, std::int64_t end) {
    if (begin < end) list.push_back({begin, end});
  };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool is_left = runs[i].begin < border;
    add(is_left ? left : too_low, runs[i].begin, cuts[i]);
    add(is_left ? too_high : right, cuts[i], runs[i].end);
  }
  for (std::size_t high = 0, low = 0; high < too_high.size();) {
    SortedRun &a = too_high[high], &b = too_low[low];
    const std::int64_t count = std::min(a.end - a.begin, b.end - b.begin);
    exchange(row, a.begin, b.begin, count, size);
    left.push_back({a.begin, a.begin + count});
    right.push_back({b.begin, b.begin + count});
    a.begin += count;
    b.begin += count;
    high += a.begin == a.end;
    low += b.begin == b.end;
  }
  deal(row, std::move(left), first, middle, size);
  deal(row, std::move(right), middle, last, size);
}

}  // namespace

std::vector<std::int64_t> cuts_at_rank(const Array& row, std::span<const SortedRun> runs,
                                       std::int64_t rank) {
  std::vector<Stretch> stretches;
  std::int64_t left = rank;
  for (const SortedRun& run : runs) stretches.push_back({run.begin, run.end});
  const auto is_known = [](const Stretch& stretch) { return stretch.begin == stretch.end; };
  while (left > 0 && !std::all_of(stretches.begin(), stretches.end(), is_known)) {
    left = narrow(row, stretches, left);
  }
  std::vector<std::int64_t> cuts;
  for (const Stretch& stretch : stretches) cuts.push_back(stretch.begin);
  return cuts;
}

void sort_pieces(const Array& row, std::int64_t count,
                 const std::function<void(const Array&)>& sort_piece) {
  const std::int64_t size = (row.size() + count - 1) / count;
  std::vector<SortedRun> runs;
  for (std::int64_t begin = 0; begin < row.size(); begin += size) {
    runs.push_back({begin, std::min(begin + size, row.size())});
  }
  const auto sort_each = [&, pieces = runs] {
    for (const SortedRun& piece : pieces) sort_piece(part_of(row, piece.begin, piece.end));
  };
  sort_each();
  deal(row, std::move(runs), 0, count, size);
  sort_each();
}

}  // namespace cupola
