// Matrix products on device sets.

#include "base/counters.h"
#include "driver/matmul_blocking.h"
#include "driver/set/matrix_range.h"
#include "driver/set/peer_staging.h"
#include "driver/set/set_driver.h"

namespace cupola {

namespace {

// Whose memory says who computes: a's rows where these are more than twice c's, as for launches.
bool is_guided_by_a(const MatmulProblem& problem) {
  return problem.a_column == 1 && range_of_a(problem).bytes / 2 > range_of_c(problem).bytes;
}

}  // namespace

// Blocks of one matrix share b, which comes once to each member.
void SetDriver::multiply_divided(SetStream& stream, const std::vector<MatmulProblem>& blocks,
                                 bool by_a) {
  Fork fork(stream);
  std::vector<std::unique_ptr<PeerStaging>> copies_of_b(stream.members().size());
  for (MatmulProblem block : blocks) {
    const std::size_t member = holder_of(stream, by_a ? range_of_a(block) : range_of_c(block));
    const MatrixRange a = range_of_a(block);
    const MatrixRange b = range_of_b(block);
    const std::unique_ptr<PeerStaging> copy_of_a = bring_near(fork, stream, member, a);
    if (copy_of_a) block.a = copy_of_a->moved(block.a);
    std::unique_ptr<PeerStaging>& copy_of_b = copies_of_b[member];
    if (!copy_of_b || copy_of_b->range().data != b.data || copy_of_b->range().bytes != b.bytes) {
      copy_of_b.reset();
      copy_of_b = bring_near(fork, stream, member, b);
    }
    if (copy_of_b) block.b = copy_of_b->moved(block.b);
    platform_.matmul(block, fork.on(member));
  }
}

void SetDriver::matmul(const MatmulProblem& problem, StreamHandle stream) {
  SetStream& set = SetStream::of(stream);
  if (is_empty(problem)) return platform_.matmul(problem, set.lead());
  const bool by_a = is_guided_by_a(problem);
  const MatrixRange guide = by_a ? range_of_a(problem) : range_of_c(problem);
  const std::vector<Piece> pieces = pieces_held(set.set(), guide.data, guide.bytes);
  const bool is_leads = all_on(pieces, set.members().front());
  const std::vector<MatmulProblem> blocks =
      is_leads ? std::vector<MatmulProblem>{} : matmul_blocks(problem);
  const bool is_divided = blocks.size() > 1 && is_reached(set.set(), problem.a) &&
                          is_reached(set.set(), problem.b) && is_reached(set.set(), problem.c);
  if (is_divided) {
    count(Counter::divided_launches);
    return multiply_divided(set, blocks, by_a);
  }
  if (!is_leads && guide.bytes >= threshold(set.set().index())) count_gathered();
  platform_.matmul(problem, set.lead());
}

}  // namespace cupola
