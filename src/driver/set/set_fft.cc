// Fourier transforms on device sets.

#include "base/counters.h"
#include "driver/set/peer_staging.h"
#include "driver/set/set_driver.h"

namespace cupola {

namespace {

MatrixRange range_of_in(const FftProblem& problem) {
  return {const_cast<char*>(static_cast<const char*>(problem.in)), problem.in_bytes(),
          problem.rows == 1 || problem.in_row == problem.in_length()};
}

MatrixRange range_of_out(const FftProblem& problem) {
  return {static_cast<char*>(problem.out), problem.out_bytes(), false};
}

}  // namespace

FftPlanCount SetDriver::fft_plans(int set) { return platform_.fft_plans(first_of(set)); }

void SetDriver::keep_fft_plans(int set, std::size_t most) {
  for (const int member : members(set)) platform_.keep_fft_plans(member, most);
}

void SetDriver::fft(const FftProblem& problem, StreamHandle stream) {
  SetStream& set = SetStream::of(stream);
  if (problem.rows == 0) return platform_.fft(problem, set.lead());
  const MatrixRange results = range_of_out(problem);
  const std::vector<Piece> pieces = pieces_held(set.set(), results.data, results.bytes);
  const bool is_leads = all_on(pieces, set.members().front());
  const std::vector<FftProblem> blocks = is_leads ? std::vector<FftProblem>{} : fft_blocks(problem);
  if (blocks.size() < 2 || !is_reached(set.set(), problem.in) ||
      !is_reached(set.set(), problem.out)) {
    if (!is_leads && results.bytes >= threshold(set.set().index())) count_gathered();
    return platform_.fft(problem, set.lead());
  }
  count(Counter::divided_launches);
  Fork fork(set);
  const std::size_t members = set.members().size();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    FftProblem block = blocks[i];
    if (block.columns < block.pitch) {
      platform_.fft(block, fork.on(i * members / blocks.size()));
      continue;
    }
    const std::size_t member = holder_of(set, range_of_out(block));
    const std::unique_ptr<PeerStaging> copy = bring_near(fork, set, member, range_of_in(block));
    if (copy) block.in = copy->moved(block.in);
    platform_.fft(block, fork.on(member));
  }
}

}  // namespace cupola
