// Factorisations on device sets.
#include <algorithm>
#include <memory>
#include <vector>

#include "base/counters.h"
#include "cupola/error.h"
#include "driver/set/peer_staging.h"
#include "driver/set/set_driver.h"

namespace cupola {

namespace {

MatrixRange range_of(const FactorProblem& problem, const FactorOperand& operand) {
  return {static_cast<char*>(problem.*operand.pointer),
          operand.bytes * static_cast<std::size_t>(problem.count), true};
}

}  // namespace

// Each member has the matrices of which it holds the middle.
void SetDriver::factor_divided(SetStream& stream, const FactorProblem& problem,
                               const std::vector<Piece>& pieces) {
  const std::vector<FactorOperand> operands = operands_of(problem);
  const std::size_t bytes = operands.front().bytes;
  const char* const begin = static_cast<const char*>(problem.a);
  Fork fork(stream);
  std::int64_t first = 0;
  for (const Piece& piece : pieces) {
    const auto below = static_cast<std::size_t>(piece.data + piece.bytes - begin);
    const auto end = static_cast<std::int64_t>((below + bytes / 2) / bytes);
    if (end == first) continue;
    const std::size_t member = stream.position_of(piece.device);
    platform_.factor(matrices_of(problem, operands, first, end), fork.on(member));
    first = end;
  }
}

// Throws OutOfMemoryError where there is no room, before anything is done.
void SetDriver::factor_near(SetStream& stream, const FactorProblem& problem) {
  const LeadUse lead = stream.lead();
  const int device = stream.members().front();
  const std::vector<FactorOperand> operands = operands_of(problem);
  FactorProblem near = problem;
  std::vector<std::unique_ptr<PeerStaging>> copies(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const MatrixRange range = range_of(problem, operands[i]);
    if (range.bytes == 0 || lies_on_lead(stream, range.data)) continue;
    copies[i] = std::make_unique<PeerStaging>(platform_, range, lead);
    near.*operands[i].pointer = copies[i]->data();
  }
  const auto move = [&](bool is_there, std::size_t i) {
    char* const far = static_cast<char*>(problem.*operands[i].pointer);
    for (const Piece& piece : pieces_held(stream.set(), far, copies[i]->range().bytes)) {
      char* const here = copies[i]->data() + (piece.data - far);
      if (is_there) {
        platform_.copy(piece.data, piece.device, here, device, piece.bytes, lead);
      } else {
        platform_.copy(here, device, piece.data, piece.device, piece.bytes, lead);
      }
    }
  };
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (copies[i] && operands[i].is_read) move(false, i);
  }
  platform_.factor(near, lead);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (copies[i] && operands[i].is_written) move(true, i);
  }
}

void SetDriver::select(const SelectProblem& problem, StreamHandle stream) {
  platform_.select(problem, SetStream::of(stream).lead());
}

void SetDriver::factor(const FactorProblem& problem, StreamHandle stream) {
  SetStream& set = SetStream::of(stream);
  if (is_empty(problem)) return platform_.factor(problem, set.lead());
  const std::vector<FactorOperand> operands = operands_of(problem);
  const MatrixRange guide = range_of(problem, operands.front());
  const std::vector<Piece> pieces = pieces_held(set.set(), guide.data, guide.bytes);
  const bool is_leads = all_on(pieces, set.members().front());
  if (is_leads || guide.bytes < threshold(set.set().index())) {
    return platform_.factor(problem, set.lead());
  }
  const bool all_reach = std::ranges::all_of(operands, [&](const FactorOperand& operand) {
    const MatrixRange range = range_of(problem, operand);
    return range.bytes == 0 || is_reached(set.set(), range.data);
  });
  if (problem.count > 1 && all_reach) {
    count(Counter::divided_launches);
    return factor_divided(set, problem, pieces);
  }
  count_gathered();
  try {
    factor_near(set, problem);
  } catch (const OutOfMemoryError&) {
    platform_.factor(problem, set.lead());  // on what is reached where it is
  }
}

}  // namespace cupola
